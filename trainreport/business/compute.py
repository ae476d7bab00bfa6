"""Hours that devices were held by a run."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trainreport.business.allocation import allocations
from trainreport.model import words
from trainreport.model.curve import curves
from trainreport.model.ledger import DeviceUse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trainreport.business.allocation import Allocation
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = [
    "Hours",
    "Key",
    "Span",
    "device_hours",
    "fair_seconds",
    "held_by_log",
    "seconds_covered",
    "wall_seconds",
    "wall_seconds_together",
]

GAP_S = 900.0
"""A hole of more than 15 minutes in a hardware log outside the training is time that nobody held the GPU for."""
GAP_INTERVALS = 20.0
"""... and of more than this many usual sampling intervals, so that a slow sampler is not taken for a hole."""

_COUNT_PARAMS = ("world_size", "num_gpus", "n_gpus", "n_gpu", "gpus", "ngpus", "gpu_count", "num_devices", "nproc_per_node")
_CPU_PARAMS = ("num_cpus", "cpu_count", "n_cpus", "cpus")
_TPU_PARAMS = ("num_tpus", "tpu_count", "tpu_cores", "num_tpu_cores")

Span = tuple[float, float]
Key = tuple[str, str | None, str | None]
"""File, node and device of a hardware log."""
Kind = Literal["gpu", "cpu", "tpu"]


@dataclass(frozen=True, slots=True)
class Hours:
    """The devices of one run with their hours, and how that is known."""

    devices: tuple[DeviceUse, ...]
    basis: str

    def total(self, kind: str) -> float | None:
        """Return the hours of all devices of a kind, None where there is none."""
        hours = [device.hours for device in self.devices if device.kind == kind]
        return sum(hours) if hours else None


def wall_seconds(log: RunLog) -> float | None:
    """Return the seconds from the first to the last sign of life of a run."""
    run = log.run
    return None if run.started_at is None or run.ended_at is None else (run.ended_at - run.started_at).total_seconds()


def wall_seconds_together(logs: Sequence[RunLog]) -> float | None:
    """Return the seconds during which at least one of the runs was alive, None where no run has times."""
    return seconds_covered(
        (log.run.started_at.timestamp(), log.run.ended_at.timestamp())
        for log in logs
        if log.run.started_at is not None and log.run.ended_at is not None
    )


def seconds_covered(spans: Iterable[Span]) -> float | None:
    """Return the seconds that lie in at least one of several spans, None where there is none."""
    total, reached = None, float("-inf")
    for start, end in sorted(spans):
        total = (total or 0.0) + max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def device_hours(logs: Sequence[RunLog], plan: Plan) -> list[Hours]:
    """Return the device hours of each run, those of a shared device split equally while runs overlap on it.

    Parameters
    ----------
    logs : sequence of RunLog
        All runs of the assessment, for they may share devices.
    plan : Plan
        Says how many GPUs where no hardware log does.
    """
    held = [_held(log) for log in logs]
    everyone: dict[Key, list[Span]] = defaultdict(list)
    for spans in held:
        for device, parts in spans.items():
            everyone[device] += parts
    parents = {log.run.parent for log in logs}
    return [
        _of_parent()
        if log.frame.empty and log.run.id in parents
        else _beside_scheduler(_from_log(log, spans, everyone), given, log)
        if spans and not _is_part(log, spans, plan)
        else _from_scheduler(given, log)
        if given is not None and not given.shared
        else _from_wall_time(log, plan)
        for log, spans, given in zip(logs, held, allocations(logs), strict=True)
    ]


def held_by_log(log: RunLog, plan: Plan) -> dict[Key, list[Span]]:
    """Return when each device was held by a run; empty where no hardware log says so for all of them, and wall time counts."""
    held = _held(log)
    return {} if not held or _is_part(log, held, plan) else held


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
    return any(kind == "gpu" and count > len(held) for kind, count, _ in _counts(log, plan)[:1])


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
    return Hours(devices, f"from the GPU log: {len(devices)} GPU{plural}, first to last sample of each{together}")


def _beside_scheduler(hours: Hours, given: Allocation | None, log: RunLog) -> Hours:
    """Return the hours of the GPU log with the scheduler's beside them; the scheduler's where it gave GPUs that the log does not show."""
    if given is None:
        return hours
    if given.shared:
        return Hours(hours.devices, f"{hours.basis}; beside it the scheduler, for several runs together: {given.words}")
    logged = hours.total("gpu") or 0.0
    if given.gpus > len(hours.devices):
        told = f"{words.plural(len(hours.devices), 'GPU')} and {words.number(logged)} GPU-hours"
        return Hours(_from_scheduler(given, log).devices, f"from the scheduler, {given.words}; the GPU log shows {told} of it")
    return Hours(hours.devices, f"{hours.basis}; beside it the scheduler has {words.number(given.hours)} GPU-hours ({given.words})")


def _from_scheduler(given: Allocation, log: RunLog) -> Hours:
    each = given.hours / given.gpus
    devices = tuple(DeviceUse("gpu", f"gpu{number}", None, log.run.hardware.gpu_model, each) for number in range(given.gpus))
    return Hours(devices, f"from the scheduler, {given.words}; no hardware log of all of them")


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


def _from_wall_time(log: RunLog, plan: Plan) -> Hours:
    wall = wall_seconds(log)
    if wall is None:
        return Hours((), "not known: no hardware log, and nothing in the logs has a time")
    hours = wall / 3600
    model = log.run.hardware.gpu_model
    for kind, count, source in _counts(log, plan):
        devices = tuple(DeviceUse(kind, f"{kind}{number}", None, model if kind == "gpu" else None, hours) for number in range(count))
        noun = {"gpu": "GPU", "cpu": "CPU", "tpu": "TPU"}[kind]
        return Hours(
            devices, f"wall time of the run times {count} {noun}{'s' if count != 1 else ''} {source}; no hardware log of all of them"
        )
    return Hours((), "not known: no hardware log, and neither the plan ([training] gpus) nor the run says how many devices it held")


def _counts(log: RunLog, plan: Plan) -> list[tuple[Kind, int, str]]:
    """Return (kind, number of devices, where that is from), the most trusted first."""
    found: list[tuple[Kind, int, str]] = []
    if plan.training.gpus is not None:
        found.append(("gpu", plan.training.gpus, "by the plan"))
    tables: tuple[tuple[Kind, tuple[str, ...]], ...] = (("gpu", _COUNT_PARAMS), ("tpu", _TPU_PARAMS), ("cpu", _CPU_PARAMS))
    for kind, names in tables:
        for key, value in log.run.params.items():
            if key.rpartition("/")[2].lower() in names and value.isdecimal() and 0 < int(value) <= 1_000_000:
                found.append((kind, int(value), f"by the run's parameter {key}"))
    if plan.rates.tpu_hour is not None:
        found.append(("tpu", 1, "assumed, for the plan prices TPU-hours"))
    if plan.rates.cpu_hour is not None:
        found.append(("cpu", 1, "assumed, for the plan prices CPU-hours"))
    return found
