"""A machine's processors, disks and network beside its GPUs: whether they stood at their limit while the GPUs waited."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors.gauges import IDLE_S, IDLE_SHARE, Gauge, gauge_of, of_same_device, utilization
from trainreport.stats.held import low_stretches, weighted_mean, weighted_quantile
from trainreport.stats.join import at_times, binned, common_edges, rates

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

__all__ = ["LINKS", "Pressure", "Together", "busy_power", "ceiling", "network", "power_share", "pressure", "together"]

_BUSY = 0.05
_SHOWN_BUSY = 0.9
_BINS = 12
_WORST_SHARE = 0.9
_WORST_GPU = 0.5
LINKS = tuple(gigabits * 1e9 / 8 for gigabits in (1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400))
"""Bytes a second of the usual Ethernet and InfiniBand links."""


class Together(NamedTuple):
    """A gauge of a machine and its GPUs over the same stretches of time, from the first to the last work, idle ones left out."""

    gauge: Gauge
    gpus: tuple[Gauge, ...]
    start_s: Array
    """When each stretch begins."""
    seconds: float
    """Of one stretch."""
    host: Array
    gpu: Array
    """Mean utilization of the GPUs."""

    @property
    def total_s(self) -> float:
        """Seconds that are covered by both."""
        return self.seconds * len(self.gpu)


class Pressure(NamedTuple):
    """How long something was at its limit, and what the GPUs did meanwhile."""

    share: float
    """Share of the time at the limit."""
    gpu: float
    """Mean utilization of the GPUs in that time."""
    worst_share: float
    """The same of the third of the time in which it was at its limit longest."""
    worst_gpu: float
    worst: int
    """Which third that is, from 0."""
    level: float
    """Median of the gauge while at the limit."""

    def starves(self, share: float, waiting: float) -> bool:
        """Return whether the GPUs waited for it: most of the time, or a third of it nearly throughout."""
        return (self.share >= share and self.gpu < waiting) or self.collapsed(share)

    def collapsed(self, share: float) -> bool:
        """Return whether one third alone shows it, which the whole would hide."""
        return self.share < share and self.worst_share >= _WORST_SHARE and self.worst_gpu < _WORST_GPU


def together(case: Case, host: Gauge) -> Together | None:
    """Return a machine's gauge beside its GPUs; None where they share too little time or the GPUs never worked."""
    import numpy as np

    gpus = tuple(one for one in utilization(case) if one.timed and _same_machine(one, host))
    edges = common_edges([host.time_s, *(one.time_s for one in gpus)]) if gpus and host.timed else None
    if edges is None:
        return None
    rows = np.array([binned(one.time_s, one.curve.value, edges) for one in gpus])
    values = binned(host.time_s, host.curve.value, edges)
    kept = np.isfinite(values) & np.isfinite(rows).all(axis=0)
    mean, width = rows.mean(axis=0), float(edges[1] - edges[0])
    working = np.flatnonzero(kept & (mean >= _BUSY))
    if not len(working):
        return None
    kept[: working[0]] = kept[working[-1] + 1 :] = False
    seconds = np.full(len(mean), width)
    for idle in low_stretches(np.where(kept, mean, 1.0), seconds, edges[:-1], IDLE_SHARE):
        if idle.seconds > IDLE_S:
            kept[idle.first : idle.last + 1] = False
    return Together(host, gpus, edges[:-1][kept], width, values[kept], mean[kept]) if kept.sum() >= _BINS else None


def _same_machine(gpu: Gauge, host: Gauge) -> bool:
    names = (gpu.curve.node, host.curve.node)
    return names[0] == names[1] or None in names


def pressure(both: Together, at_limit: Mask) -> Pressure:
    """Return for how much of the time a mask holds, and the GPUs' utilization meanwhile; 1 where it never holds."""
    import numpy as np

    thirds = [part for part in np.array_split(np.arange(len(at_limit)), 3) if len(part)]
    worst = max(range(len(thirds)), key=lambda one: at_limit[thirds[one]].mean())
    part = thirds[worst]
    return Pressure(
        share=float(at_limit.mean()),
        gpu=float(both.gpu[at_limit].mean()) if at_limit.any() else 1.0,
        worst_share=float(at_limit[part].mean()),
        worst_gpu=float(both.gpu[part][at_limit[part]].mean()) if at_limit[part].any() else 1.0,
        worst=worst,
        level=float(np.median(both.host[at_limit])) if at_limit.any() else float("nan"),
    )


def network(case: Case) -> list[Gauge]:
    """Return the traffic of each machine in bytes a second, the busier direction of received and sent at each moment."""
    import numpy as np

    received, sent = ([one for curve in case.devices(name) if (one := _rate(gauge_of(curve))) is not None] for name in _DIRECTIONS)
    found = []
    for one in received or sent:
        other = next((each for each in sent if each is not one and each.curve.node == one.curve.node), None)
        if other is None:
            found.append(one)
            continue
        beside = at_times(other.time_s, other.curve.value, one.time_s)
        found.append(one._replace(curve=replace(one.curve, value=np.fmax(one.curve.value, beside))))
    return found


_DIRECTIONS = ("network/received", "network/sent")


def _rate(gauge: Gauge | None) -> Gauge | None:
    """Return a counter of bytes as a rate; one that is a rate already as it is."""
    import numpy as np

    if gauge is None or not gauge.timed or len(gauge.curve) < 3:
        return None
    curve = gauge.curve
    if curve.unit.endswith("/s") or (np.diff(curve.value) < 0).mean() > 0.05:
        return gauge
    times, values = rates(curve.time_s, curve.value)
    if len(values) < 3:
        return None
    nothing = np.full(len(values), np.nan)
    steps = np.arange(len(values))
    return gauge_of(replace(curve, value=values, time_s=times, step=steps, epoch=nothing, unit="B/s", has_step=False))


def power_share(case: Case, curve: Curve) -> Gauge | None:
    """Return the power of the device of a curve as a share of its limit; None where one of them is not known."""
    import numpy as np

    logged = of_same_device(case, "gpu/power_share", curve)
    if logged is not None:
        return logged
    power, limit = (of_same_device(case, name, curve) for name in ("gpu/power", "gpu/power_limit"))
    if power is None or limit is None or np.median(limit.curve.value) <= 0:
        return None
    shares = power.curve.value / float(np.median(limit.curve.value))
    return power._replace(curve=replace(power.curve, value=shares, unit="1"))


def busy_power(case: Case, both: Together) -> tuple[float, float] | None:
    """Return the share of time in which the GPUs were shown as busy, and their mean power then as a share of the limit.

    None where power or its limit is not known.
    """
    import numpy as np

    shares, powers = [], []
    for gpu in both.gpus:
        power = power_share(case, gpu.curve)
        if power is None or not power.timed:
            continue
        inside = (gpu.time_s >= both.start_s[0]) & (gpu.time_s <= both.start_s[-1] + both.seconds)
        busy = inside & (gpu.curve.value >= _SHOWN_BUSY)
        drawn = at_times(power.time_s, power.curve.value, gpu.time_s[busy])
        known = np.isfinite(drawn)
        if known.any():
            shares.append(float(gpu.seconds[busy].sum() / gpu.seconds[inside].sum()))
            powers.append(weighted_mean(drawn[known], gpu.seconds[busy][known]))
    return (float(np.mean(shares)), float(np.mean(powers))) if shares else None


def ceiling(values: Array) -> float:
    """Return the level that a gauge hardly exceeds: its 98th percentile."""
    import numpy as np

    return weighted_quantile(values, np.ones(len(values)), 0.98)
