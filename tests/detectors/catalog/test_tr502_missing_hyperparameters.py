"""TR502: what it was trained with."""

from __future__ import annotations

from trainreport.model.finding import Severity, State

LOSS = {"train_loss": [2.0, 1.0]}


def test_no_parameters_at_all(judge):
    finding = judge("TR502", LOSS).findings[0]
    assert finding.message == (
        "No parameters were logged: learning rate, batch size and length are not known, so the run cannot be repeated."
    )
    assert (finding.severity, finding.evidence[0].value) == (Severity.MINOR, 0.0)


def test_none_that_training_is_set_by(judge):
    finding = judge("TR502", LOSS, params={"team": "crm", "note": "x"}).findings[0]
    assert finding.message.startswith("2 parameters logged, none of them one that training is set by:")


def test_known(judge):
    outcome = judge("TR502", LOSS, params={"optimizer/LR": "0.1", "batch-size": "32", "x": "1"})
    assert (outcome.state, outcome.reason) == (State.CLEAR, "3 parameters logged, among them batch size and learning rate")


def test_not_applicable(judge):
    assert judge("TR502", devices={"gpu0": {"gpu/utilization": [0.5] * 9}}).state is State.NOT_APPLICABLE
