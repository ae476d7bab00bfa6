"""Thinning, smoothing and noise of a series, all by medians, so that single outliers do not count."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["medians", "noise", "noise_before", "running_median", "span", "thin"]

_ENOUGH = 8
"""Points of a part from which its noise can be told: fewer leave a handful of differences."""


def medians(rows: Array) -> Array:
    """Return the median of each row; no value may be NaN.

    Sorting rows is several times as fast as `numpy.median`, which partitions at two places so as to find a NaN.

    Parameters
    ----------
    rows : ndarray of shape (rows, values), at least one value
    """
    import numpy as np

    ordered, middle = np.sort(rows, axis=1), rows.shape[1] // 2
    found: Array = ordered[:, middle] if rows.shape[1] % 2 else (ordered[:, middle - 1] + ordered[:, middle]) / 2
    return found


def thin(*arrays: Array, most: int) -> tuple[Array, ...]:
    """Return arrays of one length with at most `most` points: medians of blocks that follow each other.

    Arrays that are short enough come back as they are; no value may be NaN.
    """
    import numpy as np

    count = len(arrays[0])
    if count <= most:
        return arrays
    size = -(-count // most)
    whole = count // size * size

    def blocks(values: Array) -> Array:
        found = medians(values[:whole].reshape(-1, size))
        return found if whole == count else np.append(found, np.median(values[whole:]))

    return tuple(blocks(values) for values in arrays)


def running_median(values: Array, window: int) -> Array:
    """Return the centred running median; at the ends the part of the window that has values counts.

    So the first and last values are medians of half a window, never single points that noise has picked.

    Parameters
    ----------
    values : ndarray, finite
    window : int
        Number of points; an even one is made odd.
    """
    import numpy as np

    half = min(window // 2, (len(values) - 1) // 2)
    if half < 1:
        return values
    inner = _middle_of_three(values) if half == 1 else medians(np.lib.stride_tricks.sliding_window_view(values, 2 * half + 1))
    head, tail = (_growing_medians(ends.tolist(), half) for ends in (values[: 2 * half], values[: -2 * half - 1 : -1]))
    return np.concatenate([head, inner, tail[::-1]])


def _middle_of_three(values: Array) -> Array:
    """Return the median of each value with its two neighbours, at once for all."""
    import numpy as np

    before, at, after = values[:-2], values[1:-1], values[2:]
    return np.asarray(np.maximum(np.minimum(before, at), np.minimum(np.maximum(before, at), after)))


def _growing_medians(values: list[float], half: int) -> list[float]:
    """Return the medians of the first half + 1, half + 2, … up to all 2 * half values."""
    ordered, medians = sorted(values[:half]), []
    for value in values[half:]:
        insort(ordered, value)
        middle = len(ordered) // 2
        medians.append(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)
    return medians


def noise(values: Array) -> float:
    """Return the standard deviation of the noise of a series around its trend; NaN for fewer than 4 points.

    From the median absolute second difference, which a straight line does not enter. For white noise the
    second difference has 6 times its variance; 1.4826 turns the median of a normal into its deviation.
    """
    import numpy as np

    if len(values) < 4:
        return float("nan")
    second = np.diff(values, n=2)
    return float(1.4826 * np.median(np.abs(second)) / np.sqrt(6.0))


def noise_before(values: Array, at: int) -> float:
    """Return the noise of a series up to a point, or that of all of it where this is less or the part is too short.

    What a series does after its best, above all where it breaks, says nothing of how sure the best is.
    """
    whole = noise(values)
    return min(whole, noise(values[: at + 1])) if at + 1 >= _ENOUGH else whole


def span(values: Array) -> float:
    """Return the range of a series without its outliers: that of its running median of 3."""
    import numpy as np

    return float(np.ptp(running_median(values, 3))) if len(values) else 0.0
