"""Spikes: found where they were put, whatever the scale, and not in smooth curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import median_filter, minimum_filter, percentile_filter

from trainreport.stats.spikes import spikes, standing

STEEP = np.geomspace(8.0, 0.5, 400)


def noisy(seed, size=1000):
    return 2.0 + np.random.default_rng(seed).normal(0, 0.05, size)


def with_spikes(values, height, *places, width=3):
    values = values.copy()
    for place in places:
        values[place : place + width] += height
    return values


def test_the_level_and_the_scale_are_those_of_scipy():
    values = noisy(3, 700)
    seen = standing(values)
    level = median_filter(values, 31, mode="mirror")
    level[:15] = np.maximum(level[:15], values[:15])
    np.testing.assert_allclose(seen.level, level)
    scale = percentile_filter(np.abs(values - level), 90, size=201, mode="mirror") / 1.645
    own = (values - level) / scale
    parts = [median_filter(own, 3), 1.7 * minimum_filter(own, 3), own / 5]
    np.testing.assert_allclose(seen.score[1:-1], np.max(parts, axis=0)[1:-1])


def test_spikes_are_found_with_place_and_height():
    found = spikes(with_spikes(noisy(1), 1.0, 200, 600), 3.3)
    assert [(one.first, one.last) for one in found] == [(200, 202), (600, 602)]
    assert all(one.height == pytest.approx(1.0, abs=0.15) and one.back for one in found)


def test_a_point_alone_must_stand_five_times_as_high():
    assert not spikes(with_spikes(noisy(1), 0.5, 500, width=1), 3.3)
    assert [one.top for one in spikes(with_spikes(noisy(1), 1.5, 500, width=1), 3.3)] == [500]


def test_a_long_spike_is_one_and_not_counted_twice():
    (found,) = spikes(with_spikes(noisy(2, 4000), 1.0, 1600, width=80), 3.3)
    assert 1590 <= found.first <= 1600
    assert 1679 <= found.last <= 1690


def test_a_series_that_ends_in_a_spike_says_so():
    (found,) = spikes(with_spikes(noisy(1), 1.0, 996, width=4), 3.3)
    assert not found.back


@pytest.mark.parametrize("values", [STEEP, np.full(300, 0.7), np.repeat([3.0, 2.0], 200), noisy(4)], ids=["fall", "flat", "step", "noise"])
def test_nothing_in_smooth_series_and_plain_noise(values):
    assert not spikes(values, 3.3)


def test_too_short_for_a_level():
    assert not spikes(with_spikes(np.full(61, 1.0), 9.0, 30), 3.3)


def test_long_series_are_interpolated_between_places():
    values = with_spikes(noisy(5, 90_000), 1.0, 30_000, 70_000)
    assert {30_000, 70_000} <= {one.first for one in spikes(values, 3.3)}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1e-6, 0.5, 1e9]), st.sampled_from([-100.0, 0.0, 3.0]))
def test_scale_and_offset_change_nothing(seed, scale, offset):
    values = with_spikes(noisy(seed, 300), 0.6, 150)
    plain = spikes(values, 3.3)
    moved = spikes((values + offset) * scale, 3.3)
    assert [(one.first, one.last) for one in moved] == [(one.first, one.last) for one in plain]
