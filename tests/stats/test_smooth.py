"""Smoothing and noise: values by hand and from a known generator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.stats.smooth import noise, noise_before, running_median, span, thin


def test_running_median_by_hand():
    values = np.array([5.0, 1.0, 9.0, 2.0, 7.0])
    # middle: medians of (5 1 9) (1 9 2) (9 2 7); ends: medians of two
    assert running_median(values, 3).tolist() == [3.0, 5.0, 2.0, 7.0, 4.5]


def test_running_median_of_five_has_no_single_points_at_its_ends():
    values = np.array([9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0])
    assert running_median(values, 5).tolist() == [2.0, 2.5, 3.0, 3.0, 3.0, 3.5, 4.0]


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 1.0]])
def test_short_series_are_their_own_median(values):
    assert running_median(np.array(values), 5).tolist() == values


def test_thin_keeps_short_series_and_takes_block_medians_of_long_ones():
    values = np.arange(7.0)
    assert thin(values, most=7)[0] is values
    short, other = thin(values, values * 10, most=3)
    assert short.tolist() == [1.0, 4.0, 6.0]
    assert other.tolist() == [10.0, 40.0, 60.0]


def test_noise_is_the_deviation_and_a_line_has_none():
    rng = np.random.default_rng(3)
    line = np.linspace(0.0, 40.0, 5000)
    assert noise(line) == pytest.approx(0.0, abs=1e-12)
    assert noise(line + rng.normal(0.0, 0.5, 5000)) == pytest.approx(0.5, rel=0.05)
    assert math.isnan(noise(line[:3]))


def test_span_leaves_one_outlier_out():
    assert span(np.array([1.0, 2.0, 3.0, 400.0, 5.0, 6.0])) < 10
    assert span(np.array([])) == 0.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=60), st.integers(3, 40))
def test_running_medians_are_those_of_each_window(numbers, window):
    values = np.array(numbers)
    half = min(window // 2, (len(values) - 1) // 2)
    expected = [np.median(values[max(0, at - half) : at + half + 1]) for at in range(len(values))]
    assert running_median(values, window).tolist() == pytest.approx(expected)


def test_noise_before_a_point_is_that_of_the_part():
    rng = np.random.default_rng(8)
    quiet, wild = rng.normal(0, 0.1, 400), rng.normal(0, 5.0, 400)
    assert noise_before(np.concatenate([quiet, wild]), 399) == pytest.approx(0.1, rel=0.2)
    assert noise_before(np.concatenate([wild, quiet]), 399) == noise(np.concatenate([wild, quiet]))
    assert noise_before(np.concatenate([quiet[:7], wild]), 6) == noise(np.concatenate([quiet[:7], wild]))
