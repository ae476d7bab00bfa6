"""Whether a series repeats itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.stats.periodic import autocorrelation, repeats


def test_autocorrelation_is_that_of_the_definition():
    values = np.random.default_rng(3).normal(size=200)
    centred = values - values.mean()
    expected = [float((centred[: 200 - lag] * centred[lag:]).sum() / (centred**2).sum()) for lag in range(21)]
    assert autocorrelation(values, 20) == pytest.approx(expected)
    assert np.isnan(autocorrelation(np.ones(50), 5)).all()


def test_a_rhythm_shows_at_its_period_only():
    wave = np.tile([0.9, 0.9, 0.9, 0.0, 0.0, 0.0], 100)
    assert repeats(wave, 6.0) == pytest.approx(1.0, abs=0.02)
    assert repeats(wave, 6.5) == pytest.approx(1.0, abs=0.02)  # within the tolerance
    assert repeats(wave, 4.0) < 0.3
    assert repeats(wave, 9.0) < 0.3


def test_a_drift_is_no_rhythm():
    assert repeats(np.linspace(0.0, 1.0, 400), 10.0) == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(("size", "lag"), [(40, 6.0), (400, 2.0)], ids=["fewer than eight periods", "too fast to be seen"])
def test_too_little_cannot_be_told(size, lag):
    assert math.isnan(repeats(np.random.default_rng(1).random(size), lag))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(3, 40))
def test_noise_has_no_rhythm(seed, lag):
    assert repeats(np.random.default_rng(seed).random(1000), lag) < 0.2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-100, 100))
def test_scale_and_level_do_not_matter(seed, scale, level):
    values = np.random.default_rng(seed).random(300) + np.tile([1.0, 0.0, 0.0], 100)
    assert repeats(values * scale + level, 3.0) == pytest.approx(repeats(values, 3.0), abs=1e-6)
