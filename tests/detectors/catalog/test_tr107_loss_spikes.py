"""TR107: the loss jumps up for a few steps."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Severity, State

RNG = np.random.default_rng(5)
FALL = np.geomspace(4.0, 1.0, 400) + RNG.normal(0, 0.02, 400)


def spiked(*places, height=1.0, width=3):
    values = FALL.copy()
    for place in places:
        values[place : place + width] += height
    return list(values)


def test_spikes_with_number_place_and_height(judge):
    values = spiked(100, 200, 300)
    values[201] += 0.5
    finding = judge("TR107", {"train_loss": values}, gpu_hours=4).findings[0]
    assert finding.severity is Severity.MINOR
    assert finding.message.startswith("Training loss jumps up 3 times, most at step 201 from 1.99 to 3.45")
    assert finding.evidence[0].value == 3
    assert finding.evidence[1].value == pytest.approx(0.5, abs=0.06)
    assert finding.evidence[1].from_step in (200, 201)
    assert finding.waste.share_of_run == pytest.approx(9 / 400, abs=2 / 400)
    assert finding.waste.gpu_s == pytest.approx(4 * 3600 * finding.waste.share_of_run)


def test_one_small_spike_is_a_note(judge):
    finding = judge("TR107", {"train_loss": spiked(200, height=0.6)}).findings[0]
    assert finding.severity is Severity.NOTE
    assert "once, at step 20" in finding.message


def test_a_spike_at_the_end_is_minor_and_said(judge):
    finding = judge("TR107", {"train_loss": spiked(397, height=0.6)}).findings[0]
    assert finding.severity is Severity.MINOR
    assert finding.message.endswith("of its range; the log ends in a spike.")


@pytest.mark.parametrize("end", [[float("nan")] * 30, [50.0] * 30], ids=["NaN", "diverged"])
def test_the_last_rise_of_a_lost_run_is_no_spike(judge, end):
    assert judge("TR107", {"train_loss": [*FALL, 8.0, 40.0, *end]}).state is State.CLEAR


def test_a_log_likelihood_spikes_down(judge):
    finding = judge("TR107", {"train_log_likelihood": [-one for one in spiked(200, height=2.0)]}).findings[0]
    assert "drops once" in finding.message


def test_low_spikes_are_clear_and_counted(judge):
    outcome = judge("TR107", {"train_loss": spiked(100, 200, height=0.2)})
    assert outcome.state is State.CLEAR
    assert outcome.reason.startswith("2 spikes in training loss, the highest ")
    plan = "[thresholds]\nTR107.height = 0.02\n"
    assert judge("TR107", {"train_loss": spiked(100, 200, height=0.2)}, plan=plan).state is State.FOUND


def test_none_in_a_plain_fall_nor_in_held_out_data(judge):
    outcome = judge("TR107", {"train_loss": list(FALL), "val_loss": spiked(100, 200, 300)})
    assert outcome.reason == "no spike in 400 points of training loss"


def test_a_loss_near_zero(judge):
    values = np.geomspace(1.0, 1e-6, 300)
    values[250:253] = 0.5
    assert "from 1" in judge("TR107", {"train_loss": list(values)}).findings[0].message


def test_what_a_restart_made_void_does_not_count(judge):
    steps = [*range(250), *range(180, 400)]
    values = [*spiked(200, height=3.0)[:250], *FALL[180:]]
    assert judge("TR107", {"train_loss": (steps, values)}).state is State.CLEAR


def test_not_applicable(judge):
    learning_by_reward = judge("TR107", {"train_loss": spiked(100, 200, 300), "rollout/ep_rew_mean": list(FALL)})
    assert learning_by_reward.reason == "rewards were logged: in reinforcement learning the loss follows a target that moves"
    assert judge("TR107", {"train_loss": list(FALL[:61])}).reason == "training loss has 61 finite points; 62 are needed"
    assert judge("TR107", {"val_loss": list(FALL)}).reason == "no loss on training data was logged"
    assert judge("TR107", {"train_loss": [float("nan")] * 100}).state is State.NOT_APPLICABLE
    assert judge("TR107", {"train_loss": [1.0] * 100}).state is State.CLEAR
