"""TR101 on curves whose answer is plain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import Confidence, State


def v_shape(start, best, end, *, turn=40, points=101):
    """A curve that goes to its best and part of the way back."""
    return [*np.linspace(start, best, turn + 1), *np.linspace(best, end, points - turn)[1:]]


def falling(start, end, points=101):
    return list(np.geomspace(start, end, points))


STEPS = range(0, 10_100, 100)


def test_the_exam_case_is_found_and_told_in_words(judge):
    curves = {
        "train_accuracy": (STEPS, list(np.linspace(0.5, 0.98, 101))),
        "val_accuracy": (STEPS, v_shape(0.5, 0.85, 0.78)),
    }
    outcome = judge("TR101", curves, gpu_hours=10.0)
    (finding,) = outcome.findings
    assert finding.message == "Validation accuracy fell from 85 % at step 4,000 to 78 % while training accuracy went on rising to 98 %."
    assert (finding.series, finding.phase) == ("accuracy", "validation")
    assert finding.confidence is Confidence.HIGH
    assert finding.waste.steps == 6000
    assert finding.waste.share_of_run == pytest.approx(0.6)
    assert finding.waste.gpu_s == pytest.approx(0.6 * 36_000)
    rise = finding.evidence[0]
    assert rise.value == pytest.approx(0.07, abs=0.01)
    assert rise.low <= rise.value <= rise.high
    assert (rise.from_step, rise.to_step, rise.n) == (4000, 10_000, 101)
    assert set(finding.thresholds) == {"relative_rise", "drop", "lost_gain", "sigmas", "evaluations"}


def test_percent_is_the_same_as_share(judge):
    share = {"train_accuracy": list(np.linspace(0.5, 0.98, 101)), "val_accuracy": v_shape(0.5, 0.85, 0.78)}
    percent = {name: [100 * value for value in values] for name, values in share.items()}
    assert judge("TR101", percent).findings[0].message == judge("TR101", share).findings[0].message


def test_a_loss_alone_is_found(judge):
    finding = judge("TR101", {"train_loss": falling(2.0, 0.05), "val_loss": v_shape(2.0, 0.8, 1.6)}).findings[0]
    assert finding.message == "Validation loss rose from 0.8 at step 40 to 1.57 while training loss went on falling to 0.0519."
    assert finding.series == "loss"


def test_a_healthy_run_is_clear(judge):
    curves = {"train_loss": falling(2.0, 0.05), "val_loss": falling(2.1, 0.4), "val_accuracy": list(np.linspace(0.1, 0.9, 101))}
    outcome = judge("TR101", curves)
    assert outcome.state is State.CLEAR
    assert "validation loss ended at" in outcome.reason


def test_a_loss_that_rises_while_accuracy_holds_is_left_to_tr115(judge):
    curves = {"train_loss": falling(2.0, 0.05), "val_loss": v_shape(2.0, 0.8, 1.6), "val_accuracy": list(np.linspace(0.5, 0.9, 101))}
    outcome = judge("TR101", curves)
    assert outcome.state is State.CLEAR
    assert "TR115" in outcome.reason
    loss_is_wanted = '[[criteria]]\nid = "loss"\nseries = "loss"\nthreshold = 0.5\ncomparator = "<="\n'
    assert judge("TR101", curves, plan=loss_is_wanted).state is State.FOUND


def test_recall_that_falls_for_precision_is_no_overfitting(judge):
    curves = {
        "train_loss": falling(2.0, 0.05),
        "val_recall": v_shape(0.5, 0.9, 0.8),
        "val_precision": list(np.linspace(0.4, 0.9, 101)),
        "val_f1": list(np.linspace(0.4, 0.87, 101)),
    }
    assert judge("TR101", curves).state is State.CLEAR


def test_a_run_that_broke_is_not_overfitting(judge):
    outcome = judge("TR101", {"train_loss": v_shape(2.0, 0.8, 1.6), "val_loss": v_shape(2.0, 0.8, 1.6)})
    assert outcome.state is State.CLEAR
    assert "training did too" in outcome.reason


def test_without_a_training_curve_confidence_is_low_and_it_is_said(judge):
    finding = judge("TR101", {"val_loss": v_shape(2.0, 0.8, 1.6)}).findings[0]
    assert finding.confidence is Confidence.LOW
    assert "no training curve" in finding.message


def test_noise_is_not_overfitting(judge):
    rng = np.random.default_rng(0)
    noisy = [1.0 + one for one in rng.normal(0, 0.1, 101)]
    assert judge("TR101", {"train_loss": falling(2.0, 0.05), "val_loss": noisy}).state is State.CLEAR


def test_a_rise_from_near_zero_that_is_small_against_the_gain_is_clear(judge):
    # 0.001 -> 0.01 is a tenfold rise, but 0.2 % of what was gained
    outcome = judge("TR101", {"train_loss": falling(5.0, 0.0001), "val_loss": v_shape(5.0, 0.001, 0.01)})
    assert outcome.state is State.CLEAR


def test_a_negative_loss_is_judged_by_its_gain(judge):
    curves = {"train_loss": list(np.linspace(1.0, -9.0, 101)), "val_loss": v_shape(1.0, -5.0, -3.0)}
    assert judge("TR101", curves).state is State.FOUND


@pytest.mark.parametrize("curves", [{"train_loss": falling(2.0, 0.1)}, {"train_loss": falling(2.0, 0.1), "val_loss": [1.0, 0.9, 2.0]}])
def test_too_little_is_not_applicable(judge, curves):
    assert judge("TR101", curves).state is State.NOT_APPLICABLE


def test_values_that_are_not_numbers_are_set_aside(judge):
    held = v_shape(2.0, 0.8, 1.6)
    held[3], held[70] = math.nan, math.inf
    assert judge("TR101", {"train_loss": falling(2.0, 0.05), "val_loss": held}).state is State.FOUND
    assert judge("TR101", {"train_loss": falling(2.0, 0.05), "val_loss": [math.nan] * 50}).state is State.NOT_APPLICABLE


def test_training_is_matched_by_time_where_steps_count_other_things(judge):
    # training falls early, and rises after the turn of validation: matched by position it would look like a fall
    batches = (range(1000), [*np.linspace(2.0, 0.5, 400), *np.linspace(0.5, 3.0, 600)])
    epochs = (range(0, 1000, 50), [*np.linspace(2.0, 0.8, 8), *np.linspace(0.85, 1.6, 12)])
    assert judge("TR101", {"train_loss": batches, "val_loss": epochs}).state is State.CLEAR


def test_a_changed_limit_is_shown_as_changed(judge):
    curves = {"train_loss": falling(2.0, 0.05), "val_loss": v_shape(2.0, 0.8, 1.6)}
    finding = judge("TR101", curves, plan="[thresholds]\nTR101.relative_rise = 0.5\n").findings[0]
    assert finding.thresholds["relative_rise"].changed
    assert not finding.thresholds["sigmas"].changed
    assert judge("TR101", curves, plan="[thresholds]\nTR101.relative_rise = 1.5\n").state is State.CLEAR


def test_a_training_curve_that_explodes_is_no_overfitting(judge):
    broke = [*np.geomspace(2.0, 0.3, 60), *np.geomspace(0.3, 1e30, 41)]
    assert judge("TR101", {"train_loss": broke, "val_loss": broke}).state is State.CLEAR


def test_several_series_that_agree_raise_confidence(judge):
    # a fall of 3 points, just past the limits: alone of medium confidence, with the loss of high
    curves = {"train_loss": falling(2.0, 0.05), "val_accuracy": v_shape(0.3, 0.80, 0.77)}
    assert judge("TR101", curves).findings[0].confidence is Confidence.MEDIUM
    agreed = judge("TR101", {**curves, "val_loss": v_shape(2.0, 0.8, 1.2)}).findings[0]
    assert agreed.confidence is Confidence.HIGH
    assert len(agreed.evidence) == 4
    assert agreed.series == "accuracy"


GUESSING = {  # one class said for all, then another; the loss of ten classes stays at ln 10
    "train_loss": (range(10, 1210, 10), [2.3026 + 0.004 * (-1) ** at for at in range(120)]),
    "train_accuracy": (range(10, 1210, 10), list(np.linspace(0.08, 0.11, 120))),
    "val_loss": (range(40, 1240, 40), list(np.linspace(2.305, 2.308, 30))),
    "val_accuracy": (range(40, 1240, 40), [0.1117] * 7 + [0.0778] * 23),
}


@pytest.mark.parametrize("of", ["accuracy", "val_accuracy"])
def test_what_never_stood_clear_of_guessing_cannot_be_lost(judge, target, of):
    plan = target(0.97, more="chance = 0.10\n").replace('series = "accuracy"', f'series = "{of}"')
    outcome = judge("TR101", GUESSING, plan=plan)
    assert outcome.state is State.CLEAR
    assert outcome.reason == (
        "validation accuracy was never clear of guessing: 11 % at its smoothed best, guessing gives 10 %; nothing had been learned"
    )
    percent = {name: (at, [100 * one for one in values]) if "accuracy" in name else (at, values) for name, (at, values) in GUESSING.items()}
    assert judge("TR101", percent, plan=plan).reason == outcome.reason


def test_without_the_level_of_guessing_a_share_must_have_gained(judge):
    outcome = judge("TR101", GUESSING)
    assert outcome.state is State.CLEAR
    assert "nothing had been learned" in outcome.reason


def test_a_loss_must_have_fallen_before_it_rises(judge):
    # the training loss stands still, so nothing was learned before the first evaluation either
    rising = {"train_loss": [0.693] * 101, "val_loss": list(np.linspace(0.693, 0.80, 101))}
    assert judge("TR101", rising).state is State.CLEAR
    fine_tuned = {"train_loss": falling(0.693, 0.05), "val_loss": list(np.linspace(0.40, 0.80, 101))}
    assert judge("TR101", fine_tuned).state is State.FOUND  # best at its first evaluation: learned before that


def test_little_is_much_where_guessing_gives_next_to_nothing(judge, target):
    curves = {"train_loss": falling(6.9, 1.0), "val_accuracy": v_shape(0.001, 0.045, 0.010)}
    assert judge("TR101", curves, plan=target(0.7, more="chance = 0.001\n")).state is State.FOUND
    assert judge("TR101", curves, plan=target(0.7, more="chance = 0.03\n")).state is State.CLEAR
