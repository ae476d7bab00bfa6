"""TR116: too few evaluations, or too far apart."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

FALL = list(np.geomspace(2.0, 0.2, 1000))


def test_fewer_than_five(judge):
    finding = judge("TR116", {"train_loss": FALL, "val_loss": ([0, 500, 999], [2.0, 1.0, 0.9])}).findings[0]
    assert finding.message == (
        "The run was evaluated 3 times on held-out data (validation loss): neither its best checkpoint nor overfitting can be told."
    )
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)


@pytest.mark.parametrize(("steps", "word"), [([999], "once"), ([500, 999], "twice")])
def test_once_and_twice(judge, steps, word):
    curves = {"train_loss": FALL, "test_accuracy": (steps, [0.8] * len(steps))}
    assert f"was evaluated {word} on held-out data (test accuracy)" in judge("TR116", curves).findings[0].message


def test_a_wide_gap_beside_the_best(judge):
    steps = [0, 50, 100, 150, 200, 250, 999]
    finding = judge("TR116", {"train_loss": FALL, "val_loss": (steps, [2.0, 1.8, 1.6, 1.4, 1.2, 1.0, 1.3])}).findings[0]
    assert finding.message.startswith(
        "The best validation loss (1 at step 250) stands beside a gap of 75 % of the run without evaluation, in which training made 5"
    )
    assert finding.evidence[0].value == pytest.approx(749 / 999)


def test_a_gap_after_the_last_evaluation_counts(judge):
    steps = range(0, 500, 50)
    assert judge("TR116", {"train_loss": FALL, "val_loss": (steps, list(np.linspace(2, 1, 10)))}).state is State.FOUND


def test_a_gap_far_from_the_best_does_not(judge):
    steps = [0, 50, 100, 150, 200, 250, 999]
    outcome = judge("TR116", {"train_loss": FALL, "val_loss": (steps, [2.0, 1.8, 1.0, 1.4, 1.5, 1.6, 1.7])})
    assert outcome.state is State.CLEAR
    assert outcome.reason == "7 evaluations of validation loss; the widest gap beside the best takes 5 % of the run"


def test_a_gap_in_which_training_stood_still_is_clear(judge):
    stands = [*np.geomspace(2.0, 0.2, 300), *[0.2] * 700]
    steps = [0, 50, 100, 150, 200, 300, 999]
    curves = {"train_loss": stands, "val_loss": (steps, [2.0, 1.8, 1.6, 1.4, 1.2, 1.0, 1.0])}
    assert judge("TR116", curves).state is State.CLEAR


def test_without_a_training_curve_the_evaluations_are_the_run(judge):
    steps = [0, 50, 100, 150, 200, 400]
    assert judge("TR116", {"val_loss": (steps, [2.0, 1.8, 1.6, 1.4, 1.2, 1.0])}).state is State.FOUND
    assert judge("TR116", {"val_loss": list(np.linspace(2, 1, 20))}).state is State.CLEAR


def test_the_plan_moves_the_line(judge):
    curves = {"train_loss": FALL, "val_loss": ([0, 500, 999], [2.0, 1.0, 0.9])}
    assert judge("TR116", curves, plan="[thresholds]\nTR116.evaluations = 3\nTR116.gap = 0.9\n").state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR116", {"train_loss": FALL}).reason == "no loss or metric was logged on held-out data: see TR004"
    assert judge("TR116", {"val_loss": [1.0, 0.9]}).reason == "the run has fewer than 5 points of any loss or metric"
