"""TR108: curves that swing."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

RNG = np.random.default_rng(9)
AT = np.arange(200)
FALL = np.geomspace(3.0, 1.0, 200) + RNG.normal(0, 0.01, 200)
NO_LOSS = "no loss or metric has 30 finite points, which a period needs"


def swinging(height, period=8.0, base=FALL):
    return list(base + height / 2 * np.sin(2 * np.pi * np.arange(len(base)) / period))


def test_a_wide_swing_is_major_with_its_period_in_steps(judge):
    finding = judge("TR108", {"train_loss": (AT * 50, swinging(0.5))}).findings[0]
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.message.startswith("Training loss swings up and down every 400 steps by 2")
    assert finding.evidence[0].value == pytest.approx(0.22, abs=0.03)
    assert finding.evidence[1].value > 0.9
    assert finding.evidence[0].from_step == 40 * 50


def test_a_narrow_one_is_lowered_to_minor(judge):
    assert judge("TR108", {"train_loss": swinging(0.2)}).findings[0].severity is Severity.MINOR


def test_up_and_down_at_each_point(judge):
    finding = judge(
        "TR108", {"val_accuracy": swinging(0.2, 2.0, np.linspace(0.5, 0.9, 60)) + np.cos(np.pi * np.arange(60)) * 0.1}
    ).findings[0]
    assert finding.series == "accuracy"
    assert "every 2 steps" in finding.message


def test_a_slow_swing_of_a_long_log(judge):
    long = np.geomspace(3.0, 1.0, 4000) + RNG.normal(0, 0.05, 4000)
    finding = judge("TR108", {"train_loss": swinging(0.6, 100.0, long)}).findings[0]
    assert "every 100 steps" in finding.message


@pytest.mark.parametrize("height", [0.0, 0.04])
def test_noise_and_small_swings_are_clear(judge, height):
    outcome = judge("TR108", {"train_loss": swinging(height)})
    assert outcome.state is State.CLEAR
    assert "of the range of training loss" in outcome.reason


def test_the_plan_moves_the_line(judge):
    assert judge("TR108", {"train_loss": swinging(0.2)}, plan="[thresholds]\nTR108.amplitude = 0.3\n").state is State.CLEAR


def test_wide_noise_is_no_swing(judge):
    assert judge("TR108", {"train_loss": list(1.0 + RNG.normal(0, 0.3, 200))}).state is State.CLEAR


def test_a_cyclic_learning_rate_is_meant(judge):
    rate = 0.1 + 0.05 * np.sin(2 * np.pi * AT / 8)
    outcome = judge("TR108", {"train_loss": swinging(0.5), "lr": list(rate)})
    assert outcome.state is State.CLEAR
    assert outcome.reason == "training loss swings every 8 steps, as the learning rate does"
    assert judge("TR108", {"train_loss": swinging(0.5), "lr": [0.1] * 200}).state is State.FOUND


def test_not_applicable(judge):
    assert judge("TR108", {"train_loss": swinging(0.5)[:29]}).reason == NO_LOSS
    assert judge("TR108", {"lr": [0.1] * 50}).reason == NO_LOSS
