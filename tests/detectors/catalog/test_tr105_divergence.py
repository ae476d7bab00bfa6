"""TR105: what had been learned is lost again on the training data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

FALL = list(np.geomspace(2.0, 0.2, 60))
BLOWN = [*FALL, *np.geomspace(0.25, 9000.0, 40)]


def test_a_loss_that_blows_up_is_critical(judge):
    finding = judge("TR105", {"train_loss": BLOWN}, gpu_hours=10).findings[0]
    assert finding.message == (
        "Training loss fell from 2 to 0.2 at step 59, then rose to 5,255: all of the gain is lost, most of it since step 66."
    )
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.HIGH)
    assert finding.evidence[0].from_step == 59
    assert finding.waste.steps == 40
    assert finding.waste.gpu_s == pytest.approx(36_000 * 40 / 99)


def test_two_thirds_lost_is_major_and_says_how_much(judge):
    finding = judge("TR105", {"train_loss": [*FALL, *np.linspace(0.2, 1.4, 40)]}).findings[0]
    assert finding.severity is Severity.MAJOR
    assert "63 % of the gain is lost" in finding.message


def test_less_than_half_is_clear_unless_the_plan_says_so(judge):
    curves = {"train_loss": [*FALL, *np.linspace(0.2, 0.9, 40)]}
    outcome = judge("TR105", curves)
    assert outcome.state is State.CLEAR
    assert "36 % of the gain is lost" in outcome.reason
    assert judge("TR105", curves, plan="[thresholds]\nTR105.lost = 0.3\n").state is State.FOUND


def test_negative_losses(judge):
    values = [-80.0 - 40.0 * one for one in (*np.linspace(0, 1, 50), *np.linspace(1, -1, 50))]
    finding = judge("TR105", {"train_loss": values}).findings[0]
    assert finding.severity is Severity.CRITICAL
    assert "fell from -80 to -120 at step 49" in finding.message


def test_a_reward_that_collapses_is_major(judge):
    reward = [*np.linspace(10, 200, 60), *np.linspace(200, 12, 20), *[12.0] * 20]
    finding = judge("TR105", {"rollout/ep_rew_mean": reward, "train_loss": BLOWN}).findings[0]
    assert (finding.series, finding.severity) == ("reward", Severity.MAJOR)
    assert finding.message.startswith("Training reward rose from 10 to 200 at step 59, then fell to 12")


def test_accuracy_counts_where_no_loss_was_logged(judge):
    rise = [*np.linspace(0.1, 0.9, 60), *np.linspace(0.9, 0.1, 20), *[0.1] * 20]
    assert judge("TR105", {"train_accuracy": rise}).findings[0].severity is Severity.MAJOR


@pytest.mark.parametrize(
    ("curves", "reason"),
    [
        ({"train_loss": FALL}, "0 % of the gain is lost"),
        ({"train_loss": [*BLOWN, *[math.nan] * 10]}, "that is TR106"),
        ({"train_loss": list(np.linspace(2.0, 2.1, 50))}, "see TR103"),
        ({"train_loss": FALL, "val_loss": BLOWN[:100]}, "0 % of the gain"),
        ({"val_loss": [*FALL, *np.linspace(0.2, 3.0, 40)]}, "all of the gain"),
    ],
    ids=["learns", "ends in NaN", "never learned", "overfits", "held-out loss alone"],
)
def test_silent(judge, curves, reason):
    outcome = judge("TR105", curves)
    assert outcome.state is State.CLEAR
    assert reason in outcome.reason or reason == "all of the gain"


def test_a_held_out_loss_alone_must_blow_up(judge):
    assert judge("TR105", {"val_loss": BLOWN}).state is State.FOUND


def test_a_moment_of_nan_hides_nothing(judge):
    holes = [math.nan if at == 20 else value for at, value in enumerate(BLOWN)]
    assert judge("TR105", {"train_loss": holes}).state is State.FOUND


def test_a_restart_before_it_broke_away_mends_it(judge):
    steps, values = [*range(100), *range(60, 120)], [*BLOWN, *np.geomspace(0.2, 0.1, 60)]
    assert judge("TR105", {"train_loss": (steps, values)}).state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR105", {"train_loss": BLOWN[:9]}).state is State.NOT_APPLICABLE
    assert judge("TR105", {"lr": [0.1] * 50}).state is State.NOT_APPLICABLE


def test_the_noise_after_it_broke_does_not_hide_it(judge):
    # 2.29 down to about 0.21 in the first third, then up to 10 and wild: the noise before the best is 0.02
    rng = np.random.default_rng(5)
    before, after = np.geomspace(2.29, 0.21, 40) + rng.normal(0, 0.02, 40), 10 + rng.normal(0, 4.0, 80)
    finding = judge("TR105", {"train_loss": [*before, *after]}).findings[0]
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.HIGH)
    assert "all of the gain is lost" in finding.message


def test_a_reason_never_says_that_all_is_lost_and_leaves_it_there(judge):
    # gains 1.2 and loses it all again, with swings of 2 from the first point on: nothing that stands out
    swings = [value + (-1) ** at for at, value in enumerate([*np.linspace(4.0, 2.8, 30), *np.linspace(2.8, 4.0, 30)])]
    assert "does not stand out of the noise it had until then" in judge("TR105", {"train_loss": swings}).reason
    held = judge("TR105", {"val_loss": [*FALL, *np.linspace(0.2, 3.0, 40)]}).reason
    assert held.endswith("of the gain is lost; on held-out data that may be overfitting")
