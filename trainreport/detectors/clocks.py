"""A GPU's clock, and what the driver says holds it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors.gauges import Gauge, beside, gauges
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case

    Array = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

__all__ = ["POWER", "THERMAL", "Clock", "Held", "clocks", "held_down", "reasons"]

THERMAL = {"sw_thermal_slowdown": 0x20, "hw_thermal_slowdown": 0x40}
"""Reasons that are heat, as columns and as bits of the mask (NVIDIA, NVML: nvmlClocksEventReasons)."""
POWER = {"sw_power_cap": 0x4, "hw_power_brake_slowdown": 0x80}
_BUSY = 0.5
_FEW = 10
_LAG = 3
"""Samples around one with a reason that are not taken for free work."""
_BASES = ("gpu/utilization", "gpu/throttle_reasons", "gpu/clock_sm", "gpu/temperature")


class Clock(NamedTuple):
    """One GPU while it worked; arrays share one length, NaN where nothing was logged at that moment."""

    gauge: Gauge
    seconds: Array
    """What each sample stands for, 0 where the GPU did not work."""
    busy: Mask
    clock: Array | None
    top: float | None
    """Highest clock that the GPU may have, as logged; None where it was not."""

    @property
    def busy_s(self) -> float:
        """Seconds of work."""
        return float(self.seconds.sum())

    def share(self, mask: Mask) -> float:
        """Return for what share of the work a mask holds."""
        return float(self.seconds[mask].sum() / self.busy_s) if self.busy_s > 0 else 0.0


class Held(NamedTuple):
    """How far a clock was held down."""

    share: float
    """Of the work."""
    clock: float
    """Median meanwhile, in Hz."""
    usual: float
    """The clock that it is compared with, in Hz."""
    against: str
    """Which that is."""

    @property
    def drop(self) -> float:
        """How far the clock fell, as a share."""
        return max(0.0, 1.0 - self.clock / self.usual)


@remembered
def clocks(case: Case) -> list[Clock]:
    """Return each GPU with its clock while it worked; without utilization all samples count as work."""
    import numpy as np

    found: dict[tuple[str | None, str | None], Clock] = {}
    for name in _BASES:
        for gauge in gauges(case, name):
            key = (gauge.curve.node, gauge.curve.device)
            if key in found:
                continue
            busy = gauge.curve.value >= _BUSY if name == "gpu/utilization" else np.ones(len(gauge.curve), dtype=bool)
            weights = np.where(busy, gauge.seconds if gauge.timed else 1.0, 0.0)
            clock = beside(case, "gpu/clock_sm", gauge)
            clock = beside(case, "gpu/clock_graphics", gauge) if clock is None else clock
            top = beside(case, "gpu/clock_sm_max", gauge)
            top = beside(case, "gpu/clock_graphics_max", gauge) if top is None else top
            known = None if top is None or not np.isfinite(top).any() else float(np.nanmedian(top))
            found[key] = Clock(gauge, weights, busy, clock, known)
    return list(found.values())


def reasons(case: Case, one: Clock, kinds: dict[str, int]) -> Mask | None:
    """Return when one of several reasons held a GPU's clock down; None where no reasons were logged."""
    import numpy as np

    mask: Mask | None = None
    bits = beside(case, "gpu/throttle_reasons", one.gauge)
    if bits is not None:
        whole = np.where(np.isfinite(bits) & (bits >= 0) & (bits < 2**53), bits, 0.0).astype(np.int64)
        mask = (whole & sum(kinds.values())) != 0
    for name in kinds:
        column = beside(case, f"gpu/throttle/{name}", one.gauge)
        if column is not None:
            active = np.nan_to_num(column) > 0
            mask = active if mask is None else mask | active
    return mask


def held_down(one: Clock, mask: Mask, held: Mask, *, against_top: bool) -> Held | None:
    """Return how far the clock lay below its usual one while a mask held; None where the clock was not logged.

    Parameters
    ----------
    one : Clock
    mask : ndarray of bool
    held : ndarray of bool
        When anything held the clock down; samples near one are left out too, for reasons flicker and clocks lag.
    against_top : bool
        Compare with the highest clock of the GPU; else with its own clock at free work, and with the highest only where
        there was too little of that.
    """
    import numpy as np

    if one.clock is None:
        return None
    known = np.isfinite(one.clock) & one.busy
    near = np.convolve(held, np.ones(2 * _LAG + 1), mode="same") > 0.5
    slowed, free = one.clock[known & mask], one.clock[known & ~near]
    if not len(slowed):
        return None
    if one.top is not None and (against_top or len(free) < _FEW):
        return Held(one.share(mask), float(np.median(slowed)), one.top, "the highest clock of the GPU")
    if len(free) >= _FEW:
        level = float(np.quantile(free, 0.95)) if against_top else float(np.median(free))
        return Held(one.share(mask), float(np.median(slowed)), level, "its clock at free work")
    best = float(np.quantile(one.clock[known], 0.99))
    return Held(one.share(mask), float(np.median(slowed)), best, "the highest clock in the log")
