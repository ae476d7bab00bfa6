"""Hours of devices, and what a scheduler or a service gave reconciled with what the GPU log shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainreport.business.allocation import own_spans
from trainreport.model import words
from trainreport.model.curve import curves
from trainreport.model.ledger import DeviceUse, HoursTold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trainreport.business.allocation import Allocation
    from trainreport.model.run import RunLog

__all__ = ["Hours", "Key", "Span", "allocated", "within"]

_SAME = 0.01
"""Share of the hours that may be missing without a word: samples lie some time apart, schedulers count whole seconds."""

Span = tuple[float, float]
Key = tuple[str, str | None, str | None]
"""File, node and device of a hardware log."""


@dataclass(frozen=True, slots=True)
class Hours:
    """The devices of one run with their hours, and how that is known."""

    devices: tuple[DeviceUse, ...]
    basis: str
    told: tuple[HoursTold, ...] = ()
    """What each source says of the GPU-hours, the one that counts first."""

    def total(self, kind: str) -> float | None:
        """Return the hours of all devices of a kind, None where there is none."""
        hours = [device.hours for device in self.devices if device.kind == kind]
        return sum(hours) if hours else None


def allocated(log: RunLog, held: Mapping[Key, Sequence[Span]], seen: Hours | None, given: Allocation) -> Hours:
    """Return the hours that a scheduler or a service gave, and what the GPU log shows of them.

    Parameters
    ----------
    log : RunLog
    held : mapping
        When the GPU log shows each device.
    seen : Hours, optional
        Those of the GPU log.
    given : Allocation
        It counts: what is held is paid for, whether anything was logged or not.
    """
    each, billed = given.hours / given.gpus, None if given.billed is None else given.billed / given.gpus
    mine = _mine(log, seen.devices if seen is not None else (), given.gpus)
    devices = tuple(replace(device, hours=each, billed_hours=billed) for device in mine)
    source = HoursTold("scheduler" if given.by == "the scheduler" else "training-service", given.gpus, given.hours, True, given.words)
    head = f"from {given.by}, {given.words}"
    if seen is None:
        return Hours(devices, f"{head}; no hardware log of all of them", (source,))
    names = {(device.node, device.device) for device in mine}
    own = {key: parts for key, parts in held.items() if (key[1], key[2] or "gpu0") in names}
    told = _reconciled(log, own, seen, given)
    logged = HoursTold("gpu-log", len(seen.devices), seen.total("gpu") or 0.0, False, "; ".join((seen.basis, *told[1:])))
    return Hours(devices, "; ".join((head, *told)), (source, logged))


def within(spans: Iterable[Span], limits: Sequence[Span]) -> list[Span]:
    """Return the parts of spans that lie in one of `limits`."""
    cut = [(max(start, first), min(end, last)) for start, end in spans for first, last in limits]
    return [(start, end) for start, end in cut if end > start]


def _reconciled(log: RunLog, own: Mapping[Key, Sequence[Span]], seen: Hours, given: Allocation) -> list[str]:
    """Return, clause by clause, how the GPU log and the hours given differ, and why."""
    limits = own_spans(log)
    logged = sum(end - start for parts in own.values() for start, end in parts) / 3600
    inside = sum(end - start for parts in own.values() for start, end in within(parts, limits)) / 3600 if limits else logged
    inside = min(inside, given.hours)
    shown = f"the GPU log shows {words.plural(len(own), 'GPU')} and {words.number(inside)} GPU-hours of it"
    others = len(seen.devices) - len(own)
    told = [f"{shown}; its {words.plural(others, 'other GPU')} worked less and are taken for those of others" if others else shown]
    missing, outside = given.hours - inside, logged - inside
    if missing > _SAME * given.hours:
        share = words.share(missing / given.hours)
        told.append(f"in the other {words.number(missing)} GPU-hours ({share}) nothing was logged{_when(own, limits, given)}")
    if outside > _SAME * logged:
        told.append(f"{words.number(outside)} GPU-hours of the log lie outside its time and are not counted")
    return told


def _when(own: Mapping[Key, Sequence[Span]], limits: Sequence[Span], given: Allocation) -> str:
    """Return when nothing was logged, where the log shows all GPUs that were given."""
    if len(own) < given.gpus or not limits:
        return ""
    parts = [part for spans in own.values() for part in spans]
    before = min(start for start, _ in parts) - limits[0][0]
    after = limits[-1][1] - max(end for _, end in parts)
    said = [
        f"{words.duration(seconds)} {where}"
        for seconds, where in ((before, "before its first sample"), (after, "after its last"))
        if seconds >= 1
    ]
    return f": {words.joined(said)}" if said else ""


def _mine(log: RunLog, logged: Sequence[DeviceUse], gpus: int) -> list[DeviceUse]:
    """Return so many devices: those of the log, of more the ones that worked most, of fewer others without a log."""
    if len(logged) > gpus:
        busy = _means(log)
        most = sorted(logged, key=lambda one: -busy.get((one.node, one.device), 0.0))[:gpus]
        return [one for one in logged if one in most]
    taken = {one.device for one in logged}
    free = (name for name in (f"gpu{number}" for number in range(gpus + len(logged))) if name not in taken)
    return [*logged, *(DeviceUse("gpu", next(free), None, log.run.hardware.gpu_model, 0.0) for _ in range(gpus - len(logged)))]


def _means(log: RunLog) -> dict[tuple[str | None, str], float]:
    import numpy as np

    found = {}
    for one in curves(log, "gpu/utilization"):
        known = one.value[np.isfinite(one.value)]
        found[one.node, one.device or "gpu0"] = float(known.mean()) if len(known) else 0.0
    return found
