"""Energy: measured from power samples, else estimated from maximum power and utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.devices import device_of
from trainreport.model import words
from trainreport.model.curve import curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.model.ledger import DeviceUse
    from trainreport.model.run import RunLog

    Array = npt.NDArray[np.float64]

__all__ = ["Energy", "Running", "estimated_energy", "integrate", "mean_utilization", "measured_energy", "running_total"]

LONGEST_STEP_S = 120.0
"""Between samples further apart than two minutes (and than ten usual intervals) power is not known."""
LONGEST_STEP_INTERVALS = 10.0


class Running(NamedTuple):
    """Energy up to each moment; arrays share one length."""

    time_s: Array
    """Seconds since 1970 UTC."""
    joules: Array
    """Joules so far, PUE not included."""
    measured: bool


class Energy(NamedTuple):
    """Energy of one or more power logs."""

    joules: float
    gap_s: float
    """Seconds between samples too far apart to integrate over; not part of `joules`."""


def integrate(time_s: Array, power_w: Array) -> Energy:
    """Return the energy under power samples by the trapezoid rule, real gaps left out.

    Parameters
    ----------
    time_s : ndarray of float64, shape (n,)
        Seconds, in any order; samples without a time or a value are left out.
    power_w : ndarray of float64, shape (n,)
        Watts.
    """
    _, area, gap_s = _areas(time_s, power_w)
    return Energy(float(area.sum()), gap_s)


def _areas(time_s: Array, power_w: Array) -> tuple[Array, Array, float]:
    """Return the times in order, the energy between each two of them (0 in a gap), and the seconds of gaps."""
    import numpy as np

    known = np.isfinite(time_s) & np.isfinite(power_w)
    order = np.argsort(time_s[known], kind="stable")
    time, power = time_s[known][order], power_w[known][order]
    if len(time) < 2:
        return np.empty(0), np.empty(0), 0.0
    step = np.diff(time)
    gap = step > max(LONGEST_STEP_S, LONGEST_STEP_INTERVALS * float(np.median(step)))
    return time, np.where(gap, 0.0, step * (power[1:] + power[:-1]) / 2), float(step[gap].sum())


def running_total(log: RunLog, joules: float) -> Running | None:
    """Return how the energy of a run grew: by its power samples, else evenly over the run; None where it has no times.

    Parameters
    ----------
    log : RunLog
    joules : float
        All of it, where it was not measured.
    """
    import numpy as np

    parts = [(time, area) for one in curves(log, "gpu/power") for time, area, _ in [_areas(one.time_s, one.value)] if area.sum() > 0]
    if parts:
        every = np.unique(np.concatenate([time for time, _ in parts]))
        total = sum(np.interp(every, time, np.append(0.0, np.cumsum(area))) for time, area in parts)
        return Running(every, np.asarray(total), measured=True)
    start, end = log.run.started_at, log.run.ended_at
    if start is None or end is None or end <= start:
        return None
    return Running(np.array([start.timestamp(), end.timestamp()]), np.array([0.0, joules]), measured=False)


def measured_energy(log: RunLog) -> Energy | None:
    """Return the energy of all GPUs of a run, None where no power was logged."""
    found = [integrate(curve.time_s, curve.value) for curve in curves(log, "gpu/power")]
    if not any(energy.joules > 0 for energy in found):
        return None
    return Energy(sum(energy.joules for energy in found), sum(energy.gap_s for energy in found))


def estimated_energy(log: RunLog, used: Sequence[DeviceUse]) -> tuple[float | None, str]:
    """Return joules from maximum power, utilization and hours, and the basis; None and the reason where a GPU model is not known.

    Parameters
    ----------
    log : RunLog
        Its utilization counts; where a GPU has none it is taken to be busy throughout.
    used : sequence of DeviceUse
        The devices of the run.
    """
    gpus = [one for one in used if one.kind == "gpu"]
    if not gpus:
        return None, "not known: no power samples in the logs, and no GPU whose power could be estimated"
    joules, names, unseen = 0.0, dict[str, None](), 0
    for gpu in gpus:
        device = device_of(gpu.model)
        if device is None:
            model = gpu.model or "a GPU of unknown model"
            return None, f"not known: no power samples in the logs, and the maximum power of {model} is not in the table"
        share = mean_utilization(log, gpu)
        unseen += share is None
        joules += device.tdp_w * (1.0 if share is None else share) * gpu.hours * 3600
        names[f"{gpu.model} at {device.tdp_w:g} W"] = None
    assumed = f"; {words.plural(unseen, 'GPU')} without utilization taken as busy throughout" if unseen else ""
    return joules, f"estimated: maximum power ({words.joined(list(names))}) times utilization times hours held, idle draw left out{assumed}"


def mean_utilization(log: RunLog, gpu: DeviceUse) -> float | None:
    """Return the mean utilization (0..1) of one GPU, None where none was logged."""
    import numpy as np

    values = [
        curve.value[np.isfinite(curve.value)]
        for curve in curves(log, "gpu/utilization")
        if (curve.node, curve.device or "gpu0") == (gpu.node, gpu.device)
    ]
    every = np.concatenate(values) if values else np.empty(0)
    return float(every.mean()) if len(every) else None
