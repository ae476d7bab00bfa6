"""Where a curve stands: numbers without a unit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trainreport.stats.progress import FEATURES, progress

USED = np.array([0.1, 0.2, 0.3, 0.4])
SCORE = np.array([0.0, 0.5, 0.75, 1.0])


def feature(name, used=USED, score=SCORE, target=2.0):
    return progress(used, score, target).features[FEATURES.index(name)]


def test_a_rising_curve_by_hand():
    assert feature("used") == pytest.approx(math.log(0.4 / 0.6))
    assert feature("evaluations") == pytest.approx(math.log(4))
    assert feature("since_best") == 0.0
    assert feature("gain") == pytest.approx(math.log(1.0 + 1e-3))  # 0 to 1, range 1
    assert feature("gain_half") == pytest.approx(math.log(0.5 + 1e-5))  # 0.5 at half of the time, 1 now
    assert feature("gain_quarter") == pytest.approx(math.log(0.5 + 1e-5))
    assert feature("trend_up") == pytest.approx(math.log(2.5 * 0.6 + 1e-5))  # 0.25 in 0.1 of the budget; 0.6 is left
    assert feature("distance") == pytest.approx(math.log(1.0 + 1e-4))
    assert feature("beyond") == pytest.approx(math.log(1e-3))


def test_a_curve_that_came_back_has_lost_what_it_had():
    used, score = np.linspace(0.1, 0.5, 5), np.array([0.0, 1.0, 0.6, 0.5, 0.4])
    standing = progress(used, score, 2.0)
    assert (standing.best, standing.last) == (1.0, 0.4)
    assert feature("since_best", used, score) == pytest.approx(0.6)
    assert feature("lost", used, score) == pytest.approx(math.log(0.5 + 1e-5))  # median of the last three is 0.5
    assert feature("lost_last", used, score) == pytest.approx(math.log(0.6 + 1e-5))
    assert feature("trend_down", used, score) > feature("trend_up", used, score)


@given(
    st.lists(st.integers(-50, 50), min_size=4, max_size=40),
    st.sampled_from([0.5, 4.0, 1024.0]),
    st.integers(-100, 100),
    st.integers(-60, 60),
)
def test_the_unit_of_the_values_does_not_enter(score, factor, shift, target):
    score = np.array(score, dtype=float)
    assume(np.ptp(score) > 0)
    used = np.linspace(0.05, 0.6, len(score))
    plain, moved = progress(used, score, target), progress(used, factor * score + shift, factor * target + shift)
    assert moved.features == pytest.approx(plain.features, abs=1e-6)
    assert moved.scale == pytest.approx(factor * plain.scale)
