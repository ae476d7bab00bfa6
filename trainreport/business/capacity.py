"""What the GPUs were held for: busy and idle hours by day, team and device, runs that shared one, and what the next run needs."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.compute import held_by_log
from trainreport.business.ledger import total_cost
from trainreport.business.queue import queue_wait
from trainreport.model import clock
from trainreport.model.curve import curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.business.hours import Key, Span
    from trainreport.model.ledger import DeviceUse, Ledger
    from trainreport.model.money import Money
    from trainreport.model.plan import Plan
    from trainreport.model.run import Run, RunLog

    Array = npt.NDArray[np.float64]

__all__ = ["BUSY_FROM", "Capacity", "NextRun", "Owned", "Shared", "Spread", "Use", "capacity", "owner"]

BUSY_FROM = 0.02
"""A GPU above this utilization works; at or below it stands idle, as TR202 and TR219 count it."""
_GAP_S = 120.0
_GAP_INTERVALS = 10.0
"""A sample holds for no longer than two minutes and ten usual intervals: after that nothing was seen."""
_MOST_DAYS = 4000
_SAME = 1.001


class Use(NamedTuple):
    """Hours that one device was held on one day."""

    day: date | None
    """In the plan's zone; None where the run has no times."""
    team: str
    device: str
    node: str | None
    model: str | None
    busy_h: float
    idle_h: float
    unseen_h: float
    """Held, and no sample says what it did."""

    @property
    def hours(self) -> float:
        """All of them."""
        return self.busy_h + self.idle_h + self.unseen_h


class Shared(NamedTuple):
    """A device that several runs held at once."""

    device: str
    node: str | None
    hours: float
    runs: tuple[str, ...]
    """Names."""


class Owned(NamedTuple):
    """What the runs of one team and project took."""

    team: str
    project: str
    runs: int
    gpu_hours: float | None
    cost: Money | None


class Spread(NamedTuple):
    """A quantity over runs that were done: the middle one, the lowest and the highest."""

    low: float
    mid: float
    high: float
    runs: int


@dataclass(frozen=True, slots=True)
class NextRun:
    """What runs of the same kind took that were done: the next one is taken to be like them."""

    kind: str
    """What makes them alike."""
    runs: int
    gpu_hours: Spread | None
    wall_s: Spread | None
    memory_bytes: Spread | None
    """Highest memory in use of any of its GPUs."""
    cost: tuple[Money, Money, Money] | None
    """Lowest, middle, highest."""

    @property
    def inside(self) -> float | None:
        """Chance that the next alike run falls within the range: of n + 1 alike, it is neither the lowest nor the highest."""
        return (self.runs - 1) / (self.runs + 1) if self.runs > 1 else None


@dataclass(frozen=True, slots=True)
class Capacity:
    """All of it, over the runs of an assessment."""

    uses: tuple[Use, ...]
    shared: tuple[Shared, ...]
    owned: tuple[Owned, ...]
    waits: tuple[tuple[str, float], ...]
    """(name of a run, seconds in the queue) of those that say so."""
    next_run: NextRun | str
    """Or why it is not known."""

    def total(self, of: str) -> float:
        """Return the hours of all devices: ``busy_h``, ``idle_h`` or ``unseen_h``."""
        return float(sum(getattr(use, of) for use in self.uses))


def capacity(taken: Sequence[tuple[RunLog, Ledger]], plan: Plan) -> Capacity:
    """Return what GPUs were held for, over all runs.

    Parameters
    ----------
    taken : sequence of (RunLog, Ledger)
        The leading run first: the next run is one of its kind.
    plan : Plan
        Its tags are those of runs without any; its zone says where a day ends.
    """
    held = [held_by_log(log, plan) for log, _ in taken]
    everyone: dict[Key, list[tuple[int, Span]]] = defaultdict(list)
    for number, spans in enumerate(held):
        for key, parts in spans.items():
            everyone[key] += [(number, span) for span in parts]
    uses: dict[tuple[date | None, str, str, str | None, str | None], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for (log, ledger), spans in zip(taken, held, strict=True):
        team = owner(log.run, plan)[0]
        own = {(device.node, device.device) for device in ledger.devices}
        mine = {key: parts for key, parts in spans.items() if (key[1], key[2] or "gpu0") in own}  # a machine may have more than a job
        found = list(_seen(log, mine or spans, everyone, ledger, plan.display_zone))
        if (ledger.gpu_hours or 0.0) > _SAME * sum(sum(hours) for *_, hours in found):  # a scheduler gave more than the log shows
            found += _unseen(log, _unlogged(ledger, found), plan.display_zone)
        for day, device, node, model, hours in found:
            sums = uses[day, team, device, node, model]
            for at, value in enumerate(hours):
                sums[at] += value
    rows = [Use(*key, *sums) for key, sums in uses.items() if sum(sums) > 0]
    waits = [(log.run.name, wait.seconds) for log, _ in taken if (wait := queue_wait(log.run)) is not None]
    return Capacity(
        tuple(sorted(rows, key=lambda use: (use.day or date.min, use.team, use.node or "", use.device))),
        tuple(_shared(everyone, [log.run.name for log, _ in taken])),
        tuple(_owned(taken, plan)),
        tuple(waits),
        _next_run(taken),
    )


def owner(run: Run, plan: Plan) -> tuple[str, str]:
    """Return team and project of a run: its own tags, else the plan's; empty where neither says."""
    own = {key.rpartition("/")[2].rpartition(".")[2].lower(): value for key, value in run.tags.items()}
    agreed = {key.lower(): value for key, value in plan.tags.items()}
    return tuple(own.get(name) or agreed.get(name, "") for name in ("team", "project"))  # type: ignore[return-value]


_Found = tuple["date | None", str, "str | None", "str | None", tuple[float, float, float]]


def _seen(
    log: RunLog, spans: Mapping[Key, list[Span]], everyone: Mapping[Key, list[tuple[int, Span]]], ledger: Ledger, zone: str
) -> Iterable[_Found]:
    """Yield hours by day and device, from the samples; a device that several runs hold counts in equal parts."""
    import numpy as np

    models = {(one.node, one.device): one.model for one in ledger.devices}
    gauges = {(one.file, one.node, one.device): one for one in curves(log, "gpu/utilization")}
    for key, parts in spans.items():
        _, node, device = key
        gauge = gauges.get(key)
        time, value = (np.empty(0), np.empty(0)) if gauge is None else (gauge.time_s, gauge.value)
        known = np.isfinite(time) & np.isfinite(value)
        order = np.argsort(time[known], kind="stable")
        time, value = time[known][order], value[known][order]
        others = [span for _, span in everyone[key]]
        for span in parts:
            for day, hours in _by_day(span, others, (time, value), zone).items():
                yield day, device or "gpu0", node, models.get((node, device or "gpu0")), hours


def _by_day(span: Span, others: Sequence[Span], samples: tuple[Array, Array], zone: str) -> dict[date, tuple[float, float, float]]:
    """Return busy, idle and unseen hours of each day of a span."""
    import numpy as np

    time, value = samples
    days = _days(span, zone)
    marks = [*(edge for one in others for edge in one), *(start for _, start in days)]
    usual = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    longest = max(_GAP_S, _GAP_INTERVALS * usual)
    edges = np.unique(np.concatenate([time, time + longest, np.array(marks), np.array(span)]))
    edges = edges[(edges >= span[0]) & (edges <= span[1])]
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    holders = np.zeros(len(middle))
    for start, end in others:
        holders += (start <= middle) & (middle < end)
    width = width / np.maximum(holders, 1.0) / 3600
    at = np.searchsorted(time, middle, side="right") - 1
    there = at >= 0
    there[there] = middle[there] - time[at[there]] <= longest
    busy = np.zeros(len(middle), dtype=bool)
    busy[there] = value[at[there]] > BUSY_FROM
    day_of = np.searchsorted([start for _, start in days], middle, side="right") - 1
    parts = [np.bincount(day_of, np.where(kind, width, 0.0), len(days)) for kind in (busy, there & ~busy, ~there)]
    return {day: (float(parts[0][i]), float(parts[1][i]), float(parts[2][i])) for i, (day, _) in enumerate(days)}


def _days(span: Span, zone: str) -> list[tuple[date, float]]:
    """Return each day that a span touches with its start in seconds since 1970."""
    place = clock.zone(zone)
    first = datetime.fromtimestamp(span[0], UTC).astimezone(place).date()
    last = datetime.fromtimestamp(span[1], UTC).astimezone(place).date()
    many = min((last - first).days, _MOST_DAYS)
    days = [first + timedelta(days=number) for number in range(many + 1)]
    return [(day, datetime.combine(day, datetime.min.time(), place).timestamp()) for day in days]


def _unlogged(ledger: Ledger, found: Sequence[_Found]) -> list[DeviceUse]:
    """Return the GPUs of a run with the hours that a scheduler gave and its hardware log does not show."""
    seen: dict[tuple[str | None, str], float] = defaultdict(float)
    for _, device, node, _, hours in found:
        seen[node, device] += sum(hours)
    gpus = [one for one in ledger.devices if one.kind == "gpu"]
    left = {one: one.hours - seen[one.node, one.device] for one in gpus if one.hours > _SAME * seen[one.node, one.device]}
    return [replace(one, hours=hours) for one, hours in left.items()]


def _unseen(log: RunLog, devices: Sequence[DeviceUse], zone: str) -> Iterable[_Found]:
    """Yield the hours of GPUs that no hardware log covers: held while the run was alive, and nobody saw what they did."""
    start, end = log.run.started_at, log.run.ended_at
    for one in devices:
        if start is None or end is None or end <= start:
            yield None, one.device, one.node, one.model, (0.0, 0.0, one.hours)
            continue
        span = start.timestamp(), end.timestamp()
        days = _days(span, zone)
        for (day, since), until in zip(days, [later for _, later in days[1:]] + [span[1]], strict=True):
            part = (until - max(span[0], since)) / (span[1] - span[0])
            yield day, one.device, one.node, one.model, (0.0, 0.0, one.hours * part)


def _shared(everyone: Mapping[Key, list[tuple[int, Span]]], names: Sequence[str]) -> Iterable[Shared]:
    """Yield the devices that two runs or more held at once, the longest first."""
    found = []
    for (_, node, device), held in everyone.items():
        edges = sorted({edge for _, span in held for edge in span})
        seconds, runs = 0.0, dict[int, None]()
        for start, end in itertools.pairwise(edges):
            there = {number for number, span in held if span[0] <= start and span[1] >= end}
            if len(there) > 1:
                seconds += end - start
                runs |= dict.fromkeys(sorted(there))
        if seconds > 0:
            found.append(Shared(device or "gpu0", node, seconds / 3600, tuple(names[number] for number in runs)))
    return sorted(found, key=lambda one: -one.hours)


def _owned(taken: Sequence[tuple[RunLog, Ledger]], plan: Plan) -> Iterable[Owned]:
    """Yield what each team and project took."""
    groups: dict[tuple[str, str], list[Ledger]] = defaultdict(list)
    for log, ledger in taken:
        if ledger.devices or ledger.cost is not None:
            groups[owner(log.run, plan)].append(ledger)
    for (team, project), ledgers in sorted(groups.items()):
        hours = [one.gpu_hours for one in ledgers if one.gpu_hours is not None]
        yield Owned(team, project, len(ledgers), sum(hours) if hours else None, total_cost(one.cost for one in ledgers))


def _next_run(taken: Sequence[tuple[RunLog, Ledger]]) -> NextRun | str:
    """Return what the finished runs of the leading run's kind took: as many GPUs of the same model."""
    kind = _kind(taken[0][1])
    if kind is None:
        return "it is not known which GPUs the leading run held"
    alike = [(log, ledger) for log, ledger in taken if log.run.status == "finished" and _kind(ledger) == kind]
    if not alike:
        return "no run of this kind is known to have finished"
    costs = sorted((one.cost for _, one in alike if one.cost is not None), key=lambda one: one.amount)
    return NextRun(
        kind=f"{kind[0]} {'GPU' if kind[0] == 1 else 'GPUs'}" + (f" ({kind[1]})" if kind[1] else ""),
        runs=len(alike),
        gpu_hours=_spread(alike, lambda _, ledger: ledger.gpu_hours),
        wall_s=_spread(alike, lambda _, ledger: ledger.wall_s),
        memory_bytes=_spread(alike, lambda log, _: _memory_peak(log)),
        cost=(costs[0], (costs[(len(costs) - 1) // 2] + costs[len(costs) // 2]).times(0.5), costs[-1])
        if len(costs) == len(alike)
        else None,
    )


def _kind(ledger: Ledger) -> tuple[int, str] | None:
    gpus = [one for one in ledger.devices if one.kind == "gpu"]
    return (len(gpus), ", ".join(sorted({one.model or "" for one in gpus}))) if gpus else None


def _spread(alike: Sequence[tuple[RunLog, Ledger]], of: Callable[[RunLog, Ledger], float | None]) -> Spread | None:
    values = sorted(value for log, ledger in alike if (value := of(log, ledger)) is not None)
    return Spread(values[0], statistics.median(values), values[-1], len(values)) if values else None


def _memory_peak(log: RunLog) -> float | None:
    import numpy as np

    peaks = [float(np.nanmax(one.value)) for one in curves(log, "gpu/memory_used") if np.isfinite(one.value).any()]
    return max(peaks, default=None)
