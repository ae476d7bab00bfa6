"""Gradient boosting of trees that ask one question a level, in plain numpy: what `trainreport.stats.trees` evaluates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trainreport.stats.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Whole = npt.NDArray[np.int64]

BINS = 32
TREES, DEPTH, RATE = 40, 3, 0.15
LEAST_WEIGHT = 20.0
"""Rows by which each leaf is drawn towards no answer."""


def fit_chance(rows: Array, reached: Array, weight: Array) -> Trees:
    """Return trees for the log-odds of an event."""
    weight = weight * len(weight) / weight.sum()
    share = np.average(reached, weights=weight)
    start = np.array([np.log(share / (1 - share))])

    def pull(said: Array) -> Array:
        return (weight * (reached - _chance(said[:, 0])))[:, None]

    def answers(said: Array, leaf: Whole, leaves: int) -> Array:
        chance = _chance(said[:, 0])
        up = np.bincount(leaf, weight * (reached - chance), leaves)
        return (up / (np.bincount(leaf, weight * chance * (1 - chance), leaves) + LEAST_WEIGHT / 4))[:, None]

    return _boost(rows, weight, start, pull, answers)


def fit_quantiles(rows: Array, value: Array, weight: Array, levels: tuple[float, ...]) -> Trees:
    """Return trees for quantiles; all share their questions."""
    weight = weight * len(weight) / weight.sum()
    tau = np.array(levels)
    start = np.array([quantile(value, weight, level) for level in levels])

    def pull(said: Array) -> Array:
        below: Array = tau - (value[:, None] < said)
        return weight[:, None] * below

    def answers(said: Array, leaf: Whole, leaves: int) -> Array:
        out = np.zeros((leaves, len(levels)))
        for one in np.unique(leaf):
            inside = leaf == one
            share = weight[inside].sum()
            shrunk = share / (share + LEAST_WEIGHT)
            out[one] = [quantile(value[inside] - said[inside, k], weight[inside], level) * shrunk for k, level in enumerate(levels)]
        return out

    return _boost(rows, weight, start, pull, answers)


def quantile(values: Array, weights: Array, level: float) -> float:
    """Return the smallest value at or below which at least `level` of the weight lies."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order[min(int(np.searchsorted(total, level * total[-1])), len(values) - 1)]])


def _chance(odds: Array) -> Array:
    return 1 / (1 + np.exp(-odds))


def _boost(
    rows: Array, weight: Array, start: Array, pull: Callable[[Array], Array], answers: Callable[[Array, Whole, int], Array]
) -> Trees:
    """Return trees that each follow the `pull` of the rows left over by those before, and answer with `answers`."""
    edges = [np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1])) for column in rows.T]
    binned = np.stack([np.searchsorted(edge, column, "left") for edge, column in zip(edges, rows.T, strict=True)], axis=1)
    said = np.repeat(start[None], len(rows), axis=0)
    features, thresholds, leaves = [], [], []
    for _ in range(TREES):
        feature, cut, leaf = _questions(binned, pull(said), weight)
        table = RATE * answers(said, leaf, 1 << DEPTH)
        said = said + table[leaf]
        features.append(feature)
        thresholds.append([edges[f][min(c, len(edges[f]) - 1)] for f, c in zip(feature, cut, strict=True)])
        leaves.append(table)
    return Trees(start, np.array(features), np.array(thresholds), np.array(leaves))


def _questions(binned: Whole, pull: Array, weight: Array) -> tuple[list[int], list[int], Whole]:
    """Return the features and bins of one tree, level by level, and the leaf of each row."""
    count = binned.shape[1]
    place = binned + np.arange(count) * BINS
    leaf = np.zeros(len(binned), dtype=np.int64)
    features, cuts = [], []
    for level in range(DEPTH):
        shape = (1 << level, count, BINS)
        index = (place + (leaf * count * BINS)[:, None]).ravel()

        def sums(column: Array, index: Whole = index, shape: tuple[int, int, int] = shape) -> Array:
            return np.bincount(index, np.repeat(column, count), int(np.prod(shape))).reshape(shape).cumsum(axis=2)

        mass = sums(weight)
        score = np.zeros(shape[1:])
        for column in pull.T:
            left = sums(column)
            right, other = left[:, :, -1:] - left, mass[:, :, -1:] - mass
            score += (left**2 / (mass + LEAST_WEIGHT) + right**2 / (other + LEAST_WEIGHT)).sum(axis=0)
        feature, cut = np.unravel_index(int(np.argmax(score[:, :-1])), (count, BINS - 1))
        features.append(int(feature))
        cuts.append(int(cut))
        leaf = 2 * leaf + (binned[:, int(feature)] > cut)
    return features, cuts, leaf
