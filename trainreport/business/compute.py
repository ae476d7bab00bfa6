"""Hours that devices were held by a run."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.business.allocation import allocations, covered, own_spans
from trainreport.business.counts import OF_MACHINE, counts, said
from trainreport.business.hours import Hours, Key, Span, allocated, within
from trainreport.business.length import Length, logged_length
from trainreport.model import words
from trainreport.model.curve import curves
from trainreport.model.ledger import DeviceUse, HoursTold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trainreport.business.allocation import Allocation
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = [
    "device_hours",
    "fair_seconds",
    "held_by_log",
    "length_of",
    "seconds_covered",
    "wall_seconds",
    "wall_seconds_together",
]

GAP_S = 900.0
"""A hole of more than 15 minutes in a hardware log outside the training is time that nobody held the GPU for."""
GAP_INTERVALS = 20.0
"""... and of more than this many usual sampling intervals, so that a slow sampler is not taken for a hole."""

_COVERED = 0.95
"""Share of a run's time that lies in its jobs where all of them are known; clocks and rounding explain the rest."""

_HOST = "wandb.host"


def wall_seconds(log: RunLog) -> float | None:
    """Return the seconds from the first to the last sign of life of a run."""
    run = log.run
    return None if run.started_at is None or run.ended_at is None else (run.ended_at - run.started_at).total_seconds()


def length_of(log: RunLog) -> Length | None:
    """Return how long a run took: from its first to its last sign of life, without times as its log tells, None where nothing does."""
    wall = wall_seconds(log)  # a single time, such as that of the file, is no length
    return Length(wall, "wall time of the run", logged=False) if wall else logged_length(log)


def wall_seconds_together(logs: Sequence[RunLog]) -> float | None:
    """Return the seconds during which at least one of the runs was alive, None where nothing tells.

    The length of a run without times lies at no place in time and cannot overlap: it counts in full.
    """
    timed = seconds_covered(
        (log.run.started_at.timestamp(), log.run.ended_at.timestamp())
        for log in logs
        if log.run.started_at is not None and log.run.ended_at is not None
    )
    lengths = [told.seconds for log in logs if (told := length_of(log)) is not None and told.logged]
    return sum(lengths, timed or 0.0) if lengths else timed


def seconds_covered(spans: Iterable[Span]) -> float | None:
    """Return the seconds that lie in at least one of several spans, None where there is none."""
    total, reached = None, float("-inf")
    for start, end in sorted(spans):
        total = (total or 0.0) + max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def device_hours(logs: Sequence[RunLog], plan: Plan) -> list[Hours]:
    """Return the device hours of each run, those of a shared device split equally while runs overlap on it.

    What a scheduler or a service gave is what is paid for; without it the GPU log counts, then the length of the run.

    Parameters
    ----------
    logs : sequence of RunLog
        All runs of the assessment, for they may share devices.
    plan : Plan
        Says how many GPUs where nothing else does.
    """
    held = [_held(log) for log in logs]
    everyone: dict[Key, list[Span]] = defaultdict(list)
    for spans in held:
        for device, parts in spans.items():
            everyone[device] += parts
    on_host: dict[str | None, list[Span]] = defaultdict(list)
    for log in logs:
        if (span := _span(log)) is not None:
            on_host[log.run.tags.get(_HOST)].append(span)
    parents = {log.run.parent for log in logs}
    return [
        _of_parent()
        if log.frame.empty and log.run.id in parents
        else _given_or_seen(log, spans, everyone, given, plan)
        or _from_length(log, plan, on_host[log.run.tags.get(_HOST)], shared=given is not None and given.shared)
        for log, spans, given in zip(logs, held, allocations(logs), strict=True)
    ]


def _given_or_seen(
    log: RunLog, spans: Mapping[Key, list[Span]], everyone: Mapping[Key, list[Span]], given: Allocation | None, plan: Plan
) -> Hours | None:
    seen = _from_log(log, spans, everyone) if spans else None
    if given is not None and not given.shared and (seen is None or covered(log) >= _COVERED):
        return allocated(log, spans, seen, given)
    if seen is None or _is_part(log, spans, plan):
        return None
    return seen if given is None else _beside_scheduler(seen, given, log)


def _span(log: RunLog) -> Span | None:
    start, end = log.run.started_at, log.run.ended_at
    return None if start is None or end is None or end <= start else (start.timestamp(), end.timestamp())


def held_by_log(log: RunLog, plan: Plan) -> dict[Key, list[Span]]:
    """Return when each device was held by a run; empty where no hardware log says so for all of them, and wall time counts.

    What the log shows before or after the run's own jobs is none of it.
    """
    held = _held(log)
    if not held or _is_part(log, held, plan):
        return {}
    jobs = own_spans(log)
    return held if not jobs or covered(log) < _COVERED else {key: cut for key, parts in held.items() if (cut := within(parts, jobs))}


def _of_parent() -> Hours:
    return Hours((), "none of its own: the runs nested in it did the work, and are counted there")


def _held(log: RunLog) -> dict[Key, list[Span]]:
    """Return, for each (file, node, device) of the hardware log, the spans that it was held."""
    found: dict[Key, list[Span]] = {}
    for series in ("gpu/utilization", "gpu/power", "gpu/memory_used"):
        for curve in curves(log, series):
            if (curve.file, curve.node, curve.device) not in found:
                spans = _spans(curve, log)
                if spans:
                    found[curve.file, curve.node, curve.device] = spans
    return found


def _is_part(log: RunLog, held: Mapping[Key, list[Span]], plan: Plan) -> bool:
    """Return whether only training tools logged GPUs, and fewer than the run is said to have had: a process logs its own."""
    rows = log.frame[["file", "phase"]]
    of_training = set(rows.loc[rows["phase"] != "system", "file"].unique())
    if any(file not in of_training for file, _, _ in held):
        return False
    return any(kind == "gpu" and count > len(held) for kind, count, _ in said(log, plan)[:1])


def _spans(curve: Curve, log: RunLog) -> list[Span]:
    import numpy as np

    time = np.sort(curve.time_s[np.isfinite(curve.time_s)])
    if len(time) < 2:
        return []
    gaps = np.diff(time)
    usual = float(np.median(gaps))
    hole = gaps > max(GAP_S, GAP_INTERVALS * usual)
    run = log.run
    if run.started_at is not None and run.ended_at is not None:  # while it trained it held the GPU, sampled or not
        hole &= (time[1:] <= run.started_at.timestamp()) | (time[:-1] >= run.ended_at.timestamp())
    cuts = np.flatnonzero(hole)
    starts = time[np.r_[0, cuts + 1]]
    ends = time[np.r_[cuts, len(time) - 1]]
    return [(float(start), float(end) + usual) for start, end in zip(starts, ends, strict=True)]


def _from_log(
    log: RunLog,
    held: Mapping[Key, list[Span]],
    everyone: Mapping[Key, list[Span]],
) -> Hours:
    devices = tuple(
        DeviceUse(
            "gpu",
            device or "gpu0",
            node,
            _model(log, device),
            sum(fair_seconds(span, everyone[file, node, device]) for span in spans) / 3600,
        )
        for (file, node, device), spans in sorted(held.items(), key=lambda item: tuple(part or "" for part in item[0]))
    )
    shared = any(len(everyone[key]) > len(spans) for key, spans in held.items())
    together = "; hours in which runs overlap on a device are split equally between them" if shared else ""
    plural = "s" if len(devices) != 1 else ""
    basis = f"from the GPU log: {len(devices)} GPU{plural}, first to last sample of each{together}"
    return Hours(devices, basis, (HoursTold("gpu-log", len(devices), sum(device.hours for device in devices), True, basis),))


def _beside_scheduler(seen: Hours, given: Allocation, log: RunLog) -> Hours:
    """Return the hours of the GPU log with the scheduler's, which do not count, beside them."""
    told = HoursTold("scheduler", given.gpus, given.hours, False, given.words)
    why = (
        f"beside it the scheduler, for several runs together: {given.words}"
        if given.shared
        else f"the scheduler's jobs hold {words.share(covered(log))} of the run's time only and do not count: {given.words}"
    )
    return Hours(seen.devices, f"{seen.basis}; {why}", (*seen.told, told))


def _model(log: RunLog, device: str | None) -> str | None:
    """Return the name of a GPU: its own where a machine holds several kinds, else that of all."""
    return log.run.tags.get(f"{device}.name") or log.run.hardware.gpu_model


def fair_seconds(span: Span, everyone: Sequence[Span]) -> float:
    """Return the seconds of `span`, each divided by the number of runs that hold the device then."""
    edges = sorted({edge for one in everyone for edge in one if span[0] < edge < span[1]} | set(span))
    total = 0.0
    for start, end in itertools.pairwise(edges):
        holders = sum(one[0] <= start and one[1] >= end for one in everyone)
        total += (end - start) / max(holders, 1)
    return total


def _from_length(log: RunLog, plan: Plan, on_host: Sequence[Span], *, shared: bool) -> Hours:
    """Return the hours of as many devices as are known for as long as the run took: by its times, else as its log tells.

    The GPUs of a machine are split equally between the runs that are known to have been on it at a time (`on_host`).
    """
    length = length_of(log)
    if length is None:
        return Hours((), "not known: no hardware log, and nothing in the logs has a time or tells how long the run took")
    model = log.run.hardware.gpu_model
    for kind, count, source in counts(log, plan, shared=shared):
        span = _span(log)
        split = span is not None and source.startswith(OF_MACHINE) and _HOST in log.run.tags
        seconds = fair_seconds(span, on_host) if split and span is not None else length.seconds
        together = "; hours in which runs overlap on it are split equally between them" if seconds < length.seconds else ""
        hours = seconds / 3600
        devices = tuple(DeviceUse(kind, f"{kind}{number}", None, model if kind == "gpu" else None, hours) for number in range(count))
        noun = {"gpu": "GPU", "cpu": "CPU", "tpu": "TPU"}[kind]
        basis = f"{length.basis} times {words.plural(count, noun)} {source}{together}; no hardware log of all of them"
        told = HoursTold("logged-length" if length.logged else "wall-time", count, hours * count, True, basis)
        return Hours(devices, basis, (told,) if kind == "gpu" else ())
    return Hours((), "not known: no hardware log, and neither the plan ([training] gpus) nor the run says how many devices it held")
