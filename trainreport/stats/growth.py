"""Whether something grows all the time, as a leak does, and not up to a level that it then keeps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import thin
from trainreport.stats.trend import mann_kendall, theil_sen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Growth", "growth"]

_MOST = 240


class Growth(NamedTuple):
    """How a series grew after warm-up."""

    total: float
    """What the Theil-Sen line adds up to over the time that is looked at."""
    slope: float
    """A second, over the last two thirds of that time."""
    p: float
    """Mann-Kendall's p-value of the trend; 1 where it falls."""
    steadiness: float
    """Growth of the slowest third as a share of an even third: 1 for a straight line, 0 where one third stood still."""
    drawdown: float
    """Largest fall from an earlier level, as a share of the growth."""
    last: float
    """Level at the last sample, by the trend; `time_to` counts from there."""
    seconds: float
    n: int

    def time_to(self, level: float) -> float:
        """Return the seconds from the end until a level is reached at this pace."""
        return max(0.0, level - self.last) / self.slope if self.slope > 0 else math.inf


def growth(time_s: Array, values: Array, warm_up: float) -> Growth | None:
    """Return how a series grew; None where too little is left after warm-up.

    Parameters
    ----------
    time_s, values : ndarray, finite, of one length
        Times not falling.
    warm_up : float
        Share of the time at the start that is left out: pools fill in it.
    """
    import numpy as np

    kept = time_s >= time_s[0] + warm_up * (time_s[-1] - time_s[0])
    count = int(kept.sum())
    if count < 12:
        return None
    time_s, values = thin(time_s[kept], values[kept], most=_MOST)
    if time_s[-1] <= time_s[0]:
        return None
    line = theil_sen(time_s, values)
    pace = theil_sen(time_s[len(time_s) // 3 :], values[len(time_s) // 3 :]).slope
    trend = mann_kendall(values)
    levels = _levels(time_s, values)
    steps = np.diff(levels)
    rise = float(levels[-1] - levels[0])
    highest = np.maximum.accumulate(levels)
    return Growth(
        total=line.change,
        slope=pace,
        p=trend.p if trend.tau > 0 else 1.0,
        steadiness=float(steps.reshape(3, -1).sum(axis=1).min() / (rise / 3)) if rise > 0 else 0.0,
        drawdown=float((highest - levels).max() / rise) if rise > 0 else math.inf,
        # The last tenth's median stands in its middle; from there it went on at its pace, but not above what was seen.
        last=float(min(levels[-1] + max(pace, 0.0) * (time_s[-1] - time_s[0]) / 20, max(values[-1], levels[-1]))),
        seconds=float(time_s[-1] - time_s[0]),
        n=count,
    )


def _levels(time_s: Array, values: Array) -> Array:
    """Return the median level of 10 equal parts of the time; one without samples takes the level before it."""
    import numpy as np

    parts = np.minimum(((time_s - time_s[0]) / (time_s[-1] - time_s[0]) * 10).astype(np.intp), 9)
    levels = np.array([np.median(values[parts == one]) if (parts == one).any() else np.nan for one in range(10)])
    known = np.maximum.accumulate(np.where(np.isfinite(levels), np.arange(10), 0))
    return levels[known]
