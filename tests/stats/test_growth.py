"""Growth that does not stop, and growth that does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.stats.growth import growth

TIME = np.arange(1000.0)


def test_a_straight_line():
    found = growth(TIME, TIME / 1000, 0.1)
    assert found is not None
    assert found.total == pytest.approx(0.899, abs=0.01)
    assert found.slope == pytest.approx(0.001, rel=0.01)
    assert found.steadiness == pytest.approx(1.0, abs=0.02)
    assert found.drawdown == 0.0
    assert found.p < 1e-9
    assert found.last == pytest.approx(0.999, abs=0.002)  # at the end, not in the middle of the last tenth
    assert found.time_to(2.0) == pytest.approx((2.0 - 0.999) / 0.001, rel=0.01)


def test_a_logarithm_slows_down_to_half_an_even_third():
    found = growth(TIME, np.log(TIME + 1), 0.1)
    # medians of ten parts from 0.1 to 1 of the time: the last third grows by the logarithm of their ratio
    levels = np.log(0.1 + 0.9 * (np.arange(10) + 0.5) / 10)
    assert found.steadiness == pytest.approx((levels[9] - levels[6]) / ((levels[9] - levels[0]) / 3), abs=0.02)


def test_what_is_given_back_shows_as_a_fall():
    found = growth(TIME, 0.3 + 0.1 * (TIME % 100) / 100 + TIME / 5000, 0.0)
    assert found.drawdown < 0.2
    assert growth(TIME, np.where(TIME < 500, TIME / 500, TIME / 1000), 0.0).drawdown > 0.3


def test_no_growth_never_fills():
    assert growth(TIME, np.ones(1000), 0.1).time_to(2.0) == math.inf
    falling = growth(TIME, -TIME, 0.1)
    assert falling.p == 1.0
    assert falling.drawdown == math.inf


def test_too_little_is_nothing():
    assert growth(TIME[:12], TIME[:12], 0.2) is None
    assert growth(np.zeros(50), np.arange(50.0), 0.0) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 1000), st.floats(-1e6, 1e6))
def test_neither_the_unit_of_time_nor_its_origin_matters(seed, scale, shift):
    values = np.cumsum(np.random.default_rng(seed).normal(0.1, 1, 300))
    plain, moved = growth(TIME[:300], values, 0.1), growth(TIME[:300] * scale + shift, values, 0.1)
    assert moved.total == pytest.approx(plain.total, rel=1e-3, abs=1e-3)
    assert moved.p == pytest.approx(plain.p, rel=1e-6)
