"""Gauges that were sampled at different moments, brought onto common stretches of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["at_times", "binned", "common_edges", "rates", "usual_interval"]

_MOST = 20_000
"""Bins at most: enough to see each sample of a day at 5 s."""
_STALE = 2.5
"""A value holds for 2.5 usual intervals; later nothing is known."""


def common_edges(times: Sequence[Array]) -> Array | None:
    """Return the edges of bins over the time that all of several gauges cover; None where they do not overlap.

    A bin is as wide as the slowest gauge's usual interval, so that each gauge has a sample in nearly every one.

    Parameters
    ----------
    times : sequence of ndarray
        Finite, not falling, at least two each.
    """
    import numpy as np

    first, last = max(float(one[0]) for one in times), min(float(one[-1]) for one in times)
    width = max(usual_interval(one) for one in times)
    if not (last > first and width > 0):
        return None
    count = min(_MOST, max(1, int((last - first) / width)))
    return np.linspace(first, last, count + 1)


def usual_interval(time_s: Array) -> float:
    """Return the median time between samples, 0 where all are at one moment."""
    import numpy as np

    steps = np.diff(time_s)
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else 0.0


def binned(time_s: Array, values: Array, edges: Array) -> Array:
    """Return the mean of the values in each bin; where there is none, the value before it, NaN where that is too old."""
    import numpy as np

    inside = (time_s >= edges[0]) & (time_s <= edges[-1])
    count = len(edges) - 1
    place = np.minimum(((time_s[inside] - edges[0]) / (edges[-1] - edges[0]) * count).astype(np.intp), count - 1)
    number = np.bincount(place, minlength=count)
    total = np.bincount(place, weights=values[inside], minlength=count)
    found = total / np.maximum(number, 1)
    return np.where(number > 0, found, at_times(time_s, values, edges[1:])) if (number == 0).any() else found


def at_times(time_s: Array, values: Array, moments: Array) -> Array:
    """Return what a gauge showed at given moments: its last value before or at each, NaN where that is too old.

    Parameters
    ----------
    time_s, values : ndarray of one length
        Times not falling.
    moments : ndarray
    """
    import numpy as np

    if len(time_s) == len(moments) and np.array_equal(time_s, moments):
        return values
    place = np.searchsorted(time_s, moments, side="right") - 1
    found = np.where(place >= 0, values[np.maximum(place, 0)], np.nan)
    age = moments - time_s[np.maximum(place, 0)]
    return np.where(age <= _STALE * usual_interval(time_s) + 1e-6, found, np.nan)


def rates(time_s: Array, values: Array) -> tuple[Array, Array]:
    """Return the rate of a counter between its readings, and the middle of each; a fall is a new start and left out."""
    import numpy as np

    steps, rise = np.diff(time_s), np.diff(values)
    kept = (steps > 0) & (rise >= 0)
    return ((time_s[1:] + time_s[:-1]) / 2)[kept], rise[kept] / steps[kept]
