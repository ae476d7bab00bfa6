"""TR005: two tools, two truths."""

from __future__ import annotations

import numpy as np
import pytest
from builders import log_of, training

from trainreport import detectors
from trainreport.importers.recording import FileRead
from trainreport.model.case import Case
from trainreport.model.finding import Confidence, State
from trainreport.model.ledger import Ledger
from trainreport.model.plan_reader import parse_plan

ONE = np.linspace(0.5, 0.9, 20)


@pytest.fixture
def two_tools(tmp_path):
    """Return a function: the outcome on what TensorBoard and MLflow logged of one run."""

    def outcome(first, second, plan=""):
        recordings = []
        for tool, curves in (("tensorboard", first), ("mlflow", second)):
            path = tmp_path / tool
            path.write_bytes(b"x")
            recordings.append(training(curves, key=tool, importer=tool, files=(FileRead(path, f"{tool}/events", 20),)))
        (found,) = detectors.run(Case(log_of(*recordings), parse_plan(plan), Ledger()), [detectors.detector("TR005")])
        return found

    return outcome


def test_a_quarter_of_the_steps_differ(two_tools):
    other = ONE.copy()
    other[:5] *= 0.98
    finding = two_tools({"val_accuracy": ONE}, {"val_acc": other}).findings[0]
    assert finding.message == "mlflow and tensorboard disagree on validation accuracy at 25 % of 20 common steps, by up to 2 %."
    assert [one.value for one in finding.evidence] == pytest.approx([0.25, 0.02])
    assert finding.confidence is Confidence.HIGH


def test_rounding_is_no_difference(two_tools):
    outcome = two_tools({"val_accuracy": ONE}, {"val_acc": ONE.astype(np.float32).astype(float)})
    assert (outcome.state, outcome.reason) == (State.CLEAR, "1 series of two tools agree at 20 common steps")


def test_a_limit_of_the_plan(two_tools):
    plan = "[thresholds]\nTR005.difference = 0.1\n"
    assert two_tools({"val_accuracy": ONE}, {"val_acc": ONE * 0.98}, plan).state is State.CLEAR


def test_nothing_in_common(two_tools, judge):
    assert two_tools({"val_accuracy": ONE}, {"val_acc": (range(100, 120), ONE)}).state is State.NOT_APPLICABLE
    assert two_tools({"val_accuracy": ONE}, {"train_acc": ONE}).state is State.NOT_APPLICABLE
    assert judge("TR005", {"val_accuracy": ONE}).reason == "one tool logged the run, so there is nothing to compare"
