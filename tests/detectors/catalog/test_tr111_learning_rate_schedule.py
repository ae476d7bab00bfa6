"""TR111: what the learning rate did, and what the loss did with it."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, State

RNG = np.random.default_rng(6)
FALL = list(np.geomspace(2.0, 0.5, 200) + RNG.normal(0, 0.005, 200))
STANDS = [*np.linspace(2.0, 1.0, 60), *(1.0 + RNG.normal(0, 0.005, 140))]
PLAN = "[training]\nsteps = {}\n"


def test_zero_for_a_good_part_of_the_run(judge):
    rate = [*np.linspace(0.1, 0.0, 121), *[0.0] * 79]
    finding = judge("TR111", {"train_loss": FALL, "lr": rate}, gpu_hours=2).findings[0]
    assert finding.message == "The learning rate is zero from step 120 on, for 40 % of the run."
    assert finding.confidence is Confidence.HIGH
    assert finding.waste.steps == 79


def test_zero_with_planned_steps_to_go(judge):
    rate = list(np.linspace(0.1, 0.0, 200))
    finding = judge("TR111", {"train_loss": FALL, "lr": rate}, plan=PLAN.format(400)).findings[0]
    assert finding.message == "The learning rate is zero from step 199 on, with 201 of 400 planned steps to go."


@pytest.mark.parametrize("plan", ["", PLAN.format(200)])
def test_zero_at_the_very_end_is_clear(judge, plan):
    outcome = judge("TR111", {"train_loss": FALL, "lr": list(np.linspace(0.1, 0.0, 200))}, plan=plan)
    assert outcome.state is State.CLEAR
    assert outcome.reason == "the learning rate reached 0.1 and ended at 0"


def test_zero_throughout(judge):
    assert judge("TR111", {"lr": [0.0] * 50}).findings[0].message == "The learning rate is zero from the first point to the last."


def test_a_jump_at_the_end_of_the_warm_up(judge):
    rate = [*np.linspace(0.001, 0.1, 20), *[0.1] * 180]
    jumps = [*np.linspace(3.0, 2.0, 18), *np.linspace(2.2, 2.9, 7), *np.linspace(2.9, 0.8, 175)]
    finding = judge("TR111", {"train_loss": jumps, "lr": rate}).findings[0]
    assert finding.message.startswith("Training loss rose from 2.0")
    assert "around the end of the warm-up, at step 19: it is too short" in finding.message
    assert judge("TR111", {"train_loss": list(np.linspace(3.0, 0.8, 200)), "lr": rate}).state is State.CLEAR


def test_a_constant_rate_at_a_plateau(judge):
    finding = judge("TR111", {"train_loss": STANDS, "lr": [0.01] * 200}).findings[0]
    assert finding.message.startswith(
        "The learning rate stayed at 0.01 for the whole run, while training loss has not improved since step "
    )


def test_a_constant_rate_is_clear_while_the_loss_falls_or_never_did(judge):
    assert judge("TR111", {"train_loss": FALL, "lr": [0.01] * 200}).state is State.CLEAR
    assert judge("TR111", {"train_loss": list(0.69 + RNG.normal(0, 0.005, 200)), "lr": [0.01] * 200}).state is State.CLEAR


def test_a_plateau_at_the_target_is_clear(judge, target):
    curves = {"train_loss": STANDS, "lr": [0.01] * 200, "val_accuracy": [0.95] * 200}
    assert judge("TR111", curves, plan=target(0.9)).state is State.CLEAR
    assert judge("TR111", curves, plan=target(0.99)).state is State.FOUND


def test_steps_down_with_and_without_effect(judge):
    rate = list(np.repeat([0.1, 0.01, 0.001], [80, 60, 60]))
    helped = [*np.linspace(2.0, 1.5, 40), *[1.5] * 40, *np.linspace(1.2, 1.1, 60), *np.linspace(1.0, 0.9, 60)]
    assert judge("TR111", {"train_loss": helped, "lr": rate}).state is State.CLEAR
    not_last = [*helped[:140], *np.linspace(1.1, 1.099, 60)]
    finding = judge("TR111", {"train_loss": not_last, "lr": rate}).findings[0]
    assert finding.message == "The step of the learning rate from 0.01 to 0.001 at step 140 brought less than 1 % of the loss's range."


def test_rate_and_loss_of_different_cadence_are_matched_by_step(judge):
    rate = (range(0, 2000, 100), list(np.repeat([0.1, 0.01], 10)))
    loss = [*np.linspace(2.0, 1.5, 500), *[1.5] * 500, *np.linspace(1.2, 1.1, 1000)]
    assert judge("TR111", {"train_loss": loss, "lr": rate}).state is State.CLEAR
    stays = [*loss[:1000], *[1.5] * 1000]
    assert "at step 1,000 brought less" in judge("TR111", {"train_loss": stays, "lr": rate}).findings[0].message


def test_the_plan_moves_the_line(judge):
    rate = [*np.linspace(0.1, 0.0, 121), *[0.0] * 79]
    assert judge("TR111", {"train_loss": FALL, "lr": rate}, plan="[thresholds]\nTR111.idle = 0.5\n").state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR111", {"train_loss": FALL}).reason == "no learning rate was logged"
    assert judge("TR111", {"lr": [0.1] * 9}).reason == "the learning rate has 9 finite points; 10 are needed"
    assert judge("TR111", {"lr": [0.1] * 50}).reason == "the learning rate reached 0.1 and ended at 0.1; no loss to see its effect by"
