"""Fewer points with the same look, and the one smoothing that reports use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["MAX_POINTS", "decimate", "smooth", "smoothing_window"]

MAX_POINTS = 2000
_SMOOTHED_FROM = 30  # with fewer points the raw ones are read as they are


def decimate(x: Floats, y: Floats, columns: int = MAX_POINTS // 2) -> tuple[Floats, Floats]:
    """Return at most two points a column of pixels: the lowest and the highest, so that spikes survive.

    Parameters
    ----------
    x, y : ndarray of float64
        Points; those without a finite x are left out, those without a finite y become gaps.
    columns : int
        Number of columns that the x axis is cut into.
    """
    import numpy as np

    known = np.isfinite(x)
    if not known.all():
        x, y = x[known], y[known]
    if len(x) <= 2 * columns:
        return x, np.where(np.isfinite(y), y, np.nan)
    if np.any(x[1:] < x[:-1]):
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    span = float(x[-1] - x[0]) or 1.0
    column = np.minimum(((x - x[0]) * (columns / span)).astype(np.int64), columns - 1)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(column)) + 1))
    keep = np.union1d(_extreme(y, starts, lowest=True), _extreme(y, starts, lowest=False))
    return x[keep], np.where(np.isfinite(y[keep]), y[keep], np.nan)


def _extreme(y: Floats, starts: npt.NDArray[np.int64], *, lowest: bool) -> npt.NDArray[np.int64]:
    """Return the index of the first lowest (highest) value of each group; a group of gaps gives its first."""
    import numpy as np

    filled = np.where(np.isfinite(y), y, np.inf if lowest else -np.inf)
    extreme = (np.minimum if lowest else np.maximum).reduceat(filled, starts)
    lengths = np.diff(np.append(starts, len(y)))
    hits = np.flatnonzero(filled == np.repeat(extreme, lengths))
    return hits[np.searchsorted(hits, starts)]


def smoothing_window(n: int, part: int = 20) -> int:
    """Return the width of the moving average for `n` points: one `part` of them, odd; 1 where nothing is smoothed."""
    return 1 if n < _SMOOTHED_FROM else max(3, n // part) | 1


def smooth(y: Floats, window: int) -> Floats:
    """Return the centred moving average; at the ends the window shrinks, gaps are left out of it."""
    import numpy as np

    if window <= 1:
        return y
    half = window // 2
    finite = np.isfinite(y)
    total = np.concatenate(([0.0], np.cumsum(np.where(finite, y, 0.0))))
    count = np.concatenate(([0], np.cumsum(finite)))
    place = np.arange(len(y))
    reach = np.minimum(half, np.minimum(place, len(y) - 1 - place))
    low, high = place - reach, place + reach + 1
    n = count[high] - count[low]
    mean = (total[high] - total[low]) / np.maximum(n, 1)
    return np.where((n > 0) & finite, mean, np.nan)
