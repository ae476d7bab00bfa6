"""Gauges sampled at different moments."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.stats.join import at_times, binned, common_edges, rates, usual_interval


def test_bins_are_as_wide_as_the_slowest_interval_over_the_time_that_all_cover():
    edges = common_edges([np.arange(0.0, 100.0, 1.0), np.arange(20.0, 200.0, 10.0)])
    assert edges is not None
    assert edges[0] == 20.0
    assert edges[-1] == 99.0
    assert len(edges) == 8  # 79 s in bins of 10 s at least
    assert common_edges([np.array([0.0, 1.0]), np.array([5.0, 6.0])]) is None
    assert common_edges([np.array([3.0, 3.0]), np.array([3.0, 3.0])]) is None


def test_a_bin_holds_the_mean_or_the_value_before():
    edges = np.array([0.0, 10.0, 20.0, 30.0, 40.0, 50.0])
    found = binned(np.array([1.0, 9.0, 11.0, 33.0, 50.0]), np.array([1.0, 3.0, 5.0, 7.0, 9.0]), edges)
    assert found.tolist() == [2.0, 5.0, 5.0, 7.0, 9.0]
    late = binned(np.array([1.0, 2.0, 3.0, 49.0]), np.array([1.0, 1.0, 1.0, 9.0]), edges)
    assert late[0] == 1.0
    assert np.isnan(late[1:4]).all()  # of a sampler each second, ten seconds ago is too old


def test_a_value_holds_until_it_is_too_old():
    found = at_times(np.array([0.0, 10.0, 20.0]), np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.0, 9.0, 10.0, 44.0, 46.0]))
    np.testing.assert_array_equal(found, [np.nan, 1.0, 1.0, 2.0, 3.0, np.nan])


def test_rates_of_a_counter_leave_a_new_start_out():
    moments, found = rates(np.array([0.0, 10.0, 20.0, 20.0, 30.0]), np.array([0.0, 50.0, 10.0, 10.0, 40.0]))
    assert moments.tolist() == [5.0, 25.0]
    assert found.tolist() == [5.0, 3.0]


def test_the_usual_interval_is_the_median_of_those_that_rise():
    assert usual_interval(np.array([0.0, 0.0, 1.0, 3.0, 5.0])) == 2.0
    assert usual_interval(np.array([1.0, 1.0])) == 0.0


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 100), st.floats(-1e6, 1e6))
def test_neither_the_unit_of_time_nor_its_origin_matters(seed, scale, shift):
    rng = np.random.default_rng(seed)
    times, values = np.sort(rng.uniform(0, 1000, 60)).round(1), rng.random(60)
    edges = common_edges([times])
    plain = binned(times, values, edges)
    moved = binned(times * scale + shift, values, edges * scale + shift)
    assert np.mean(np.isclose(plain, moved, equal_nan=True)) > 0.9  # a sample on an edge may fall to either side
