"""TR503: code version."""

from __future__ import annotations

from trainreport.model.finding import Confidence, Severity, State

LOSS = {"train_loss": [2.0, 1.0]}


def test_missing(judge):
    finding = judge("TR503", LOSS).findings[0]
    assert finding.message == "No source names a code version: which code trained the model cannot be shown."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)


def test_known(judge):
    outcome = judge("TR503", LOSS, code_version="42")
    assert (outcome.state, outcome.reason) == (State.CLEAR, "code version 42")


def test_not_applicable(judge):
    assert judge("TR503", devices={"gpu0": {"gpu/utilization": [0.5] * 9}}).state is State.NOT_APPLICABLE
