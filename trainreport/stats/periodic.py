"""Whether a series repeats itself at a period that is known from elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["autocorrelation", "repeats"]

_MOST = 16_384
"""Points of the middle of a longer series: enough for thousands of periods."""
_LEAST_LAG = 3
"""Fewer samples a period cannot show it."""


def autocorrelation(values: Array, lags: int) -> Array:
    """Return the correlation of a series with itself, shifted by 0 to `lags` points; all NaN where it does not vary.

    Parameters
    ----------
    values : ndarray, finite, longer than `lags`
    lags : int
    """
    import numpy as np

    centred = values - values.mean()
    size = 1 << (2 * len(values) - 1).bit_length()
    power = np.abs(np.fft.rfft(centred, size)) ** 2
    found = np.fft.irfft(power, size)[: lags + 1]
    return found / found[0] if found[0] > 0 else np.full(lags + 1, np.nan)


def repeats(values: Array, lag: float, tolerance: float = 0.15) -> float:
    """Return how strongly a series repeats itself after `lag` points: 1 wholly, 0 not at all; NaN where it cannot be told.

    The height of the correlation near the lag above its lowest value before: a slow drift, which correlates at
    every lag, does not count.

    Parameters
    ----------
    values : ndarray, finite, evenly spaced
    lag : float
        In points, at least 3; the series must hold 8 periods.
    tolerance : float
        How far the period may be off, as a share of it.
    """
    if len(values) > _MOST:
        start = (len(values) - _MOST) // 2
        values = values[start : start + _MOST]
    if lag < _LEAST_LAG or len(values) < 8 * lag:
        return math.nan
    low, high = math.floor(lag * (1 - tolerance)), math.ceil(lag * (1 + tolerance))
    found = autocorrelation(values, high + 1)
    if math.isnan(found[0]):
        return math.nan
    top = float(found[low : high + 1].max())
    if top < max(found[low - 1], found[high + 1]):
        return 0.0  # the slope of a peak at another period
    return (top - float(found[1 : low + 1].min())) / 2
