"""What detectors read from a device's gauge: clean samples with what each stands for, and the device's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.stats.held import durations

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

__all__ = ["Gauge", "memory_used", "utilization"]


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
