"""Lasting changes of level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.stats.levels import lasting_shift


def test_a_clean_step():
    shift = lasting_shift(np.array([2.0] * 30 + [3.0] * 20))
    assert shift.at == 30
    assert (shift.before, shift.after, shift.last) == (2.0, 3.0, 3.0)
    assert shift.relative == pytest.approx(0.5)
    assert shift.sigmas == math.inf


def test_the_split_leaves_the_least_squares():
    rng = np.random.default_rng(3)
    values = np.r_[rng.normal(10, 1, 37), rng.normal(14, 1, 63)]
    by_hand = min(range(5, 96), key=lambda at: values[:at].var() * at + values[at:].var() * (100 - at))
    assert lasting_shift(values).at == by_hand


def test_a_level_that_was_left_again_shows_in_the_last_tenth():
    shift = lasting_shift(np.array([2.0] * 60 + [3.0] * 60 + [2.0] * 20))
    assert shift.after == 3.0
    assert shift.last == 2.0


def test_single_outliers_make_no_level():
    rng = np.random.default_rng(5)
    values = rng.normal(10, 0.1, 200)
    values[[150, 160, 170]] = 500.0
    assert abs(lasting_shift(values).relative) < 0.01


@pytest.mark.parametrize("count", [0, 1, 9])
def test_too_few_points_tell_nothing(count):
    shift = lasting_shift(np.ones(count))
    assert shift.at == 0
    assert math.isnan(shift.sigmas)


def test_a_constant_has_no_shift():
    shift = lasting_shift(np.full(50, 4.0))
    assert (shift.relative, shift.sigmas) == (0.0, 0.0)


def test_long_series_give_positions_in_the_whole():
    values = np.r_[np.full(30_000, 1.0), np.full(20_000, 1.2)]
    assert lasting_shift(values).at == pytest.approx(30_000, abs=130)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100))
def test_the_unit_does_not_matter(seed, scale):
    values = np.random.default_rng(seed).lognormal(0, 0.2, 80)
    one, other = lasting_shift(values), lasting_shift(values * scale)
    assert one.at == other.at
    assert other.relative == pytest.approx(one.relative)
    assert other.sigmas == pytest.approx(one.sigmas)
