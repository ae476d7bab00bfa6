"""TR403: no better than the simple model."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

SMOOTH = [0.5, 0.6, 0.7, 0.75, 0.78, 0.8]


def baseline(value):
    return f"baseline = {value}\n"


def test_not_better(judge, target):
    finding = judge("TR403", {"val_accuracy": SMOOTH}, plan=target(0.9, more=baseline(0.82))).findings[0]
    assert (
        finding.message
        == "The simple model that the plan compares with has 82 %; the best validation accuracy, 80 %, is no better than that."
    )
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(-0.02)


def test_better_by_less_than_noise_is_minor(judge, target):
    noisy = [0.6, 0.8, 0.62, 0.79, 0.61, 0.81, 0.6, 0.8]
    finding = judge("TR403", {"val_accuracy": noisy}, plan=target(0.9, more=baseline(0.80))).findings[0]
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.MEDIUM)
    assert "is better by less than its own noise" in finding.message


def test_an_error_is_better_below(judge):
    plan = '[[criteria]]\nid = "e"\nseries = "rmse"\nthreshold = 0.2\ncomparator = "<="\nbaseline = 0.5\n'
    assert judge("TR403", {"val_rmse": [0.9, 0.6, 0.4, 0.3, 0.25]}, plan=plan).state is State.CLEAR
    assert judge("TR403", {"val_rmse": [0.9, 0.8, 0.7, 0.65, 0.62]}, plan=plan).state is State.FOUND


def test_clear_and_not_applicable(judge, target):
    outcome = judge("TR403", {"val_accuracy": SMOOTH}, plan=target(0.9, more=baseline(0.5)))
    assert (outcome.state, outcome.reason) == (State.CLEAR, "validation accuracy beats the baseline of 0.5 by 0.3")
    assert judge("TR403", {"val_accuracy": SMOOTH}, plan=target(0.9)).reason == "no criterion of the plan has a baseline"
    assert judge("TR403", {"val_loss": SMOOTH}, plan=target(0.9, more=baseline(0.5))).reason == "no series with a baseline was logged"


def test_the_noise_after_a_break_says_nothing_of_the_best(judge, target):
    # up to 92 % with a noise below a point, then it breaks and swings by 30 points
    rng = np.random.default_rng(9)
    values = [*(np.linspace(0.5, 0.92, 20) + rng.normal(0, 0.004, 20)), *(0.4 + rng.uniform(-0.3, 0.3, 40))]
    outcome = judge("TR403", {"val_accuracy": values}, plan=target(0.9, more=baseline(0.868)))
    assert outcome.state is State.CLEAR
    assert outcome.reason.startswith("validation accuracy beats the baseline of 0.868 by 0.05")
