"""Theil-Sen and Mann-Kendall against scipy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trainreport.stats.trend import mann_kendall, theil_sen

SERIES = st.lists(st.integers(-50, 50).map(float), min_size=4, max_size=40)


def test_theil_sen_by_hand():
    # slopes: 1, 1, 3, 1, 4, 7 -> median 2
    found = theil_sen(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 9.0]))
    assert found.slope == 2.0
    assert found.change == 6.0
    assert found.n == 4


@given(SERIES)
def test_theil_sen_is_scipys(values):
    x, y = np.arange(len(values)) * 2.0, np.array(values)
    assert theil_sen(x, y).slope == pytest.approx(stats.theilslopes(y, x).slope)


def test_sens_interval_is_scipys_within_one_rank():
    rng = np.random.default_rng(5)
    x = np.arange(60.0)
    y = 0.3 * x + rng.normal(0, 2, 60)
    mine, other = theil_sen(x, y), stats.theilslopes(y, x, alpha=0.95)
    assert mine.low == pytest.approx(other.low_slope, abs=0.002)
    assert mine.high == pytest.approx(other.high_slope, abs=0.002)
    assert mine.low < 0.3 < mine.high


def test_no_extent_is_nan():
    assert math.isnan(theil_sen(np.ones(5), np.arange(5.0)).slope)


@given(SERIES)
def test_tau_without_ties_is_scipys(values):
    y = np.array(values) + np.arange(len(values)) * 1e-4  # no ties
    assert mann_kendall(y).tau == pytest.approx(stats.kendalltau(np.arange(len(y)), y).statistic)


def test_mann_kendall_by_hand():
    # 10 rising values: S = 45, var = 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125)
    found = mann_kendall(np.arange(10.0))
    assert found.tau == 1.0
    assert found.p == pytest.approx(2 * stats.norm.sf(44 / math.sqrt(125)))


def test_ties_enter_the_variance_and_a_constant_has_no_trend():
    # S = 5 of 6 pairs, one tie of two: var = (4*3*13 - 2*1*9) / 18
    found = mann_kendall(np.array([1.0, 2.0, 2.0, 3.0]))
    assert found.p == pytest.approx(2 * stats.norm.sf(4 / math.sqrt((156 - 18) / 18)))
    assert mann_kendall(np.ones(20)).p == 1.0
    assert math.isnan(mann_kendall(np.ones(2)).p)


def test_a_million_points_are_thinned():
    y = np.linspace(0.0, 1.0, 1_000_000)
    assert theil_sen(np.arange(1_000_000.0), y).change == pytest.approx(1.0, rel=0.01)
    assert mann_kendall(y).tau == 1.0
