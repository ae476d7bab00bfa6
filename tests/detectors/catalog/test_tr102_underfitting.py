"""TR102: short of the target on both, at a plateau."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import Confidence, State


def levelling(start, end, points=60):
    """A curve that comes to rest half way through."""
    return [*np.linspace(start, end, points // 2), *[end] * (points - points // 2)]


BOTH = {"train_accuracy": levelling(0.1, 0.62), "val_accuracy": levelling(0.1, 0.60)}


def test_both_short_of_the_target_at_a_plateau(judge, target):
    finding = judge("TR102", BOTH, plan=target(0.9, more="baseline = 0.55\nchance = 0.1\n")).findings[0]
    assert finding.message == (
        "Validation accuracy stopped improving at 60 % and training accuracy at 62 %; both miss the target of 90 %; "
        "the baseline gives 55 %; guessing gives 10 %."
    )
    assert finding.confidence is Confidence.HIGH
    assert [one.value for one in finding.evidence] == [0.60, 0.62]


def test_percent_curves_and_share_targets(judge, target):
    percent = {name: [100 * value for value in values] for name, values in BOTH.items()}
    assert "target of 90 %" in judge("TR102", percent, plan=target(0.9)).findings[0].message
    assert "target of 90 %" in judge("TR102", BOTH, plan=target(90, "percent")).findings[0].message
    assert judge("TR102", percent, plan=target(0.5)).state is State.CLEAR


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        ({**BOTH, "train_accuracy": levelling(0.1, 0.95)}, "fits what it was shown"),
        ({**BOTH, "val_accuracy": list(np.linspace(0.1, 0.6, 60))}, "still improving"),
        ({**BOTH, "val_accuracy": levelling(0.1, 0.92)}, "meets the target"),
        ({**BOTH, "train_accuracy": levelling(0.1, 0.75)}, "too far apart"),
    ],
    ids=["training reaches it", "improving", "met", "wide gap"],
)
def test_silent(judge, target, curves, words):
    outcome = judge("TR102", curves, plan=target(0.9))
    assert outcome.state is State.CLEAR
    assert words in outcome.reason


def test_without_a_target_it_cannot_be_told(judge):
    outcome = judge("TR102", BOTH)
    assert outcome.state is State.NOT_APPLICABLE
    assert "cannot tell" in outcome.reason


@pytest.mark.parametrize(
    "curves", [{"val_accuracy": levelling(0.1, 0.6)}, {"val_accuracy": [0.1] * 5, "train_accuracy": [0.1] * 5}, {"train_loss": [1.0] * 30}]
)
def test_too_little(judge, target, curves):
    assert judge("TR102", curves, plan=target(0.9)).state is State.NOT_APPLICABLE


def test_a_loss_criterion_and_nan(judge):
    plan = '[[criteria]]\nid = "loss"\nseries = "loss"\nthreshold = 0.2\ncomparator = "<="\n'
    curves = {"train_loss": levelling(2.0, 1.0), "val_loss": levelling(2.1, 1.02)}
    curves["val_loss"][5] = math.nan
    assert judge("TR102", curves, plan=plan).state is State.FOUND


def test_the_level_is_told_and_the_best_as_the_best(judge, target):
    # one lucky batch reaches 90 %; the last third lies at 86 % and 87 %
    trained, held = levelling(0.1, 0.87), levelling(0.1, 0.86)
    trained[45] = 0.90
    finding = judge("TR102", {"train_accuracy": trained, "val_accuracy": held}, plan=target(0.95)).findings[0]
    assert finding.message == (
        "Validation accuracy stopped improving at 86 % and training accuracy at 87 % (best 90 %); both miss the target of 95 %."
    )
    assert [one.value for one in finding.evidence] == [0.86, 0.87]
    assert finding.evidence[0].from_step == 40
