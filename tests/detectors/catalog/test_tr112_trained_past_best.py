"""TR112: what came after the best checkpoint."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.model.finding import State

PAST = [*np.linspace(2.0, 0.5, 41), *np.linspace(0.5, 0.9, 61)[1:]]


def test_the_best_stands_at_forty_of_hundred(judge):
    finding = judge("TR112", {"val_loss": (range(0, 1010, 10), PAST)}, gpu_hours=5).findings[0]
    assert finding.message == "The best validation loss (0.5) stands at step 400; the 60 % of the run after it gained nothing."
    assert finding.evidence[0].value == pytest.approx(0.6)
    assert (finding.waste.steps, finding.waste.gpu_s) == (600, pytest.approx(0.6 * 18_000))


def test_a_run_that_ends_near_its_best_is_clear(judge):
    outcome = judge("TR112", {"val_loss": list(np.linspace(2.0, 1.0, 100))})
    assert outcome.state is State.CLEAR
    assert judge("TR112", {"val_loss": [*np.linspace(2.0, 1.0, 90), *[1.01] * 10]}).state is State.CLEAR


def test_a_lucky_value_early_on_is_not_the_best(judge):
    curve = list(np.linspace(2.0, 1.0, 100))
    curve[20] = 0.9
    assert judge("TR112", {"val_loss": curve}).state is State.CLEAR


def test_the_criterion_chooses_the_curve(judge, target):
    curves = {"val_loss": list(np.linspace(2.0, 1.0, 101)), "val_accuracy": [-one for one in PAST]}
    assert judge("TR112", curves).state is State.CLEAR
    assert judge("TR112", curves, plan=target(0.9, "as logged")).state is State.FOUND


def test_time_counts_where_steps_do_not(judge):
    finding = judge("TR112", {"val_loss": PAST}).findings[0]
    assert finding.waste.share_of_run == pytest.approx(0.6)


def test_too_little(judge):
    assert judge("TR112", {"train_loss": PAST}).state is State.NOT_APPLICABLE
    assert judge("TR112", {"val_loss": PAST[:9]}).state is State.NOT_APPLICABLE
    assert judge("TR112", {"val_loss": [math.nan] * 90 + PAST[:9]}).state is State.NOT_APPLICABLE


def test_a_single_lucky_value_is_named_as_such(judge):
    curve = list(np.linspace(2.0, 1.0, 100))
    curve[20] = 0.9
    assert "a single value" in judge("TR112", {"val_loss": curve}).reason


EARLY = {"train_loss": (range(10, 1210, 10), list(np.geomspace(0.7, 0.001, 120))), "val_accuracy": (range(30, 1230, 30), [1.0] * 40)}


def test_the_run_begins_before_its_first_evaluation(judge):
    finding = judge("TR112", EARLY, gpu_hours=4).findings[0]
    assert finding.message == "The best validation accuracy (100 %) stands at step 30; the 98 % of the run after it gained nothing."
    assert finding.evidence[0].value == pytest.approx(0.975)
    assert (finding.waste.steps, finding.waste.gpu_s) == (1170, pytest.approx(0.975 * 4 * 3600))


def test_a_run_that_was_taken_up_again_begins_there(judge):
    later = {name: ([10_000 + one for one in at], values) for name, (at, values) in EARLY.items()}
    assert judge("TR112", later).findings[0].evidence[0].value == pytest.approx(0.975)


def test_nothing_learned_has_no_best(judge, target):
    rng = np.random.default_rng(3)
    curves = {"train_loss": list(0.693 + rng.normal(0, 0.002, 60)), "val_accuracy": list(0.5 + rng.normal(0, 0.012, 60))}
    outcome = judge("TR112", curves, plan=target(0.75, more="chance = 0.5\n"))
    assert outcome.state is State.CLEAR
    assert "was never clear of guessing" in outcome.reason
    assert "nothing had been learned" in judge("TR112", curves).reason
