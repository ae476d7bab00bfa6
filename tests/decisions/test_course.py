"""What a run took up to its marks, by hand: a hundred steps in an hour, 10 EUR in all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judged import PLAN, RISING, judged


def test_to_the_best_checkpoint_and_to_convergence():
    course = judged(RISING).course
    assert (course.to_best.cost.plain(), course.to_best.gpu_hours, course.to_best.wall_s) == ("4.00", pytest.approx(0.8), 1440)
    assert course.to_convergence == course.to_best
    assert course.at_completion is None
    assert course.why["at_completion"] == "the run is done"


def test_convergence_comes_before_a_last_gain_of_less_than_a_hundredth():
    course = judged([0.5, 0.7, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.903]).course
    assert course.to_convergence.cost.plain() == "2.00"
    assert course.to_best.cost.plain() == "10.00"


def test_a_run_that_gained_nothing_has_not_converged():
    course = judged([0.9, *RISING[:4], *RISING[:4], 0.5, 0.5]).course
    assert course.to_convergence is None
    assert "gained nothing" in course.why["to_convergence"]


def test_at_completion_of_a_run_that_is_half_done():
    course = judged(RISING, PLAN + "steps = 200\n", status="running").course
    assert course.at_completion.mid.cost.plain() == "20.00"
    assert course.at_completion.low.cost.amount <= course.at_completion.mid.cost.amount <= course.at_completion.high.cost.amount


def test_without_a_price_the_hours_stand():
    course = judged(RISING, "[training]\ngpus = 2\n").course
    assert replace(course.to_best, wall_s=None, gpu_hours=None) == replace(course.to_best, wall_s=None, gpu_hours=None, cost=None)
    assert course.to_best.gpu_hours == pytest.approx(0.8)
