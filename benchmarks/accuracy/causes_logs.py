"""Logs of simulated runs: what is sampled, what is lost on the way, and the case that detectors are given."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmarks.accuracy.causes_machine import GIB, Course, course
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan as NoPlan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import EVENT_COLUMNS, concat
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from benchmarks.accuracy.causes_machine import Plan

__all__ = ["case_of"]

_START = datetime(2026, 6, 9, 6, 0, tzinfo=UTC).timestamp()
_UNITS = {
    "gpu/memory_used": "B", "gpu/memory_total": "B", "gpu/power": "W", "gpu/power_limit": "W", "gpu/clock_sm": "MHz",
    "gpu/clock_sm_max": "MHz", "gpu/temperature": "degC", "network/received": "B", "network/sent": "B", "time/step": "s", "time/data": "s",
}  # fmt: skip
_COLUMNS = {
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x8: "hw_slowdown",
    0x4: "sw_power_cap",
    0x80: "hw_power_brake_slowdown",
}
_POINTS = 400

Series = tuple[str, "str | None", Any, Any]
"""Canonical name, device, seconds, values."""


def case_of(plan: Plan) -> Case:
    """Return the case of a run as it was logged."""
    ran = course(plan)
    frames = [_frame(_gpu_log(plan, ran), "gpu.csv", "system"), _frame(_host_log(plan, ran), "host.csv", "system"), _training(plan)]
    events = pd.DataFrame(
        [
            {
                "run": "r",
                "time": pd.Timestamp(_START + second, unit="s", tz="UTC"),
                "level": level,
                "kind": kind,
                "message": message,
                "file": "log",
            }
            for kind, level, message, second in plan.events
        ],
        columns=list(EVENT_COLUMNS),
    ).astype(EVENT_COLUMNS)
    ended = datetime.fromtimestamp(_START + plan.end_s, UTC)
    run = Run("r", "r", datetime.fromtimestamp(_START, UTC), ended, status=plan.status)  # type: ignore[arg-type]
    return Case(RunLog(run, concat([frame for frame in frames if frame is not None]), events), NoPlan(), Ledger())


def _frame(series: list[Series], file: str, phase: str) -> pd.DataFrame | None:
    if not series:
        return None
    names = list(dict.fromkeys(name for name, *_ in series))
    devices = sorted({device for _, device, *_ in series if device is not None})
    codes = np.concatenate([np.full(len(values), names.index(name), dtype=np.intp) for name, _, _, values in series])
    seconds = np.concatenate([times for _, _, times, _ in series])
    place = np.concatenate([np.full(len(values), devices.index(d) if d else 0, dtype=np.intp) for _, d, _, values in series])
    return frame_of(
        names,
        [Meaning(name, phase, _UNITS.get(name, "1"), None, "simulated") for name in names],
        codes,
        np.concatenate([np.asarray(values, dtype=float) for *_, values in series]),
        file=file,
        times_ns=((_START + seconds) * 1e9).astype(np.int64),
        devices=devices or None,
        device_codes=place if devices else None,
    )


def _gpu_log(plan: Plan, ran: Course) -> list[Series]:
    """Return the GPU log, with samples lost, a gap, or its end cut off, as samplers do."""
    rng, model, times = plan.rng, plan.model, plan.times
    kept = rng.random(len(times)) >= rng.choice([0.0, 0.02])
    if rng.random() < 0.2:
        at = rng.uniform(0.1, 0.8) * times[-1]
        kept &= (times < at) | (times > at + 0.05 * times[-1])
    if rng.random() < 0.12 and not plan.fill_s and plan.dead is None:
        kept &= times < rng.uniform(0.7, 0.95) * times[-1]
    memory = _memory(plan, ran)
    found: list[Series] = []
    for gpu in range(plan.gpus):
        columns = {"gpu/utilization": ran.utilization[gpu], "gpu/memory_used": np.round(memory[gpu] * model.memory * 1024) * 2**20}
        optional = {
            "total": {"gpu/memory_total": np.full(len(times), model.memory * GIB)},
            "power": {"gpu/power": np.round(ran.power[gpu], 2)},
            "limit": {"gpu/power_limit": np.full(len(times), model.limit * plan.cap)},
            "clock": {"gpu/clock_sm": ran.clock[gpu]},
            "top": {"gpu/clock_sm_max": np.full(len(times), model.top_mhz)},
            "heat": {"gpu/temperature": ran.temperature[gpu]},
            "activity": {"gpu/memory_utilization": ran.activity[gpu]},
            "bits": _reasons(ran.bits[gpu], as_columns="columns" in plan.logs),
        }
        for name in sorted(plan.logs & optional.keys()):
            columns |= optional[name]
        columns |= {name: values if gpu == 0 else np.zeros(len(times)) for name, values in plan.counters.items()}
        found += [(name, f"gpu{gpu}", times[kept], np.asarray(values)[kept]) for name, values in columns.items()]
    return found


def _reasons(bits: Any, *, as_columns: bool) -> dict[str, Any]:
    if not as_columns:
        return {"gpu/throttle_reasons": bits}
    return {f"gpu/throttle/{name}": (bits.astype(int) & bit) > 0 for bit, name in _COLUMNS.items()}


def _memory(plan: Plan, ran: Course) -> Any:
    """Return memory in use as a share: a pool taken at once, or one that grows to its high-water mark; a leak on top."""
    rng, times = plan.rng, plan.times
    alive = ran.utilization.max(axis=0) > 0
    first = times[int(np.argmax(alive))] if alive.any() else 0.0
    past = np.maximum(times - first, 0.0) / max(times[-1] - first, 1.0)
    if plan.pool:
        level = np.full(len(times), plan.memory)
    else:
        filled = np.log1p(past * rng.uniform(20, 400)) / np.log1p(400)
        level = plan.memory * (1 - plan.pool_growth * (1 - np.minimum(filled, 1)))
        level = level + np.where(rng.random(len(times)) < 0.02, rng.uniform(0, 0.02), 0.0)
    grown = np.floor(past * plan.leak_stairs) / plan.leak_stairs if plan.leak_stairs else past
    level = level + plan.leak * grown
    if plan.fill_s:
        level = level + (0.99 - level) * np.clip((times - (plan.end_s - plan.fill_s)) / (0.6 * plan.fill_s), 0, 1)
    each = level[None, :] * (1 - rng.uniform(0, 0.03, (plan.gpus, 1)) * (np.arange(plan.gpus)[:, None] > 0))
    each = np.minimum(each + rng.normal(0, rng.choice([0.0, 0.002]), each.shape), rng.uniform(0.985, 0.998))
    held = (times >= first) & (times <= plan.end_s + 1)
    return np.where(held, np.maximum(each, 0.0), rng.uniform(0.0001, 0.01))


def _host_log(plan: Plan, ran: Course) -> list[Series]:
    """Return the machine's gauges, sampled by another process at its own pace."""
    rng = plan.rng
    pace = plan.interval * rng.uniform(0.8, 3.0)
    times = np.arange(0.0, plan.times[-1], pace) + rng.uniform(0, pace)
    at = np.clip(np.searchsorted(plan.times, times), 0, len(plan.times) - 1)
    on = np.where(ran.working[at], 1.0, rng.uniform(0.05, 0.5))
    if plan.dead is not None:  # nothing is sent, read or computed while all wait
        on = np.where(times >= plan.dead[1], 0.03, on)
    size = len(times)

    def gauge(level: float, noise: float) -> Any:
        return np.clip(level * on + rng.normal(0, noise, size), 0.0, 1.0)

    past = times / plan.times[-1]
    swing, epochs = plan.host_saw
    host = (
        plan.host_memory
        + plan.host_leak * past
        + swing * (past * epochs % 1.0)
        + rng.uniform(0, 0.02) * np.sin(2 * np.pi * past * rng.uniform(3, 40))
    )
    host = np.minimum(host + rng.normal(0, 0.003, size), 0.995)
    counters = {}
    for name, level in (("network/received", plan.received), ("network/sent", plan.sent)):
        rate = plan.link * np.minimum(level * on * np.clip(1 + rng.normal(0, 0.02 if level > 0.8 else 0.25, size), 0, None), 0.95)
        counters[name] = np.cumsum(rate * pace)
    table = {
        "cpu": {"cpu/utilization": np.minimum(gauge(plan.cpu, 0.03), 1.0)},
        "iowait": {"cpu/iowait": gauge(plan.iowait, 0.15 * plan.iowait)},
        "disk": {"disk/busy": gauge(plan.disk_busy, 0.05)},
        "host": {"memory/share": host},
        "net": counters,
    }
    return [(name, None, times, values) for group in sorted(plan.logs & table.keys()) for name, values in table[group].items()]


def _training(plan: Plan) -> pd.DataFrame | None:
    """Return what the training logged: loss, and for some the time of steps and of waiting for data."""
    rng = plan.rng
    period = plan.step_s / plan.duty
    total = int(plan.end_s / period)
    if not plan.logs & {"loss", "data"} or total < 3:
        return None
    every = max(1, total // _POINTS)
    steps = np.arange(every, total + 1, every)
    size = len(steps)
    mean = plan.data_share * period
    data = mean * rng.gamma(rng.uniform(0.5, 20), size=size)
    data *= mean / max(data.mean(), 1e-12)
    table = {}
    if "loss" in plan.logs:
        table["loss"] = 0.3 + 2 * np.exp(-3 * steps / total) + rng.normal(0, 0.05, size)
    if "data" in plan.logs:
        data[0] += rng.uniform(0, 5)
        table["time/data"] = data
        table["time/step"] = (period - mean) * np.clip(1 + rng.normal(0, 0.05, size), 0.2, None) + data
    names = list(table)
    return frame_of(
        names,
        [Meaning(name, "train", _UNITS.get(name, "1"), None, "simulated") for name in names],
        np.repeat(np.arange(len(names)), size),
        np.concatenate(list(table.values())),
        file="events",
        steps=np.tile(steps, len(names)),
        times_ns=((_START + np.tile(steps * period, len(names))) * 1e9).astype(np.int64),
    )
