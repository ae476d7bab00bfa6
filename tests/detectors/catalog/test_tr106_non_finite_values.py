"""TR106: not a number, for good or for a moment."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

GOOD = list(np.geomspace(2.0, 0.3, 200))
END = "share of non-finite values in the last 5 % of points"


def broken(first, last, value=math.nan):
    """GOOD with values from `first` to `last` (excluded) replaced."""
    return [value if first <= at < last else one for at, one in enumerate(GOOD)]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_loss_that_never_recovers_is_critical(judge, value):
    finding = judge("TR106", {"train_loss": broken(120, 200, value)}, gpu_hours=1).findings[0]
    assert finding.severity is Severity.CRITICAL
    assert finding.confidence is Confidence.HIGH
    assert finding.message == (
        "Training loss stopped being a number at step 120 and did not recover: "
        "80 of 200 values (40 %) are NaN or infinite; the last good value before it is at step 119."
    )
    assert [one.value for one in finding.evidence] == [80, 1.0, 120]
    assert finding.evidence[1].statistic == END
    assert finding.waste.steps == 79


def test_one_that_recovers_is_major_and_ends_finite(judge):
    finding = judge("TR106", {"train_loss": broken(50, 52), "val_loss": GOOD}).findings[0]
    assert finding.severity is Severity.MAJOR
    assert finding.evidence[1].value == 0.0
    assert "and recovered: 2 of 200 values (1 %)" in finding.message
    assert finding.waste.steps is None


def test_a_metric_does_not_say_how_the_run_ended_where_a_loss_does(judge):
    finding = judge("TR106", {"train_loss": GOOD, "val_auc": broken(150, 200)}).findings[0]
    assert finding.series == "auc"
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.MEDIUM)
    assert finding.evidence[1].value == 0.0


def test_a_loss_that_was_never_a_number(judge):
    assert "no good value before it" in judge("TR106", {"train_loss": [math.nan] * 30}).findings[0].message


@pytest.mark.parametrize(
    "curves",
    [
        {"train_loss": GOOD, "val_loss": GOOD},
        {"train_loss": GOOD, "rollout/ep_rew_mean": [math.nan] * 5 + GOOD},
        {"train_loss": GOOD, "grad_norm": broken(3, 5, math.inf)},
        {"train_loss": GOOD, "my_own_number": broken(0, 200)},
    ],
    ids=["finite", "undefined at the start", "loss scaling", "no direction"],
)
def test_silent(judge, curves):
    assert judge("TR106", curves).state is State.CLEAR


def test_a_gradient_norm_that_breaks_for_good_is_found(judge):
    assert judge("TR106", {"train_loss": GOOD, "grad_norm": broken(100, 200)}).state is State.FOUND
    assert judge("TR106", {"grad_norm": broken(100, 200)}).findings[0].severity is Severity.CRITICAL


def test_nothing_logged(judge):
    assert judge("TR106", {"lr": [0.1] * 20}).state is State.NOT_APPLICABLE


def test_what_a_restart_made_void_does_not_count(judge):
    # steps 50.. are written again after a rewind: the later attempt counts
    steps = [*range(100), *range(50, 200)]
    values = [*GOOD[:60], *[math.nan] * 40, *GOOD[50:200]]
    assert judge("TR106", {"train_loss": (steps, values)}).state is State.CLEAR
