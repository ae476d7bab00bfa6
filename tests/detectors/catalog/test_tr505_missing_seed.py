"""TR505: seed."""

from __future__ import annotations

from trainreport.model.finding import Confidence, Severity, State

LOSS = {"train_loss": [2.0, 1.0]}


def test_missing(judge):
    finding = judge("TR505", LOSS).findings[0]
    assert finding.message == "No source names a seed: the run cannot be repeated exactly, and luck cannot be told from progress."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)


def test_known(judge):
    outcome = judge("TR505", LOSS, seed="42")
    assert (outcome.state, outcome.reason) == (State.CLEAR, "seed 42")


def test_not_applicable(judge):
    assert judge("TR505", devices={"gpu0": {"gpu/utilization": [0.5] * 9}}).state is State.NOT_APPLICABLE
