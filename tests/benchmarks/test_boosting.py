"""Boosting in plain numpy, on data whose right answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.boosting import fit_chance, fit_quantiles, quantile


def test_a_weighted_quantile():
    assert quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]), 0.5) == 2.0
    assert quantile(np.array([3.0, 1.0, 2.0]), np.array([8.0, 1.0, 1.0]), 0.5) == 3.0


def test_the_chance_follows_the_feature_that_matters():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(4000, 3))
    reached = (rng.random(4000) < np.where(rows[:, 1] > 0, 0.9, 0.2)).astype(float)
    trees = fit_chance(rows, reached, np.ones(4000))
    chance = 1 / (1 + np.exp(-trees.predict(np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]))[:, 0]))
    assert chance == pytest.approx([0.9, 0.2], abs=0.05)


def test_quantiles_follow_place_and_spread():
    rng = np.random.default_rng(4)
    rows = rng.uniform(-1, 1, size=(6000, 2))
    wide = np.where(rows[:, 0] > 0, 4.0, 1.0)
    trees = fit_quantiles(rows, rng.uniform(0, 1, 6000) * wide, np.ones(6000), (0.1, 0.5, 0.9))
    said = trees.predict(np.array([[0.5, 0.0], [-0.5, 0.0]]))
    assert said[0] == pytest.approx([0.4, 2.0, 3.6], abs=0.25)
    assert said[1] == pytest.approx([0.1, 0.5, 0.9], abs=0.1)


def test_a_problem_of_twice_the_weight_counts_twice():
    rows = np.zeros((300, 1))
    rows[:, 0] = np.arange(300) % 2
    reached = np.array([1.0] * 100 + [0.0] * 200)
    chance = 1 / (1 + np.exp(-fit_chance(rows, reached, np.array([2.0] * 100 + [1.0] * 200)).predict(rows)[:, 0]))
    assert chance == pytest.approx(0.5, abs=0.02)
