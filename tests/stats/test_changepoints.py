"""Schedules of a learning rate, from literal rates."""

from __future__ import annotations

import numpy as np

from trainreport.stats.changepoints import Step, schedule


def test_steps_of_a_piecewise_constant_rate():
    seen = schedule(np.repeat([0.1, 0.01, 0.001], [50, 30, 20]), 0.3)
    assert seen.steps == [Step(50, 0.1, 0.01), Step(80, 0.01, 0.001)]
    assert (seen.peak_at, seen.warm_up, seen.zero_from, seen.constant_from) == (0, False, None, 80)


def test_a_cosine_has_no_steps_and_ends_at_zero():
    seen = schedule(0.5 * (1 + np.cos(np.linspace(0, np.pi, 101))), 0.3)
    assert seen.steps == []
    assert seen.zero_from == 100


def test_a_warm_up_ends_at_the_first_highest_value():
    seen = schedule(np.concatenate([np.linspace(0.01, 0.1, 10), np.full(40, 0.1)]), 0.3)
    assert (seen.peak_at, seen.warm_up, seen.constant_from) == (9, True, 9)


def test_zero_to_the_end_and_zero_in_between():
    assert schedule(np.repeat([0.1, 0.0], [30, 20]), 0.3).zero_from == 30
    assert schedule(np.repeat([0.1, 0.0, 0.1], [30, 20, 5]), 0.3).zero_from is None


def test_a_rate_of_zero_throughout_and_a_constant_one():
    assert schedule(np.zeros(10), 0.3).zero_from == 0
    seen = schedule(np.full(10, 0.1), 0.3)
    assert (seen.steps, seen.constant_from, seen.warm_up) == ([], 0, False)


def test_a_drop_without_a_level_before_it_is_no_step():
    assert schedule(np.array([0.1, 0.09, 0.05, 0.02, 0.01, 0.01, 0.01, 0.01]), 0.3).steps == []
