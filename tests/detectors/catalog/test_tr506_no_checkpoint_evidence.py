"""TR506: is there a checkpoint."""

from __future__ import annotations

import pytest

from trainreport.importers.recording import Event
from trainreport.model.finding import Confidence, State

LOSS = {"train_loss": [2.0, 1.0]}


def test_nothing_speaks_of_one(judge):
    finding = judge("TR506", LOSS, params={"save_steps": "0", "lr": "0.1"}).findings[0]
    assert finding.message == "Nothing in the logs or beside them shows that a checkpoint of the model was saved."
    assert finding.confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"params": {"save_steps": "500"}}, "save_steps = 500"),
        ({"tags": {"mlflow.log-model.history": "[{}]"}}, "mlflow.log-model.history = [{}]"),
        ({"events": (Event("checkpoint", "models/last.ckpt"), Event("checkpoint", "models/best.ckpt"))}, "models/last.ckpt and 1 more"),
    ],
)
def test_signs(judge, facts, reason):
    outcome = judge("TR506", LOSS, **{"tags": {}, **facts})
    assert (outcome.state, outcome.reason) == (State.CLEAR, reason)


def test_not_applicable(judge):
    assert judge("TR506", devices={"gpu0": {"gpu/utilization": [0.5] * 9}}).state is State.NOT_APPLICABLE
