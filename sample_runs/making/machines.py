"""Samples of what machines do to a training: the training is real, the machines are simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from making import data
from making.common import A100, HOUR, T4, TAGS, cosine, seconds
from making.gpu import SW_POWER_CAP, SW_THERMAL, trace, write_traces
from making.host import machine, ticks
from making.network import Recipe, Record, fit
from making.writers import Clock, Session, TrackedRun, write_mlflow, write_tensorboardx

L4 = replace(T4, name="NVIDIA L4", memory_total=23_034, memory_used=18_840, idle_watt=16.0, full_watt=71.0, limit=72.0)


def starved(logs: Path) -> None:
    """Feed a GPU too slowly: first from a slow disk with a hang in between, then with too few processors."""
    recipe = Recipe((48,), cosine(0.0006, floor=0.1, warm_up=0.1), epochs=40, batch=20, seed=3, train_every=5, validate_every=20)
    records = fit(data.digits(train=1000, seed=3), recipe)
    _from_a_slow_disk(logs / "first", [Record(one.step, dict(one.values)) for one in records if one.step <= 400])
    _with_few_processors(logs / "second", [one for one in records if one.step <= 1100])


def _from_a_slow_disk(logs: Path, records: list[Record]) -> None:
    """Wait for 26 minutes before the first step, for the disk all along, and for 40 minutes for nothing."""
    rng = np.random.default_rng(31)
    start = seconds("2026-07-06T07:00:00")
    begin = start + 26 * 60
    lengths = rng.uniform(0.9, 1.1, 400) * 20
    lengths[230] += 40 * 60  # the disk does not answer
    ends = begin + np.cumsum(lengths)
    for record in records:
        record.values |= {
            "step time": float(min(lengths[record.step - 1], 25)),
            "waiting": 31 + rng.normal(0, 2),
            "processors": 12 + rng.normal(0, 2),
        }
    hung = (ends[230] - 40 * 60, ends[230])
    write_tensorboardx(logs, records, ends, FED, session=Session(_params()))
    times = ticks(start, ends[-1] + 60, 20)
    working = (times >= begin) & ((times < hung[0]) | (times > hung[1]))
    _write_gpu(logs, times, np.where(working, np.clip(rng.normal(34, 9, len(times)), 3, 100), 0.0), rng)


def _with_few_processors(logs: Path, records: list[Record]) -> None:
    """Decode images on processors that are full all the time; leave the GPU on for three quarters of an hour after the end."""
    rng = np.random.default_rng(32)
    start = seconds("2026-07-07T07:00:00")
    lengths = rng.uniform(0.9, 1.1, 1100) * 15
    ends = start + 60 + np.cumsum(lengths)
    for record in records:
        length = float(lengths[record.step - 1])
        record.values |= {"step time": length, "data time": length * rng.uniform(0.36, 0.5), "processors": rng.uniform(94, 100)}
    write_tensorboardx(logs, records, ends, FED, session=Session(_params()))
    times = ticks(start, ends[-1] + 45 * 60, 30)
    working = (times >= start + 60) & (times <= ends[-1])
    _write_gpu(logs, times, np.where(working, np.clip(rng.normal(47, 7, len(times)), 3, 100), 0.0), rng)


FED = {
    **TAGS,
    "step time": "time/step",
    "data time": "time/data",
    "processors": "system/cpu_utilization_percentage",
    "waiting": "system/cpu_iowait_percentage",
}


def _params() -> dict[str, object]:
    return {"model": "mlp-48", "optimizer": "sgd", "learning_rate": 0.0006, "batch_size": 20, "epochs": 40, "seed": 3}


def _write_gpu(logs: Path, times: np.ndarray, load: np.ndarray, rng: np.random.Generator) -> None:
    one = trace(L4, load, rng, top=2040)
    write_traces(logs / "gpu.csv", times, [one])


def hardware_trouble(logs: Path) -> None:
    """Lose a run to its machine: heat, a lowered power limit, memory that fills up, and a GPU that has to be reset."""
    recipe = Recipe((64,), cosine(0.002, floor=0.1, warm_up=0.05), epochs=60, batch=20, seed=6, train_every=5, norms=True)
    kept = ("train loss", "train accuracy", "learning rate", "gradient norm")
    records = [
        Record(one.step, {name: one.values[name] for name in kept})
        for one in fit(data.digits(train=1000, seed=6), recipe)
        if "train loss" in one.values and one.step <= 1560
    ]
    start = seconds("2026-07-14T06:00:00")
    clock = Clock(start, 5.2 * HOUR, 1560, seed=41)
    said = (
        "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 39.56 GiB of which 0.41 GiB is free."
    )
    params = {"model": "mlp-64", "optimizer": "sgd", "learning_rate": 0.002, "batch_size": 20, "max_steps": 3000, "seed": 6}
    session = Session(params, ((1560, "log/error", said),), failed_at=clock.end + 20)
    write_tensorboardx(logs, records, clock, TAGS, session=session)
    _troubled_gpus(logs / "gpu.csv", clock)


def _troubled_gpus(path: Path, clock: Clock) -> None:
    rng = np.random.default_rng(42)
    times = ticks(clock.start - 60, clock.end + 150, 30)
    done = (times - clock.start) / clock.duration
    working = (done >= 0) & (done <= 1)
    hot, capped = (done > 0.35) & (done < 0.75), working
    loads = [np.where(working, np.clip(rng.normal(level, 2.5, len(times)), 0, 100), 0.0) for level in (93, 92)]
    clocks = np.where(hot, 1095.0, 1410.0) + 15 * rng.integers(-1, 1, len(times))
    first = trace(A100, loads[0], rng, clock=np.where(working, clocks, 210.0))
    first["temperature.gpu"] = np.where(hot, 88 + rng.integers(-2, 3, len(times)), first["temperature.gpu"])
    first["clocks_event_reasons.active"] = np.where(working, np.where(hot, SW_THERMAL, 0), 1)
    filled = 0.55 + 0.44 * done + rng.normal(0, 0.001, len(times))
    first["memory.used"] = np.where(working, np.minimum(filled, 0.992) * A100.memory_total, 3)
    low = replace(A100, limit=250.0, full_watt=250.0)
    second = trace(low, loads[1], rng, clock=np.where(working, 1140.0 + 15 * rng.integers(-2, 3, len(times)), 210.0))
    second["power.draw"] = np.where(capped, 248.5 + rng.normal(0, 0.8, len(times)), second["power.draw"])
    second["clocks_event_reasons.active"] = np.where(working, SW_POWER_CAP, 1)
    second["memory.used"] = np.where(working, 22_100.0, 3.0)
    for card, errors in ((first, np.zeros(len(times))), (second, np.where(done > 0.97, 4, np.where(done > 0.9, 1, 0)))):
        card["ecc.errors.uncorrected.volatile.total"] = errors
    lost = done > 1.001
    texts = [f"{watt:.2f} W" for watt in second["power.draw"]]
    second["power.draw"] = ["[GPU requires reset]" if gone else text for gone, text in zip(lost, texts, strict=True)]
    write_traces(path, times, [first, second])


def distributed(logs: Path) -> None:
    """Train on four GPUs that wait for a slow network and for one of them, after a pilot on one GPU."""
    pilot = Recipe((64,), cosine(0.02, floor=0.1), epochs=16, batch=50, seed=7, train_every=10, validate_every=20)
    split = data.customers(train=1500, validation=1000, seed=13)
    params = {"model": "mlp-64", "optimizer": "sgd", "learning_rate": 0.02, "weight_decay": 0.0, "seed": 7}
    runs = [_pilot(logs / "pilot", fit(split, pilot), params), _team(logs / "four-gpus", fit(split, replace(pilot, epochs=80)), params)]
    write_mlflow(logs / "mlruns", "routing", None, runs, seed=8)


def _pilot(logs: Path, records: list[Record], params: dict[str, object]) -> TrackedRun:
    """Train on one GPU, 100 samples a second."""
    rng = np.random.default_rng(51)
    clock = Clock(seconds("2026-07-20T08:00:00"), 2 * HOUR, 480, seed=52)
    lengths = np.diff(clock.times(), prepend=clock.start)
    for record in records:
        if "train loss" in record.values:
            length = float(lengths[record.step - 1])
            record.values |= {"step time": length, "throughput": BATCH / length}
    write_tensorboardx(logs, records, clock, RANK_TAGS)
    times = ticks(clock.start, clock.end, 60)
    write_traces(logs / "gpu.csv", times, [trace(A100, np.clip(rng.normal(88, 3, len(times)), 0, 100), rng)])
    received = rng.uniform(1, 4, len(times))
    gauges = machine(times, rng, processors=np.full(len(times), 30.0), received=received, sent=received / 4)
    return TrackedRun("pilot", {**params, "gpus": 1, "batch_size": BATCH}, [], clock, _tags("2026-07-20T07:58:00"), gauges, ROUTES)


def _team(logs: Path, records: list[Record], params: dict[str, object]) -> TrackedRun:
    """Train on four GPUs: a restart that costs 300 steps, a slow one for a while, and longer steps from the restart on."""
    rng = np.random.default_rng(53)
    start = seconds("2026-07-21T20:00:00")
    first = start + 90 + 8.0 * np.arange(1, 2401)
    again = first[1299] + 420  # seven minutes until the second attempt goes on from the checkpoint of step 1,000
    second = again + 9.4 * np.arange(-999, 1401)
    attempts = (
        _Attempt(4100, first, [one for one in records if one.step <= 1300], 8.0),
        _Attempt(4200, second, [one for one in records if one.step > 1000], 9.4),
    )
    for attempt in attempts:
        for rank in range(4):
            _write_rank(logs, rank, attempt)
    whole = Clock(start, float(second[-1]) - start, 1, seed=0)
    times = ticks(start + 60, whole.end + 120, 60)
    busy = ((times <= first[1299]) | (times >= again)) & (times <= whole.end)
    card = replace(A100, memory_used=24_310, full_watt=160.0)
    cards = [trace(card, np.where(busy, np.clip(rng.normal(98.5, 0.7, len(times)), 0, 100), 0.0), rng) for _ in range(4)]
    write_traces(logs / "gpu.csv", times, cards)
    traffic = np.where(busy, 1130 * rng.uniform(0.97, 1.0, len(times)), 0.2)
    gauges = machine(times, rng, processors=np.where(busy, 35.0, 2.0), received=traffic, sent=traffic * 0.99)
    return TrackedRun("four-gpus", {**params, "gpus": 4, "batch_size": BATCH}, [], whole, _tags("2026-07-21T09:40:00"), gauges, ROUTES)


@dataclass(frozen=True)
class _Attempt:
    process: int
    """Number of the process of rank 0."""
    times: np.ndarray
    """End of each step, in seconds since 1970 UTC."""
    records: list[Record]
    step_s: float


def _write_rank(logs: Path, rank: int, attempt: _Attempt) -> None:
    """Write what one process logged: rank 0 all curves, the others their step times."""
    rng = np.random.default_rng(attempt.process + rank)
    written = []
    for record in attempt.records:
        values = dict(record.values) if rank == 0 else {}
        if "train loss" in record.values:
            slow = 1.45 if rank == 2 and 300 < record.step <= 900 else 1.0
            values["step time"] = attempt.step_s * slow * rng.uniform(0.97, 1.03)
            if rank == 0:
                values["throughput"] = BATCH / attempt.step_s * rng.uniform(0.98, 1.02)
        written.append(Record(record.step, values))
    write_tensorboardx(logs, written, attempt.times, RANK_TAGS, suffix=f".{attempt.process + rank}.0")


def _tags(handed_in: str) -> dict[str, str]:
    return {
        "team": "logistics",
        "mlflow.source.git.commit": "0a4d2f6b8c1e3f5a7b9c0d2e4f6a8b1c3d5e7f90",
        "slurm.submit_time": f"{handed_in}+00:00",
    }


BATCH = 1500
"""Samples in a step, as far as the throughput is concerned."""
RANK_TAGS = {**TAGS, "step time": "time/step", "throughput": "throughput/samples"}
ROUTES = ("routes-2026-06", "77be0d41")
