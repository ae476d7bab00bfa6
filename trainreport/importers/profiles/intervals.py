"""Arithmetic of intervals in time: their union, and how much of it lies in a window. Arrays in, arrays out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Intervals", "covered", "gaps", "union"]


class Intervals(NamedTuple):
    """Intervals, `end` of each not before its `start`."""

    start: Array
    end: Array


def union(one: Intervals) -> Intervals:
    """Return the time that the intervals cover, as disjoint ones in order; those that touch are one."""
    import numpy as np

    if not len(one.start):
        return one
    order = np.argsort(one.start, kind="stable")
    start, end = one.start[order], np.maximum.accumulate(one.end[order])
    first = np.append(True, start[1:] > end[:-1])
    return Intervals(start[first], end[np.append(np.flatnonzero(first)[1:] - 1, len(end) - 1)])


def covered(disjoint: Intervals, windows: Intervals) -> Array:
    """Return how much of each window disjoint intervals in order cover."""
    return _until(disjoint, windows.end) - _until(disjoint, windows.start)


def gaps(disjoint: Intervals, window: tuple[float, float]) -> Intervals:
    """Return the parts of a window that disjoint intervals in order leave free."""
    import numpy as np

    first, last = window
    inside = slice(int(np.searchsorted(disjoint.end, first, side="right")), int(np.searchsorted(disjoint.start, last)))
    start = np.append(first, disjoint.end[inside])
    end = np.append(disjoint.start[inside], last)
    free = end > start
    return Intervals(start[free], end[free])


def _until(disjoint: Intervals, times: Array) -> Array:
    """Return how much is covered before each time."""
    import numpy as np

    if not len(disjoint.start):
        return np.zeros(len(times))
    total = np.append(0.0, np.cumsum(disjoint.end - disjoint.start))
    begun = np.searchsorted(disjoint.start, times, side="right")
    ends = np.append(-np.inf, disjoint.end)[begun]
    return np.asarray(total[begun] - np.maximum(0.0, ends - times))
