"""GPUs that are shown as busy and draw little power: all of the time, or while another one has died."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors.clocks import POWER, THERMAL, clocks, reasons
from trainreport.detectors.gauges import IDLE_S, IDLE_SHARE, NO_CONTEXT, Gauge, beside, utilization
from trainreport.detectors.waits import power_share
from trainreport.stats.held import low_stretches, weighted_mean, weighted_quantile
from trainreport.stats.join import at_times, binned, common_edges

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case

    Array = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

__all__ = ["Dead", "Hollow", "dead_peer", "hollow"]

_WORKING = 0.05
_LESS_POWER = 0.8
"""Of the power before: peers that only wait draw clearly less."""


class Hollow(NamedTuple):
    """How one GPU was busy."""

    gauge: Gauge
    share: float
    """Of the time from the first to the last work: busy at low power, with nothing that holds the clock down."""
    worst_share: float
    """Of the third of the time with most of it."""
    power: float
    """Median power while shown as busy, as a share of the limit."""
    utilization: float
    memory: float | None
    """Mean share of time that memory was read or written while shown as busy; None where not logged."""
    seconds: float
    samples: int


class Dead(NamedTuple):
    """A GPU that stopped while the others went on being shown as busy."""

    dead: tuple[Gauge, ...]
    waiting: tuple[Gauge, ...]
    seconds: float
    first_s: float
    power: float
    before: float
    """Median power of the others as a share of the limit, meanwhile and before."""


def hollow(case: Case, busy: float, low_power: float) -> list[Hollow]:
    """Return for each GPU with times, power and its limit for how long it was busy at low power."""
    import numpy as np

    found = []
    for one in clocks(case):
        gauge = one.gauge
        power = power_share(case, gauge.curve)
        if gauge.curve.series != "gpu/utilization" or power is None or not (gauge.timed and power.timed) or _stuck(case, gauge):
            continue
        drawn = at_times(power.time_s, power.curve.value, gauge.time_s)
        kept = np.flatnonzero(np.isfinite(drawn) & (gauge.curve.value >= _WORKING))
        if not len(kept):
            continue
        part = slice(int(kept[0]), int(kept[-1]) + 1)
        shown = gauge.curve.value[part] >= busy
        if not shown.any():
            found.append(Hollow(gauge, 0.0, 0.0, float("nan"), 0.0, None, float(gauge.seconds[part].sum()), part.stop - part.start))
            continue
        freely = _free(reasons(case, one, THERMAL), reasons(case, one, POWER), len(gauge.curve))[part]
        seconds, drawn = gauge.seconds[part], drawn[part]
        empty = (shown & freely & (drawn < low_power)).astype(float)
        thirds = [each for each in np.array_split(np.arange(len(empty)), 3) if len(each)]
        memory = beside(case, "gpu/memory_utilization", gauge)
        known = None if memory is None or not np.isfinite(memory[part][shown]).any() else float(np.nanmean(memory[part][shown]))
        found.append(
            Hollow(
                gauge,
                weighted_mean(empty, seconds),
                max(weighted_mean(empty[each], seconds[each]) for each in thirds),
                _median(drawn[shown], seconds[shown]),
                weighted_mean(gauge.curve.value[part], seconds),
                known,
                float(seconds.sum()),
                len(empty),
            )
        )
    return found


def _free(thermal: Mask | None, power: Mask | None, count: int) -> Mask:
    """Return when nothing is known to hold the clock down."""
    import numpy as np

    held = np.zeros(count, dtype=bool)
    for mask in (thermal, power):
        if mask is not None:
            held |= mask
    return ~held


def _stuck(case: Case, gauge: Gauge) -> bool:
    import numpy as np

    used = beside(case, "gpu/memory_used", gauge)
    busy = gauge.curve.value >= 0.5
    return used is not None and bool(busy.any()) and bool(np.nanmax(np.append(used[busy], -np.inf)) < NO_CONTEXT)


def _median(values: Array, seconds: Array) -> float:
    import numpy as np

    kept = np.isfinite(values)
    return weighted_quantile(values[kept], seconds[kept], 0.5) if kept.any() else float("nan")


def dead_peer(case: Case, busy: float, low_power: float) -> Dead | None:
    """Return the longest time in which some GPUs stood at 0 % and all others were busy at low power; None where there is none.

    Those at 0 % must have worked before, and the others must have drawn more power before.
    """
    import numpy as np

    known = [(one, power) for one in utilization(case) if one.timed and (power := power_share(case, one.curve)) is not None]
    gpus, powers = [one for one, _ in known], [power for _, power in known]
    edges = common_edges([one.time_s for one in (*gpus, *powers)]) if len(gpus) > 1 and all(one.timed for one in powers) else None
    if edges is None:
        return None
    used = np.array([binned(one.time_s, one.curve.value, edges) for one in gpus])
    drawn = np.array([binned(one.time_s, one.curve.value, edges) for one in powers])
    down, waits = used <= IDLE_SHARE, (used >= busy) & (drawn < low_power)
    apart: Mask = np.asarray(down.any(axis=0) & waits.any(axis=0) & (down | waits).all(axis=0))
    seconds = np.full(len(apart), float(edges[1] - edges[0]))
    stretches = [one for one in low_stretches((~apart).astype(float), seconds, edges[:-1], 0.0) if one.seconds > IDLE_S]
    for one in sorted(stretches, key=lambda each: -each.seconds):
        middle = slice(one.first, one.last + 1)
        fallen = np.flatnonzero(down[:, middle].mean(axis=1) > 0.5)
        others = np.flatnonzero(waits[:, middle].mean(axis=1) > 0.5)
        worked = (used[fallen, : one.first] >= _WORKING).sum(axis=1)
        if not len(fallen) or not len(others) or (worked < 3).any():
            continue
        now = float(np.nanmedian(drawn[np.ix_(others, np.arange(one.first, one.last + 1))]))
        past = drawn[others, : one.first]
        before = float(np.nanmedian(past[used[others, : one.first] >= _WORKING]))
        if now < _LESS_POWER * before:
            return Dead(
                tuple(gpus[at] for at in fallen),
                tuple(gpus[at] for at in others),
                one.seconds,
                float(edges[one.first]),
                now,
                before,
            )
    return None
