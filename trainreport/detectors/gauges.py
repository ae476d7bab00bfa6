"""What detectors read from a device's gauge: clean samples with what each stands for, and the device's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.stats.held import durations, low_stretches, weighted_mean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

__all__ = ["IDLE_S", "IDLE_SHARE", "Gauge", "Use", "in_use", "memory_used", "utilization"]

IDLE_SHARE = 0.02
IDLE_S = 300.0
"""Seconds at most at `IDLE_SHARE`: longer is idle (TR202), not low utilization (TR201)."""


class Gauge(NamedTuple):
    """Samples of one device in the order of time."""

    curve: Curve
    """Finite; `value` is a share."""
    seconds: Array
    """What each sample stands for; all 0 where the log has no times."""
    time_s: Array
    timed: bool

    @property
    def total_s(self) -> float:
        """Seconds that the samples stand for, gaps in the log left out."""
        return float(self.seconds.sum())


def utilization(case: Case) -> list[Gauge]:
    """Return the utilization of each GPU with at least one sample."""
    import numpy as np

    found = []
    for curve in map(reading.finite, case.devices("gpu/utilization")):
        if not len(curve):
            continue
        timed = bool(np.isfinite(curve.time_s).all() and (np.diff(curve.time_s) >= 0).all() and len(curve) > 1)
        times = curve.time_s if timed else np.zeros(len(curve))
        found.append(Gauge(curve, durations(times), times, timed))
    return found


def memory_used(case: Case, curve: Curve) -> float | None:
    """Return the median memory in use on the device of a curve, in bytes; None where it was not logged."""
    import numpy as np

    for other in map(reading.finite, case.devices("gpu/memory_used")):
        if (other.node, other.device) == (curve.node, curve.device) and len(other):
            return float(np.median(other.value))
    return None


class Use(NamedTuple):
    """How a device was used between its first and its last sign of work, idle stretches left out."""

    gauge: Gauge
    first: int
    last: int
    """Included."""
    weights: Array
    """Seconds of each sample from first to last, 0 where idle; all 1 where the log has no times."""
    seconds: float
    mean: float
    thirds: tuple[float, ...]
    """Mean of each third of that time."""


def in_use(gauge: Gauge, busy: float, samples: float, seconds: float) -> Use | None:
    """Return how a device was used; None where that is too little to say.

    Parameters
    ----------
    gauge : Gauge
    busy : float
        Utilization from which on a sample is a sign of work.
    samples, seconds : float
        Least number of samples and least time.
    """
    import numpy as np

    at = np.flatnonzero(gauge.curve.value >= busy)
    if not len(at):
        return None
    part = slice(int(at[0]), int(at[-1]) + 1)
    values = gauge.curve.value[part]
    weights = gauge.seconds[part].copy() if gauge.timed else np.ones(len(values))
    if gauge.timed:
        for idle in low_stretches(values, weights.copy(), gauge.time_s[part], IDLE_SHARE):
            if idle.seconds > IDLE_S:
                weights[idle.first : idle.last + 1] = 0.0
    total = float(weights.sum()) if gauge.timed else 0.0
    if (weights > 0).sum() < samples or (gauge.timed and total < seconds):
        return None
    return Use(gauge, part.start, part.stop - 1, weights, total, weighted_mean(values, weights), _thirds(values, weights))


def _thirds(values: Array, weights: Array) -> tuple[float, ...]:
    """Return the mean of each third of the time."""
    import numpy as np

    passed = np.cumsum(weights)
    third = np.minimum(2, (3 * (passed - weights / 2) / passed[-1]).astype(int))
    return tuple(weighted_mean(values[third == one], weights[third == one]) for one in range(3) if weights[third == one].sum() > 0)
