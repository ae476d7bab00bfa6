"""Lasting changes of level: where a series steps up or down, by how much, and how surely."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import noise, thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Shift", "lasting_shift"]

_MOST = 400
"""Longer series are thinned by block medians: a level that lasts is seen in them too."""
_LEAST = 5
"""Points on either side of a shift."""


class Shift(NamedTuple):
    """The one step that explains a series best."""

    at: int
    """Position of the first point of the new level; 0 where there are too few points."""
    before: float
    """Median before it."""
    after: float
    sigmas: float
    """Difference of the medians in standard errors, by the spread within the two levels; NaN where it cannot be told."""
    last: float
    """Median of the last tenth: whether the new level was kept."""

    @property
    def relative(self) -> float:
        """Change as a share of the level before."""
        return (self.after - self.before) / abs(self.before) if self.before else math.nan


def lasting_shift(values: Array) -> Shift:
    """Return the split into two levels that leaves the least squares (one step of binary segmentation).

    Outliers count for no more than three interquartile ranges from the quartiles, so that a few pauses make no level.

    Parameters
    ----------
    values : ndarray, finite

    References
    ----------
    Scott and Knott, Biometrics 30 (1974); Truong et al., Selective review of offline change point detection methods (2020).
    """
    import numpy as np

    at = np.arange(len(values), dtype=np.float64)
    at, values = thin(at, values, most=_MOST)
    count = len(values)
    if count < 2 * _LEAST:
        return Shift(0, math.nan, math.nan, math.nan, math.nan)
    low, high = np.quantile(values, (0.25, 0.75))
    clipped = np.clip(values, low - 3 * (high - low), high + 3 * (high - low))
    places = np.arange(_LEAST, count - _LEAST + 1)
    total = np.cumsum(clipped - clipped.mean())[places - 1]
    split = int(places[np.argmax(total**2 / (places * (count - places)))])
    before, after = float(np.median(values[:split])), float(np.median(values[split:]))
    spread = _spread(values, split, before, after)
    error = spread * math.sqrt(math.pi / 2 * (1 / split + 1 / (count - split)))
    sigmas = (after - before) / error if error > 0 else math.copysign(math.inf, after - before) if after != before else 0.0
    return Shift(math.ceil(at[split]), before, after, sigmas, float(np.median(values[-max(_LEAST, count // 10) :])))


def _spread(values: Array, split: int, before: float, after: float) -> float:
    """Return the noise of single points or the spread around the levels, whichever is larger: slow drift counts as spread."""
    import numpy as np

    away = np.concatenate([values[:split] - before, values[split:] - after])
    return max(noise(values), 1.4826 * float(np.median(np.abs(away))))
