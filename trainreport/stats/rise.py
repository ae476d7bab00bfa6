"""How far a series has come back from its best value: the shape of overfitting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import noise, running_median, thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Rise", "rise_from_minimum"]

_MOST = 1000
_BEST_WINDOW = 0.10
_TAIL = 0.05


class Rise(NamedTuple):
    """From the smoothed minimum of a series to its end; lower is better."""

    best_at: int
    """Position of the minimum in the series that was given."""
    start: float
    """Value at the beginning."""
    best: float
    """Smoothed minimum."""
    last: float
    """Median of the last 5 %."""
    error: float
    """Standard error of the rise, from the noise of the series."""
    n: int

    @property
    def rise(self) -> float:
        """How far the end lies above the minimum."""
        return self.last - self.best

    @property
    def share_of_gain(self) -> float:
        """Rise as a share of rise plus initial drop: what of the way was lost again, 0 to 1."""
        whole = self.rise + max(0.0, self.start - self.best)
        return self.rise / whole if whole > 0 else 0.0

    @property
    def sigmas(self) -> float:
        """Rise in standard errors; infinite for a series without noise."""
        if self.error > 0:
            return self.rise / self.error
        return math.inf if self.rise > 0 else 0.0


def rise_from_minimum(values: Array) -> Rise:
    """Return how far a series ends above its smoothed minimum.

    Parameters
    ----------
    values : ndarray, finite, at least one point
        Lower is better; a series where higher is better is given with its sign turned.

    Notes
    -----
    The minimum is that of a running median over a tenth of the series (3 points at least): shorter windows
    take the luckiest noise for the best, longer ones miss the turn. The end is the median of the last 5 %
    (3 points at least where there are 10): the tail that separated best on 419 labelled histories.
    """
    import numpy as np

    count = len(values)
    (kept,) = thin(values, most=_MOST)
    size = len(kept)
    window = max(3, int(size * _BEST_WINDOW) | 1) if size >= 3 else 1
    tail = max(3 if size >= 10 else 1, round(size * _TAIL))
    smooth = running_median(kept, window)
    best_at = int(np.argmin(smooth))
    best, last = float(smooth[best_at]), float(np.median(kept[-tail:]))
    head = max(1, min(3, best_at // 2))
    deviation = noise(kept)
    error = deviation * 1.2533 * math.sqrt(1 / tail + 1 / window) if math.isfinite(deviation) else 0.0
    return Rise(_position(values, best_at, count, size, window), float(np.median(kept[:head])), best, last, error, count)


def _position(values: Array, block: int, count: int, size: int, window: int) -> int:
    """Return where the lowest value lies near the block of the smoothed minimum."""
    import numpy as np

    width = -(-count // size) if size < count else 1
    reach = window // 2
    low, high = max(0, (block - reach) * width), min(count, (block + reach + 1) * width)
    return low + int(np.argmin(values[low:high]))
