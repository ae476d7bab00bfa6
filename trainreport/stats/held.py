"""Samples of a gauge over time: each holds until the next one, so that uneven sampling does not weigh in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Stretch", "durations", "low_stretches", "weighted_mean", "weighted_quantile"]

_GAP = 10.0
"""A pause of more than 10 usual intervals is a gap in the log: nothing is known about it."""


class Stretch(NamedTuple):
    """Consecutive samples."""

    first: int
    last: int
    """Included."""
    seconds: float


def durations(time_s: Array) -> Array:
    """Return for how many seconds each sample stands: until the next, the last one for a usual interval.

    A gap in the log counts as one usual interval.

    Parameters
    ----------
    time_s : ndarray, finite, not falling
    """
    import numpy as np

    if len(time_s) < 2:
        return np.zeros(len(time_s))
    steps = np.diff(time_s)
    rising = steps[steps > 0]
    usual = float(np.median(rising)) if len(rising) else 0.0
    steps = np.where(steps > _GAP * usual, usual, steps)
    return np.append(steps, usual)


def weighted_mean(values: Array, weights: Array) -> float:
    """Return the mean; a plain one where all weights are zero."""
    import numpy as np

    total = float(weights.sum())
    return float((values * weights).sum() / total) if total > 0 else float(np.mean(values))


def weighted_quantile(values: Array, weights: Array, share: float) -> float:
    """Return the smallest value below or at which at least `share` of the weight lies."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    if total[-1] <= 0:
        return float(np.quantile(values, share))
    place = int(np.searchsorted(total, share * total[-1] * (1 - 1e-12)))
    return float(values[order][min(place, len(values) - 1)])


def low_stretches(values: Array, seconds: Array, time_s: Array, at_most: float) -> list[Stretch]:
    """Return the stretches of samples at or below `at_most`, cut at gaps in the log.

    Parameters
    ----------
    values, time_s : ndarray of one length
    seconds : ndarray
        What each sample stands for, by `durations`.
    at_most : float
    """
    import numpy as np

    low = values <= at_most
    gap = np.append(False, np.diff(time_s) > seconds[:-1] * 1.000001)
    starts = np.flatnonzero(low & (np.append(True, ~low[:-1]) | gap))
    ends = np.flatnonzero(low & np.append(~low[1:] | gap[1:], True))
    return [Stretch(int(a), int(b), float(seconds[a : b + 1].sum())) for a, b in zip(starts, ends, strict=True)]
