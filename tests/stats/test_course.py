"""Rise from the best, plateau and net gain: series whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trainreport.stats.gain import net_gain
from trainreport.stats.plateau import plateau
from trainreport.stats.rise import rise_from_minimum


def test_rise_of_a_v():
    values = np.concatenate([np.linspace(2.0, 1.0, 51), np.linspace(1.0, 1.5, 51)[1:]])
    found = rise_from_minimum(values)
    assert found.best_at == 50
    assert found.best == pytest.approx(1.0, abs=0.05)  # median of a tenth of the curve around the turn
    assert found.last == pytest.approx(1.48, abs=0.01)  # median of the last 5 points
    assert found.share_of_gain == pytest.approx(0.5 / 1.5, abs=0.03)
    assert found.sigmas == math.inf or found.sigmas > 1e6


def test_no_rise_where_the_best_is_the_end():
    found = rise_from_minimum(np.linspace(2.0, 1.0, 100))
    assert found.rise < 0.03
    assert found.share_of_gain < 0.03


def test_noise_alone_stays_below_four_standard_errors():
    rng = np.random.default_rng(11)
    sigmas = [rise_from_minimum(rng.normal(0.0, 1.0, 200)).sigmas for _ in range(200)]
    assert np.mean([one > 4 for one in sigmas]) < 0.05


def test_the_best_is_found_in_a_long_series_to_the_point():
    values = np.abs(np.arange(100_000.0) - 31_234)
    assert rise_from_minimum(values).best_at == 31_234


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_few_points_give_numbers(size):
    found = rise_from_minimum(np.arange(float(size)))
    assert found.n == size
    assert math.isfinite(found.rise)


def test_plateau_tells_flat_from_falling():
    x = np.arange(60.0)
    falling = plateau(x, 10 - 0.1 * x, 0.005)
    assert falling.gain == pytest.approx(2.0 / 5.9)  # 20 of 59 steps
    assert falling.trend == pytest.approx(1.9 / 5.9)
    assert not falling.flat(0.005)
    flat = plateau(x, np.maximum(3.0, 10 - 0.5 * x), 0.005)
    assert flat.gain == 0.0
    assert flat.since == 14
    assert flat.flat(0.005)


def test_a_lucky_value_does_not_hide_a_plateau():
    rng = np.random.default_rng(2)
    values = np.concatenate([np.linspace(10.0, 1.0, 30), 1 + rng.normal(0, 0.05, 60)])
    values[-4] = values.min() - 0.3
    found = plateau(np.arange(90.0), values, 0.005)
    assert found.gain > 0.005
    assert found.flat(0.005)


def test_net_gain_by_hand():
    found = net_gain(np.array([4.0, 3.0, 2.0, 1.5, 1.2, 1.1, 1.0, 1.0, 1.0, 1.0]))
    assert (found.start, found.last, found.net) == (4.0, 1.0, 3.0)
    assert found.p_better < 0.01
    assert net_gain(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).p_better == 1.0
