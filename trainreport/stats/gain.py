"""How much a series improved from its beginning to its end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import noise_before, running_median, thin
from trainreport.stats.trend import mann_kendall

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Gain", "net_gain"]

_MOST = 1000


class Gain(NamedTuple):
    """Beginning, best and end of a series; lower is better."""

    start: float
    """The worse of the first value and the median of the first three: half of all learning may lie there."""
    best: float
    """Smoothed minimum."""
    last: float
    """Median of the last 5 %."""
    error: float
    """Standard error of `most`, from the noise of the series up to its best: what it does later says nothing of it."""
    best_error: float
    """Standard error of `best` alone, to compare it with a known level."""
    p_better: float
    """Mann-Kendall's p-value where the trend goes down, else 1."""
    n: int

    @property
    def net(self) -> float:
        """How far the end is better than the start."""
        return self.start - self.last

    @property
    def most(self) -> float:
        """How far the best is better than the start."""
        return self.start - self.best


def net_gain(values: Array) -> Gain:
    """Return how much a series improved.

    Parameters
    ----------
    values : ndarray, finite, at least 3 points
        Lower is better; a series where higher is better is given with its sign turned.
    """
    import numpy as np

    start = max(float(values[0]), float(np.median(values[:3])))
    count = len(values)
    (values,) = thin(values, most=_MOST)
    size = len(values)
    window = max(3, size // 10)
    smooth = running_median(values, window)
    best_at = int(smooth.argmin())
    best = float(smooth[best_at])
    spread = noise_before(values, best_at)
    spread = spread * 1.2533 if math.isfinite(spread) else 0.0  # of a median
    last = float(np.median(values[-max(3, round(size * 0.05)) :]))
    trend = mann_kendall(values)
    error, best_error = spread * math.sqrt(1 / window + 1 / 3), spread * math.sqrt(1 / window)
    return Gain(start, best, last, error, best_error, trend.p if trend.tau < 0 else 1.0, count)
