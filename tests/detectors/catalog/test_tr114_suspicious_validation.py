"""TR114: held-out values that look too good."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

RISE = list(np.linspace(0.4, 0.8, 40))
HIGH = list(np.linspace(0.5, 0.96, 40))
FALL = list(np.geomspace(2.0, 0.4, 40))


def test_two_curves_that_are_the_same(judge):
    finding = judge("TR114", {"train_loss": FALL, "val_loss": FALL}).findings[0]
    assert finding.message == (
        "Validation loss and training loss are the same value at all 40 steps that both have: "
        "the suspicion is that both were measured on the same data."
    )
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)


def test_the_same_is_judged_by_step_not_by_position(judge):
    every_tenth = {"train_loss": (range(400), list(np.repeat(FALL, 10))), "val_loss": (range(0, 400, 10), FALL)}
    assert judge("TR114", every_tenth).state is State.FOUND
    shifted = {"train_loss": (range(40), FALL), "val_loss": (range(100, 140), FALL)}
    assert judge("TR114", shifted).state is State.CLEAR


def test_validation_and_test_that_are_the_same(judge):
    found = judge("TR114", {"train_loss": FALL, "val_accuracy": RISE, "test_accuracy": RISE}).findings[0]
    assert "Validation accuracy and test accuracy are the same" in found.message


def test_perfect_from_the_first_evaluation(judge):
    finding = judge("TR114", {"train_loss": FALL, "val_auc": [0.998] * 40}).findings[0]
    assert finding.message == (
        "Validation AUC stands at 99.8 % from the first evaluation on, at step 0: "
        "the suspicion is that the answer leaks, unless the model was trained before."
    )
    assert finding.confidence is Confidence.LOW


def test_perfect_late_may_have_been_learned(judge):
    late = (range(20, 40), [0.998] * 20)
    assert judge("TR114", {"train_loss": FALL, "val_auc": late}).state is State.CLEAR


def test_validation_far_above_training(judge):
    better = [1 - (1 - one) / 5 for one in RISE]  # a fifth of the errors
    finding = judge("TR114", {"train_accuracy": RISE, "val_accuracy": better}).findings[0]
    assert finding.message == (
        "Validation accuracy is 94 % where training accuracy is 70 %: "
        "the suspicion is that data leaked, if augmentation does not explain it."
    )
    assert finding.confidence is Confidence.MEDIUM


def test_percent_and_shares_are_compared_alike(judge):
    curves = {"train_accuracy": RISE, "val_accuracy": [100 - 100 * (1 - one) / 5 for one in RISE]}
    assert judge("TR114", curves).state is State.FOUND


def test_test_far_above_validation(judge):
    finding = judge("TR114", {"val_accuracy": RISE, "test_accuracy": [one + 0.08 for one in RISE]}).findings[0]
    assert "Test accuracy is 78 % where validation accuracy is 70 %: the suspicion is that data leaked." in finding.message


@pytest.mark.parametrize(
    "curves",
    [
        {"train_accuracy": HIGH, "val_accuracy": RISE},
        {"train_accuracy": RISE, "val_accuracy": [one + 0.1 for one in RISE]},
        {"train_accuracy": [0.3, 0.5] * 20, "val_accuracy": [0.5, 0.6] * 20},
        {"train_loss": FALL, "val_loss": [one / 4 for one in FALL]},
        {"train_loss": [0.5] * 40, "val_loss": [0.5] * 40},
        {"val_accuracy": RISE, "test_accuracy": [one + 0.03 for one in RISE]},
        {"rollout/ep_rew_mean": RISE, "eval/mean_reward": RISE, "val_loss": FALL},
    ],
    ids=["usual gap", "dropout", "augmentation", "different losses", "constant", "split", "reward"],
)
def test_silent(judge, curves):
    assert judge("TR114", curves).state is State.CLEAR


def test_clear_says_how_far_apart(judge):
    assert judge("TR114", {"train_accuracy": HIGH, "val_accuracy": RISE}).reason == (
        "nothing looks too good in validation accuracy: validation is 14.5 points below training"
    )


def test_the_plan_moves_the_line(judge):
    curves = {"train_loss": FALL, "val_auc": [0.99] * 40}
    assert judge("TR114", curves).state is State.CLEAR
    assert judge("TR114", curves, plan="[thresholds]\nTR114.perfect = 0.98\n").state is State.FOUND


def test_not_applicable(judge):
    assert judge("TR114", {"train_loss": FALL}).reason == "no loss or metric was logged on held-out data"
