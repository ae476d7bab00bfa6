"""TR103: the loss ends where it began."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

RNG = np.random.default_rng(4)
STUCK = [2.303 + one for one in RNG.normal(0, 0.01, 200)]


def test_a_loss_that_stays_is_critical(judge):
    finding = judge("TR103", {"train_loss": STUCK}, gpu_hours=2.0).findings[0]
    assert finding.severity is Severity.CRITICAL
    assert finding.confidence is Confidence.HIGH
    assert finding.message.startswith("Training loss shows no learning from step 0 to step 199: it ")
    assert finding.waste.gpu_s == pytest.approx(7200)


def test_accuracy_that_moves_within_its_noise_has_not_learnt(judge):
    noisy = [0.5 + one for one in RNG.normal(0, 0.04, 100)]
    assert judge("TR103", {"train_loss": STUCK, "train_accuracy": noisy}).state is State.FOUND


def test_a_reward_that_stays_is_found(judge):
    finding = judge("TR103", {"rollout/ep_rew_mean": list(RNG.normal(0, 1, 100)), "train_loss": list(np.geomspace(1, 0.1, 100))}).findings[
        0
    ]
    assert finding.series == "reward"
    assert finding.confidence is Confidence.MEDIUM


def test_a_loss_that_rose_counts(judge):
    assert judge("TR103", {"train_loss": list(np.linspace(2.3, 4.0, 60))}).state is State.FOUND


def test_accuracy_at_guessing_while_the_loss_falls_is_major(judge):
    curves = {"train_loss": list(np.geomspace(3.6, 2.3, 100)), "val_accuracy": [0.1, 0.1004] * 50}
    finding = judge("TR103", curves).findings[0]
    assert finding.severity is Severity.MAJOR
    assert "although training loss fell by" in finding.message
    percent = {**curves, "val_accuracy": [10, 10.04] * 50}
    assert judge("TR103", percent).findings[0].severity is Severity.MAJOR


@pytest.mark.parametrize(
    "curves",
    [
        {"train_loss": list(np.geomspace(2.3, 0.1, 100))},
        {"train_loss": list(np.linspace(2.3, 2.23, 100))},  # 3 %, but beyond noise: slow, not nothing
        {"train_loss": STUCK, "val_accuracy": list(np.linspace(0.1, 0.6, 50))},
        {"train_loss": STUCK, "rollout/ep_rew_mean": list(np.linspace(10.0, 200.0, 50))},
        {"train_loss": list(np.linspace(0.01, 0.05, 50)), "rollout/ep_rew_mean": list(np.linspace(0.0, 0.2, 50))},
        {"train_loss": STUCK, "val_bleu": list(np.linspace(0.0, 20.0, 50))},
        {"train_loss": [*np.linspace(2.3, 0.3, 50), *np.linspace(0.3, 9.0, 50)]},  # learnt first: divergence
        {"train_loss": list(np.geomspace(0.7, 0.3, 50)), "val_accuracy": [0.92] * 50},  # the majority class, not guessing
    ],
    ids=["falls", "slow", "accuracy learns", "reward learns", "reward from zero", "bleu from zero", "diverged", "majority"],
)
def test_silent(judge, curves):
    assert judge("TR103", curves).state is State.CLEAR


def test_a_target_that_is_met_from_the_start_is_clear(judge, target):
    curves = {"train_loss": [0.1] * 50, "val_accuracy": [0.95] * 50}
    outcome = judge("TR103", curves, plan=target(0.9))
    assert outcome.state is State.CLEAR
    assert "meets the plan's criterion" in outcome.reason


def test_what_was_finite_before_it_broke_is_judged(judge):
    assert judge("TR103", {"train_loss": [*STUCK, *[math.nan] * 300]}).state is State.FOUND
    assert judge("TR103", {"train_loss": [2.0, 2.1, *[math.nan] * 300]}).state is State.NOT_APPLICABLE


def test_too_few_points_and_a_run_that_has_barely_begun(judge):
    assert judge("TR103", {"train_loss": [2.3] * 9}).state is State.NOT_APPLICABLE
    outcome = judge("TR103", {"train_loss": STUCK}, plan="[training]\nsteps = 100000\n")
    assert outcome.state is State.NOT_APPLICABLE
    assert "barely begun" in outcome.reason
    assert judge("TR103", {"gradient_norm": [1.0] * 50}).state is State.NOT_APPLICABLE


LN_10 = [2.3026 + one for one in RNG.normal(0, 0.005, 120)]


@pytest.mark.parametrize("phase", ["validation", "train", "test"])
def test_a_metric_that_wanders_about_guessing_has_not_learnt(judge, phase):
    plan = f'[[criteria]]\nid = "a"\nseries = "accuracy"\nphase = "{phase}"\nthreshold = 0.97\nunit = "share"\nchance = 0.10\n'
    curves = {"train_loss": LN_10, "train_accuracy": list(np.linspace(0.08, 0.11, 120)), "val_accuracy": [0.1117] * 7 + [0.0778] * 23}
    finding = judge("TR103", curves, plan=plan).findings[0]
    assert (finding.severity, finding.series) == (Severity.CRITICAL, "loss")
    percent = {name: [100 * one for one in values] if "accuracy" in name else values for name, values in curves.items()}
    assert judge("TR103", percent, plan=plan).state is State.FOUND
    learned = {**curves, "train_accuracy": list(np.linspace(0.08, 0.40, 120))}
    assert judge("TR103", learned, plan=plan).reason == "training accuracy went from 8 % to 39 %"


def test_three_points_beside_a_flat_loss_are_no_learning(judge):
    assert judge("TR103", {"train_loss": LN_10, "train_accuracy": list(np.linspace(0.08, 0.11, 120))}).state is State.FOUND
    fine_tuned = {"train_loss": [0.20] * 120, "train_accuracy": list(np.linspace(0.930, 0.9325, 120))}
    assert judge("TR103", fine_tuned).state is State.CLEAR  # 3.6 % of what was left, and far above guessing


def test_up_to_the_level_of_guessing_while_the_loss_falls(judge, target):
    curves = {"train_loss": list(np.geomspace(3.6, 2.3, 100)), "val_accuracy": list(np.linspace(0.02, 0.101, 100))}
    assert judge("TR103", curves, plan=target(0.9, more="chance = 0.1\n")).findings[0].severity is Severity.MAJOR
    assert judge("TR103", curves).state is State.CLEAR


def test_all_of_the_run_is_waste(judge):
    finding = judge("TR103", {"train_loss": (range(10, 2010, 10), STUCK)}).findings[0]
    assert (finding.waste.share_of_run, finding.waste.steps) == (1.0, 2000)
