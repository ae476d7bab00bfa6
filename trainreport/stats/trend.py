"""Trend of a series: its size by Theil-Sen, its significance by Mann-Kendall, both without assumptions on the noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Kendall", "Trend", "mann_kendall", "theil_sen"]

_MOST = 300
"""Points that pairs are made of: 300 give 44 850 pairs, a few milliseconds; longer series are thinned by block medians."""


class Trend(NamedTuple):
    """A straight line through a series."""

    slope: float
    """Change of the value per unit of x."""
    low: float
    """Lower end of the 95 % interval of the slope."""
    high: float
    change: float
    """Slope times the extent of x: what the trend adds up to over the series."""
    n: int
    """Number of points that were given."""


class Kendall(NamedTuple):
    """How monotone a series is."""

    tau: float
    """-1 for falling all the time, +1 for rising all the time (tau-a)."""
    p: float
    """Two-sided p-value by the normal approximation, corrected for ties."""
    n: int


def theil_sen(x: Array, y: Array) -> Trend:
    """Return the median of the slopes between all pairs of points, with Sen's interval.

    Parameters
    ----------
    x, y : ndarray, finite, of one length
        At least two different x; else all is NaN.

    References
    ----------
    Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968).
    """
    import numpy as np

    count = len(y)
    x, y = thin(x, y, most=_MOST)
    first, second = np.triu_indices(len(y), 1)
    run = x[second] - x[first]
    kept = run != 0
    if not kept.any():
        return Trend(math.nan, math.nan, math.nan, math.nan, count)
    slopes = np.sort((y[second] - y[first])[kept] / run[kept])
    slope = float(np.median(slopes))
    reach = 1.959964 * math.sqrt(_variance(y))
    pairs = len(slopes)
    low = slopes[max(0, round((pairs - reach) / 2))]
    high = slopes[min(pairs - 1, round((pairs + reach) / 2))]
    return Trend(slope, float(low), float(high), slope * float(np.ptp(x)), count)


def mann_kendall(y: Array) -> Kendall:
    """Return Mann and Kendall's test for a monotone trend; NaN for fewer than 3 points.

    References
    ----------
    Mann, Nonparametric tests against trend, Econometrica 13 (1945); Kendall, Rank Correlation Methods (1975).
    """
    import numpy as np

    count = len(y)
    (y,) = thin(y, most=_MOST)
    size = len(y)
    if size < 3:
        return Kendall(math.nan, math.nan, count)
    score = float(np.triu(np.sign(y[None, :] - y[:, None]), 1).sum())
    variance = _variance(y)
    tau = score / (size * (size - 1) / 2)
    if variance <= 0:
        return Kendall(tau, 1.0, count)
    z = max(0.0, abs(score) - 1) / math.sqrt(variance)
    return Kendall(tau, math.erfc(z / math.sqrt(2.0)), count)


def _variance(y: Array) -> float:
    """Variance of Kendall's score when there is no trend."""
    import numpy as np

    ties = np.unique(y, return_counts=True)[1].astype(np.float64)
    size = len(y)
    return float(size * (size - 1) * (2 * size + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
