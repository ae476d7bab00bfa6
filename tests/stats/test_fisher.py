"""Oscillation: period, amplitude and chance of a swing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import periodogram

from trainreport.stats.fisher import oscillation


def wave(size, period, height=1.0):
    return height / 2 * np.sin(2 * np.pi * np.arange(size) / period)


@pytest.mark.parametrize(("size", "period"), [(100, 2.0), (100, 4.0), (160, 6.4), (1000, 12.5), (1200, 50.0), (20_000, 300.0)])
def test_a_pure_wave_has_its_period_and_its_height(size, period):
    values = np.cos(2 * np.pi * np.arange(size) / period)
    seen = oscillation(values)
    assert seen.period == pytest.approx(period, rel=0.06)
    assert seen.share > 0.85
    assert seen.amplitude == pytest.approx(1.0, abs=0.3)
    assert seen.p < 1e-6


def test_height_is_a_share_of_the_range_of_the_whole_curve():
    fall = np.geomspace(10.0, 1.0, 200)
    seen = oscillation(fall + wave(200, 5, 0.9))
    assert seen.amplitude == pytest.approx(0.1, abs=0.02)
    assert seen.period == pytest.approx(5.0, rel=0.03)
    assert seen.first == 40


def test_fishers_share_is_that_of_the_periodogram():
    rng = np.random.default_rng(8)
    values = rng.normal(0, 1, 125)
    kept = values[25:]
    turned = np.concatenate([2 * kept[0] - kept[7:0:-1], kept, 2 * kept[-1] - kept[-2:-9:-1]])
    rest = kept - [np.median(turned[at : at + 15]) for at in range(100)]
    deviation = 1.4826 * np.median(np.abs(rest))
    rest = np.clip(rest, -3 * deviation, 3 * deviation)
    frequency, power = periodogram(rest, scaling="spectrum")
    band = power[frequency >= 1 / 15]
    peak = int(np.argmax(band))
    seen = oscillation(values)
    assert seen.period == pytest.approx(1 / frequency[frequency >= 1 / 15][peak])
    assert seen.share == pytest.approx(band[max(0, peak - 1) : peak + 2].sum() / band.sum())
    assert seen.p == pytest.approx(min(1.0, len(band) * (1 - band[peak] / band.sum()) ** (len(band) - 1)))


def test_white_noise_is_seldom_taken_for_a_swing():
    rng = np.random.default_rng(1)
    small = [oscillation(rng.normal(0, 1, 150)).p < 0.001 for _ in range(400)]
    assert np.mean(small) < 0.01


def test_a_single_spike_is_no_swing():
    values = np.geomspace(3.0, 1.0, 200) + np.random.default_rng(2).normal(0, 0.005, 200)
    values[150] += 2.0
    seen = oscillation(values)
    assert seen.p > 0.5
    assert seen.share < 0.1


@pytest.mark.parametrize("values", [np.full(100, 2.0), np.linspace(3, 1, 100), np.ones(5)], ids=["flat", "line", "short"])
def test_nothing_swings(values):
    seen = oscillation(values)
    assert seen.amplitude < 0.005
    assert not math.isnan(seen.score)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1e-6, 0.5, -3.0, 1e8]), st.sampled_from([0.0, 40.0]))
def test_scale_and_offset_change_nothing(seed, scale, offset):
    values = np.random.default_rng(seed).normal(0, 1, 120) + wave(120, 7)
    plain, moved = oscillation(values), oscillation((values + offset) * scale)
    assert moved.share == pytest.approx(plain.share, rel=1e-4)
    assert moved.amplitude == pytest.approx(plain.amplitude, rel=1e-4)
    assert 0 <= plain.share <= 1
    assert 0 <= plain.amplitude <= 1
