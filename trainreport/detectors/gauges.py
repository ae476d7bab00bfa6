"""What detectors read from a device's gauge: clean samples with what each stands for, and the device's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.model.curve import curves
from trainreport.model.memo import remembered
from trainreport.stats.held import durations, low_stretches, weighted_mean
from trainreport.stats.join import at_times

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.run import RunLog

    Array = npt.NDArray[np.float64]

__all__ = [
    "IDLE_S",
    "IDLE_SHARE",
    "NO_CONTEXT",
    "Gauge",
    "Use",
    "beside",
    "gauge_of",
    "gauges",
    "in_use",
    "memory_used",
    "of_same_device",
    "utilization",
]

IDLE_SHARE = 0.02
IDLE_S = 300.0
"""Seconds at most at `IDLE_SHARE`: longer is idle (TR202), not low utilization (TR201)."""
NO_CONTEXT = 64 * 2**20
"""Bytes: a GPU that works for a process holds a context of some hundred MiB; one that is busy with less has a stuck sensor."""


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


def gauge_of(curve: Curve) -> Gauge | None:
    """Return the finite samples of a curve in the order of time; None where there are none."""
    import numpy as np

    curve = reading.finite(curve)
    if not len(curve):
        return None
    timed = bool(np.isfinite(curve.time_s).all() and (np.diff(curve.time_s) >= 0).all() and len(curve) > 1)
    times = curve.time_s if timed else np.zeros(len(curve))
    return Gauge(curve, durations(times), times, timed)


def gauges(case: Case, series: str) -> list[Gauge]:
    """Return a system series of each device, or of each machine, with at least one sample; do not change the list."""
    return _of_log(case.log, series)


@remembered
def _of_log(log: RunLog, series: str) -> list[Gauge]:
    return [gauge for curve in curves(log, series) if (gauge := gauge_of(curve)) is not None]


def utilization(case: Case) -> list[Gauge]:
    """Return the utilization of each GPU with at least one sample."""
    return gauges(case, "gpu/utilization")


def of_same_device(case: Case, series: str, curve: Curve) -> Gauge | None:
    """Return another series of the device of a curve, or None."""
    mine = (curve.node, curve.device)
    return next((one for one in gauges(case, series) if (one.curve.node, one.curve.device) == mine), None)


def beside(case: Case, series: str, gauge: Gauge) -> Array | None:
    """Return what another series of the device showed at a gauge's samples, NaN where nothing; None where it was not logged."""
    other = of_same_device(case, series, gauge.curve)
    if other is None or not (gauge.timed and other.timed):
        return other.curve.value if other is not None and len(other.curve) == len(gauge.curve) else None
    return at_times(other.time_s, other.curve.value, gauge.time_s)


def memory_used(case: Case, curve: Curve) -> float | None:
    """Return the median memory in use on the device of a curve, in bytes; None where it was not logged."""
    import numpy as np

    other = of_same_device(case, "gpu/memory_used", curve)
    return None if other is None else float(np.median(other.curve.value))


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
