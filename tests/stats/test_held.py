"""Samples that stand until the next one."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.stats.held import Stretch, durations, low_stretches, weighted_mean, weighted_quantile


def test_each_sample_stands_until_the_next_and_a_gap_is_not_known():
    times = np.array([0.0, 10.0, 20.0, 30.0, 1030.0, 1040.0])
    assert durations(times).tolist() == [10.0, 10.0, 10.0, 10.0, 10.0, 10.0]
    assert durations(np.array([0.0, 1.0, 4.0])).tolist() == [1.0, 3.0, 2.0]
    assert durations(np.array([5.0])).tolist() == [0.0]


def test_mean_weighs_by_time():
    assert weighted_mean(np.array([1.0, 0.0]), np.array([1.0, 3.0])) == 0.25
    assert weighted_mean(np.array([1.0, 0.0]), np.zeros(2)) == 0.5


def test_quantiles_weigh_by_time():
    values, weights = np.array([0.9, 0.1, 0.5]), np.array([1.0, 8.0, 1.0])
    assert weighted_quantile(values, weights, 0.5) == 0.1
    assert weighted_quantile(values, weights, 0.95) == 0.9
    assert weighted_quantile(values, np.zeros(3), 0.5) == pytest.approx(0.5)


def test_stretches_end_at_busy_samples_and_at_gaps():
    times = np.array([0.0, 10.0, 20.0, 30.0, 40.0, 5000.0, 5010.0])
    values = np.array([0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.9])
    found = low_stretches(values, durations(times), times, 0.02)
    assert found == [Stretch(0, 1, 20.0), Stretch(3, 4, 20.0), Stretch(5, 5, 10.0)]
    assert low_stretches(np.ones(7), durations(times), times, 0.02) == []
