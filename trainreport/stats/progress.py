"""How far a curve has come towards a target, in numbers without a unit: what a forecast is made from.

Everything is measured by the curve's own range, so neither the unit of the values nor that of time enters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trainreport.stats.smooth import noise, thin
from trainreport.stats.trend import theil_sen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["FEATURES", "FEWEST", "Progress", "progress"]

FEWEST = 4
"""Evaluations below which neither a trend nor its noise can be told."""
FEATURES = (
    "used", "evaluations", "since_best", "gain", "gain_half", "gain_quarter", "gain_eighth", "slowing", "trend_up",
    "trend_down", "trend_up_late", "noise", "lost", "lost_last", "spread_half", "distance", "beyond", "distance_by_gain",
    "distance_by_trend", "distance_by_noise",
)  # fmt: skip
"""Names of the features, in their order."""

_MOST = 40
"""Points that a trend is taken from: more would not change it and cost more."""
_LEAST = 1e-5
"""Share of the range below which amounts are as good as none."""
_SLOW = 1e-3
"""Share of the range that is taken as pace at least, so that a curve that stands still has a scale."""


class Progress(NamedTuple):
    """A curve up to now."""

    features: Array
    best: float
    last: float
    scale: float
    """By which what is still to come is measured: between the whole range and the recent pace."""


def progress(used: Array, score: Array, target: float) -> Progress:
    """Return where a curve stands.

    Parameters
    ----------
    used : ndarray
        Share of the budget that was used at each evaluation, not falling, above 0.
    score : ndarray, finite, of the same length, at least `FEWEST` points, not all equal
        Higher is better; a series where lower is better is given with its sign turned.
    target : float
        In the same sign.
    """
    import numpy as np

    now, extent = float(used[-1]), float(np.ptp(score))
    running = np.maximum.accumulate(score)
    best, last = float(running[-1]), float(score[-1])
    half, quarter, eighth = (float(running[max(0, int(np.searchsorted(used, now / part, "right")) - 1)]) for part in (2, 4, 8))
    start = min(float(score[0]), float(np.median(score[:3])))
    lost, jitter = best - float(np.median(score[-3:])), noise(score)
    late = used >= now / 2
    trend = _trend(used[late], score[late]) * (1 - now)
    very_late = used >= now * 0.75
    trend_late = _trend(used[very_late], score[very_late]) * (1 - now) if very_late.sum() >= 3 else trend

    def size(amount: float, least: float = _LEAST) -> float:
        return math.log(max(amount, 0.0) / extent + least)

    gains, distance = (size(best - half), size(half - quarter), size(quarter - eighth)), size(target - best, 1e-4)
    share = min(max(now, 0.01), 0.99)
    features = (
        math.log(share / (1 - share)), math.log(len(score)), 1 - float(used[int(np.argmax(score))]) / now,
        size(best - start, 1e-3), *gains, gains[0] - gains[1], size(trend), size(-trend), size(trend_late), size(jitter), size(lost),
        size(best - last), size(float(np.ptp(score[late]))), distance, size(best - target, 1e-3), distance - gains[0],
        distance - size(trend), distance - size(jitter),
    )  # fmt: skip
    pace = max(best - half, jitter, lost, _SLOW * extent)
    return Progress(np.array(features), best, last, math.sqrt(pace * extent))


def _trend(x: Array, y: Array) -> float:
    """Return the Theil-Sen slope; 0 where there is none."""
    x, y = thin(x, y, most=_MOST)
    slope = theil_sen(x, y).slope if len(x) > 1 else 0.0
    return slope if math.isfinite(slope) else 0.0
