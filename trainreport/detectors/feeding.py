"""How the training was fed: what share of a step it waited for data, and whether processors, disk or network held it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.detectors.gauges import Gauge, gauges
from trainreport.detectors.waits import LINKS, Pressure, Together, busy_power, ceiling, network, pressure, together
from trainreport.stats.join import binned, common_edges, usual_interval
from trainreport.stats.periodic import repeats

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

__all__ = [
    "CORES_COUNTED", "CPU_FULL", "DATA_SHARE", "DISK_BUSY", "IO_OVER_CPU", "IO_WAIT", "LINK_PART", "STEADY", "TIME_SHARE", "WAITING",
    "DataTime", "Limited", "cpu_limited", "data_time", "disk_limited", "held_back", "network_limited", "step_pattern", "traffic",
]  # fmt: skip

DATA_SHARE = 0.20
WAITING = 0.70
TIME_SHARE = 0.50
CPU_FULL = 0.90
CORES_COUNTED = 1.05
"""A utilization above it is a sum over cores."""
IO_WAIT = 0.10
IO_OVER_CPU = 1.0
DISK_BUSY = 0.90
STEADY = 0.80
LINK_PART = 0.80
_WARM_UP = 0.01
"""Share of the first steps in which loaders start, left out."""
_LEAST_STEPS = 20


class DataTime(NamedTuple):
    """Time that the training loop waited for its next batch."""

    curve: Curve
    share: float
    """Of the step time, over all steps."""
    worst_share: float
    """Of the worst third of the steps."""
    worst: int
    data_s: float
    """Mean a step."""
    step_s: float
    p95_share: float
    total_s: float | None
    """Time that all steps took; None where that is not known."""


class Limited(NamedTuple):
    """A gauge of a machine at its limit, beside its GPUs."""

    both: Together
    pressure: Pressure
    power: tuple[float, float] | None = None
    """Share of time in which the GPUs were shown as busy, and their power then as a share of the limit."""


def data_time(case: Case) -> DataTime | None:
    """Return how long the training loop waited for data; None where that or the step time was not logged, or too few."""
    import numpy as np

    logged = case.curve("time/data", "train")
    curve = None if logged is None else reading.finite(logged)
    if curve is None or len(curve) < _LEAST_STEPS:
        return None
    steps = _step_seconds(case, curve)
    if steps is None:
        return None
    first = max(1, round(_WARM_UP * len(curve)))
    data, whole = curve.value[first:], steps[first:]
    if (data < 0).any() or whole.sum() <= 0:
        return None
    if data.sum() > whole.sum():  # the step was timed without its wait
        whole = whole + data
    parts = [part for part in np.array_split(np.arange(len(data)), 3) if len(part)]
    shares = [float(data[part].sum() / whole[part].sum()) for part in parts]
    worst = int(np.argmax(shares))
    covered = float(np.ptp(curve.step[first:])) * float(whole.mean()) if curve.has_step else None
    p95 = float(np.quantile(data / np.maximum(whole, 1e-12), 0.95))
    return DataTime(
        curve, float(data.sum() / whole.sum()), shares[worst], worst, float(data.mean()), float(whole.mean()), min(1.0, p95), covered
    )


def _step_seconds(case: Case, data: Curve) -> Array | None:
    """Return the seconds of the steps of a curve: as logged, from the rate, else from the clock of the log."""
    import numpy as np

    for name, rate in (("time/step", False), ("throughput/steps", True)):
        logged = case.curve(name, "train")
        curve = None if logged is None else reading.finite(logged)
        if curve is not None and len(curve) >= _LEAST_STEPS and (curve.value > 0).all():
            values = 1.0 / curve.value if rate else curve.value
            same = len(curve) == len(data) and bool((curve.step == data.step).all())
            return values if same else np.interp(data.step, curve.step, values)
    second = step_interval(data)
    return None if second is None else np.full(len(data), second)


def step_interval(curve: Curve) -> float | None:
    """Return the usual seconds a step by the clock of the log; None where it has no steps or no times."""
    import numpy as np

    if not curve.has_step or not np.isfinite(curve.time_s).all() or len(curve) < _LEAST_STEPS:
        return None
    steps, seconds = np.diff(curve.step), np.diff(curve.time_s)
    kept = (steps > 0) & (seconds > 0)
    return float(np.median(seconds[kept] / steps[kept])) if kept.sum() >= _LEAST_STEPS // 2 else None


def cpu_limited(case: Case, full: float = CPU_FULL) -> list[Limited]:
    """Return each machine's processors beside its GPUs; figures above 100 % count single cores and are left out."""
    found = []
    for gauge in gauges(case, "cpu/utilization"):
        both = together(case, gauge)
        if both is not None and both.host.max() <= CORES_COUNTED:
            found.append(Limited(both, pressure(both, both.host >= full)))
    return found


def disk_limited(case: Case, wait: float = IO_WAIT, over_cpu: float = IO_OVER_CPU, busy: float = DISK_BUSY) -> list[Limited]:
    """Return each machine's disks beside its GPUs: processors that wait for them more than they work, or disks that are always busy."""
    import numpy as np

    found = []
    for gauge in gauges(case, "cpu/iowait"):
        both = together(case, gauge)
        if both is not None:
            work = _beside(case, "cpu/utilization", both)
            ruled = np.ones(len(both.host), dtype=bool) if work is None else ~(both.host < over_cpu * work)
            found.append(Limited(both, pressure(both, (both.host >= wait) & ruled)))
    for gauge in gauges(case, "disk/busy"):
        both = together(case, gauge)
        if both is not None:
            found.append(Limited(both, pressure(both, both.host >= busy)))
    return found


def network_limited(case: Case, steady: float = STEADY, link_part: float = LINK_PART, link: float = 0.0) -> list[Limited]:
    """Return each machine's network beside its GPUs, at its limit where it stands at a ceiling that a link of a usual speed has."""
    import numpy as np

    found = []
    for gauge in network(case):
        both = together(case, gauge)
        if both is not None:
            top = ceiling(both.host)
            near = any(link_part * one <= top <= 1.01 * one for one in ((link,) if link > 0 else LINKS))
            at_limit = both.host >= steady * top if near else np.zeros(len(both.host), dtype=bool)
            found.append(Limited(both, pressure(both, at_limit), busy_power(case, both)))
    return found


def traffic(case: Case, series: str, one: Limited) -> float:
    """Return the bytes that a machine received or sent, or its mean rate where that was logged; 0 where neither was."""
    import numpy as np

    for gauge in gauges(case, series):
        if gauge.curve.node == one.both.gauge.curve.node:
            return float(np.mean(gauge.curve.value) if gauge.curve.unit.endswith("/s") else np.ptp(gauge.curve.value))
    return 0.0


def _beside(case: Case, series: str, both: Together) -> Array | None:
    """Return another gauge of the same machine over the same stretches of time."""
    import numpy as np

    other = next((one for one in gauges(case, series) if one.timed and one.curve.node == both.gauge.curve.node), None)
    if other is None:
        return None
    first, end = (np.searchsorted(other.time_s, both.start_s + shift) for shift in (0.0, both.seconds))
    total = np.append(0.0, np.cumsum(other.curve.value))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((total[end] - total[first]) / (end - first))


def step_pattern(case: Case) -> tuple[float, float, Gauge] | None:
    """Return how strongly a GPU's utilization repeats itself at the step time, the step time, and the GPU; None where it cannot show."""
    import numpy as np

    second = _usual_step(case)
    best: tuple[float, float, Gauge] | None = None
    for gauge in gauges(case, "gpu/utilization") if second else []:
        edges = common_edges([gauge.time_s]) if gauge.timed else None
        if edges is None or second is None or second < 3 * usual_interval(gauge.time_s):
            continue
        values = binned(gauge.time_s, gauge.curve.value, edges)
        values = np.interp(edges[:-1], edges[:-1][np.isfinite(values)], values[np.isfinite(values)])
        strength = repeats(values, second / float(edges[1] - edges[0]))
        if strength > (best[0] if best else 0.0):
            best = (strength, second, gauge)
    return best


def _usual_step(case: Case) -> float | None:
    import numpy as np

    timed = case.curve("time/step", "train")
    if timed is not None and len(reading.finite(timed)) >= _LEAST_STEPS:
        return float(np.median(reading.finite(timed).value))
    loss = case.curve("loss", "train")
    return None if loss is None else step_interval(loss)


def held_back(case: Case) -> str | None:
    """Return in words what kept the GPUs waiting, by the usual limits; None where nothing is known to."""
    data = data_time(case)
    if data is not None and data.share >= DATA_SHARE:
        return "data"
    if any(one.pressure.starves(TIME_SHARE, WAITING) for one in cpu_limited(case)):
        return "the processors"
    if any(one.pressure.starves(TIME_SHARE, WAITING) for one in disk_limited(case)):
        return "the disk"
    if any(one.pressure.starves(TIME_SHARE, WAITING) for one in network_limited(case)):
        return "the network"
    return None
