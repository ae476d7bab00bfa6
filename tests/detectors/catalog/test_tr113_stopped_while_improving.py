"""TR113: ended too early."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

IMPROVES = list(np.linspace(2.0, 1.0, 100))
PLAN = "[training]\nsteps = 400\n"


def test_a_run_that_still_improved(judge):
    finding = judge("TR113", {"val_loss": IMPROVES}).findings[0]
    assert finding.message == (
        "The run ended at step 99 with validation loss at 1 and still improving: the last third brought 33 % of its range; "
        "no learning rate tells how much of that is due to its decay."
    )
    assert (finding.severity, finding.confidence) == (Severity.NOTE, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(1 / 3, abs=0.01)
    assert finding.evidence[0].from_step == 67


def test_planned_steps_are_named(judge):
    assert "ended at step 99 of 400 planned with" in judge("TR113", {"val_loss": IMPROVES}, plan=PLAN).findings[0].message


def test_few_points_lower_confidence(judge):
    assert judge("TR113", {"val_loss": IMPROVES[::5]}).findings[0].confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    ("curves", "reason"),
    [
        ({"val_loss": [*np.linspace(2, 1, 50), *[1.0] * 50]}, "gained 0 % of its range"),
        ({"val_loss": [*IMPROVES[:80], *np.linspace(1.2, 1.6, 20)]}, "of its range in the last third"),
        ({"val_loss": IMPROVES, "lr": list(np.linspace(0.1, 0.0, 100))}, "the learning rate was down to 0 % of its highest"),
    ],
    ids=["plateau", "turned", "schedule over"],
)
def test_silent(judge, curves, reason):
    outcome = judge("TR113", curves)
    assert outcome.state is State.CLEAR
    assert reason in outcome.reason


def test_a_constant_rate_leaves_no_doubt(judge):
    message = judge("TR113", {"val_loss": IMPROVES, "lr": [0.1] * 100}).findings[0].message
    assert message.endswith("brought 33 % of its range.")


def test_a_target_that_is_met_is_enough(judge, target):
    rises = {"val_accuracy": list(np.linspace(0.3, 0.92, 100))}
    assert judge("TR113", rises, plan=target(0.9)).reason == (
        "it was still improving, but validation accuracy meets the plan's criterion with 92 %"
    )
    assert judge("TR113", rises, plan=target(0.95)).state is State.FOUND


def test_noise_is_no_gain(judge):
    noise = np.random.default_rng(0).normal(1.0, 0.1, 60)
    noise[58] = 0.5
    assert judge("TR113", {"val_loss": list(noise)}).state is State.CLEAR


def test_the_plan_moves_the_line(judge):
    assert judge("TR113", {"val_loss": IMPROVES}, plan="[thresholds]\nTR113.gain = 0.5\n").state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR113", {"val_loss": IMPROVES}, status="running").reason == "the run is still going"
    assert judge("TR113", {"train_loss": IMPROVES}).reason == "no loss or metric was logged on held-out data"
    assert judge("TR113", {"val_loss": IMPROVES[:11]}).reason == "validation loss has 11 finite points; 12 are needed"
