"""Energy from power samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.model.curve import curves

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.run import RunLog

__all__ = ["Energy", "integrate", "measured_energy"]

LONGEST_STEP_S = 120.0
"""Between samples further apart than two minutes (and than ten usual intervals) power is not known."""
LONGEST_STEP_INTERVALS = 10.0


class Energy(NamedTuple):
    """Energy of one or more power logs."""

    joules: float
    gap_s: float
    """Seconds between samples too far apart to integrate over; not part of `joules`."""


def integrate(time_s: npt.NDArray[np.float64], power_w: npt.NDArray[np.float64]) -> Energy:
    """Return the energy under power samples by the trapezoid rule, real gaps left out.

    Parameters
    ----------
    time_s : ndarray of float64, shape (n,)
        Seconds, in any order; samples without a time or a value are left out.
    power_w : ndarray of float64, shape (n,)
        Watts.
    """
    import numpy as np

    known = np.isfinite(time_s) & np.isfinite(power_w)
    order = np.argsort(time_s[known], kind="stable")
    time, power = time_s[known][order], power_w[known][order]
    if len(time) < 2:
        return Energy(0.0, 0.0)
    step = np.diff(time)
    usual = float(np.median(step))
    gap = step > max(LONGEST_STEP_S, LONGEST_STEP_INTERVALS * usual)
    area = step * (power[1:] + power[:-1]) / 2
    return Energy(float(area[~gap].sum()), float(step[gap].sum()))


def measured_energy(log: RunLog) -> Energy | None:
    """Return the energy of all GPUs of a run, None where no power was logged."""
    found = [integrate(curve.time_s, curve.value) for curve in curves(log, "gpu/power")]
    if not any(energy.joules > 0 for energy in found):
        return None
    return Energy(sum(energy.joules for energy in found), sum(energy.gap_s for energy in found))
