"""Whether a series has stopped improving."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import thin
from trainreport.stats.trend import mann_kendall, theil_sen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Plateau", "plateau"]

_MOST = 1000
_NO_TREND = 0.05


class Plateau(NamedTuple):
    """What the last third of a series added, all as shares of the range of the whole; positive is better."""

    gain: float
    """How far the best of the last third goes beyond the best before it; 0 or less: not at all."""
    trend: float
    """What the Theil-Sen trend of the last third adds up to."""
    p: float
    """Mann-Kendall's p-value of that trend."""
    tail: int
    """Number of points in the last third."""
    since: int
    """Position in the given series from which on it stayed within `flat` of its best."""
    n: int

    def flat(self, share: float) -> bool:
        """Return whether it stopped: no new best worth naming, or a trend that is small and cannot be told from none."""
        return self.gain < share or (self.trend < share and self.p > _NO_TREND)


def plateau(x: Array, values: Array, flat: float) -> Plateau:
    """Return what the last third of a series added.

    Parameters
    ----------
    x, values : ndarray, finite, of one length, at least 6 points
        Lower is better; a series where higher is better is given with its sign turned.
    flat : float
        Share of the range within which a value counts as good as the best, for `since`.
    """
    import numpy as np

    count = len(values)
    x, values = thin(x, values, most=_MOST)
    size = len(values)
    third = max(2, size // 3)
    extent = float(np.ptp(values)) or 1.0
    before, after = values[:-third], values[-third:]
    gain = float(before.min() - after.min()) / extent
    trend = -theil_sen(x[-third:], after).change / extent
    p = mann_kendall(after).p
    near = int(np.argmax(values <= values.min() + flat * extent))
    width = -(-count // size) if size < count else 1
    tail = third if width == 1 else count - (size - third) * width
    return Plateau(gain, trend, 1.0 if np.isnan(p) else p, tail, near * width, count)
