"""A seeded simulator of training runs, step by step, with what goes wrong in them, and the logs that they leave behind.

It plays a run on a clock: steps with jitter, heavy tails and slow drift, evaluations, checkpoints, pauses between epochs,
interruptions and restarts; and then writes down what a logger would have seen: losses every n steps, step times or throughput
or neither, GPU samples or none. It knows nothing of the detectors' rules and limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from trainreport.importers.recording import frame_of
from trainreport.importers.restarts import mark_restarts
from trainreport.model.case import Case
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog
from trainreport.model.schema import concat
from trainreport.model.series import Meaning, interpret

__all__ = ["CAUSES", "simulated"]

CAUSES = ("straggler", "stall", "degradation", "slow start", "idle after end", "lost work")

_EPOCH_S = 1_780_000_000.0

Rng = np.random.Generator


@dataclass
class _Played:
    """What happened, on the clock of the run."""

    step: list[int] = field(default_factory=list)
    end_s: list[float] = field(default_factory=list)
    own_s: list[Any] = field(default_factory=list)
    """Seconds that each worker needed for the step, before waiting for the others."""
    launch: list[int] = field(default_factory=list)
    held_out: list[tuple[int, float, int]] = field(default_factory=list)
    states: list[tuple[float, float, str]] = field(default_factory=list)
    """(from, to, what the GPUs did)."""
    ended_s: float = 0.0

    def start_later(self, seconds: float) -> None:
        """Move everything but the start."""
        first, *rest = self.states
        self.end_s = [one + seconds for one in self.end_s]
        self.held_out = [(step, when + seconds, launch) for step, when, launch in self.held_out]
        self.states = [(first[0], first[1] + seconds, first[2]), *((one[0] + seconds, one[1] + seconds, one[2]) for one in rest)]
        self.ended_s += seconds


@dataclass
class _Setup:
    """A kind of run, drawn at random."""

    steps: int
    workers: int
    base_s: float
    every: int
    evaluate: int
    evaluate_s: float
    evaluation_logged: bool
    checkpoint: int
    checkpoint_s: float
    epoch: int
    epoch_s: float
    startup_s: float
    pace: Any
    """Factor on the step time, by step."""
    own: Any
    """Factor of each worker, by worker and step."""


def simulated(rng: Rng, causes: tuple[str, ...]) -> Case:
    """Return a run that has these of `CAUSES`, and no others, with everything else drawn at random."""
    setup = _setup(rng, causes)
    played = _played(rng, setup, causes)
    if "slow start" in causes:
        share = rng.uniform(0.12, 0.5)
        played.start_later(max(480.0, share / (1 - share) * played.ended_s))
    return _case(rng, setup, played, causes)


def _setup(rng: Rng, causes: tuple[str, ...]) -> _Setup:
    points = int(rng.integers(320, 900)) if "straggler" in causes else int(np.exp(rng.uniform(np.log(60), np.log(900))))
    every = int(rng.choice([1, 5, 10, 20, 50]))
    every = min(every, max(1, 12_000 // points))
    steps = points * every
    hours = float(np.exp(rng.uniform(np.log(1.0), np.log(30.0))))
    base = hours * 3600 / steps
    interval = base * every
    workers = int(rng.choice([2, 4, 8, 16])) if "straggler" in causes or rng.random() < 0.35 else 1
    evaluations, checkpoints = int(rng.integers(4, 40)), int(rng.integers(4, 60))
    pace = np.exp(_drift(rng, steps, float(rng.uniform(0.0, 0.015))))
    if "degradation" in causes:
        pace *= _slowdown(rng, steps)
    own = np.exp(rng.normal(0, rng.uniform(0.005, 0.04), (workers, 1)) + rng.normal(0, rng.uniform(0.01, 0.12), (workers, steps)))
    if "straggler" in causes:
        length = steps if rng.random() < 0.4 else int(steps * rng.uniform(0.1, 0.5))
        start = int(rng.integers(0, int(0.85 * steps) - length)) if length < 0.8 * steps else 0
        own[int(rng.integers(workers)), start : start + length] *= rng.uniform(1.25, 2.5)
    return _Setup(
        steps=steps,
        workers=workers,
        base_s=base,
        every=every,
        evaluate=steps // evaluations if rng.random() < 0.7 else 0,
        evaluate_s=float(np.exp(rng.uniform(np.log(5), np.log(900)))) * min(1.0, 30 * interval / 300),
        evaluation_logged=bool(rng.random() < 0.85),
        checkpoint=steps // checkpoints if rng.random() < 0.7 else 0,
        checkpoint_s=float(np.exp(rng.uniform(np.log(1), np.log(120)))),
        epoch=steps // int(rng.integers(2, 30)),
        epoch_s=float(rng.uniform(0, 20)),
        startup_s=float(rng.uniform(5, min(0.08 * hours * 3600, 240.0))),
        pace=pace,
        own=own,
    )


def _drift(rng: Rng, count: int, size: float) -> Any:
    """Return a slow wander around zero, as on a cluster that others use too."""
    knots = rng.normal(0, size, 12)
    return np.interp(np.linspace(0, 11, count), np.arange(12), knots)


def _slowdown(rng: Rng, count: int) -> Any:
    """Return a factor that steps up once and stays, or grows."""
    more = rng.uniform(0.2, 0.8)
    at = rng.uniform(0.15, 0.75)
    x = np.linspace(0, 1, count)
    if rng.random() < 0.5:
        return 1 + more * (x > at)
    return 1 + more * np.clip((x - min(at, 0.4)) / (1 - min(at, 0.4)), 0, 1)


def _played(rng: Rng, setup: _Setup, causes: tuple[str, ...]) -> _Played:
    """Play the run: step after step, with its pauses, stalls, crashes and restarts."""
    run = _Played()
    now = setup.startup_s
    run.states.append((0.0, now, "start"))
    spikes = rng.random(setup.steps) < rng.uniform(0, 0.01)
    jitter = np.exp(rng.normal(0, rng.uniform(0.01, 0.12), setup.steps)) * np.where(spikes, 1 + rng.pareto(2.5, setup.steps), 1.0)
    step_s = setup.base_s * setup.pace * jitter
    own = step_s * setup.own
    whole = own.max(axis=0)
    whole[: int(rng.integers(1, 4))] += rng.uniform(0, 40)  # compiling
    pauses = _stalls(rng, setup) if "stall" in causes else {}
    crashes = _crashes(rng, setup, lost="lost work" in causes)
    step = launch = 0
    while step < setup.steps:
        stop = min([at for at in (*crashes, *pauses) if at > step] + [_next(setup, step)])
        ends = now + np.cumsum(whole[step:stop])
        run.step += range(step + 1, stop + 1)
        run.end_s += ends.tolist()
        run.own_s.append(own[:, step:stop])
        run.launch += [launch] * (stop - step)
        run.states.append((now, float(ends[-1]), "work"))
        now, step = float(ends[-1]), stop
        now = _paused(rng, setup, run, step=step, now=now, launch=launch)
        if step in pauses:
            state = "spin" if rng.random() < 0.15 else "idle"
            lasts = pauses.pop(step)
            run.states.append((now, now + lasts, state))
            now += lasts
        if step in crashes:
            gap = float(rng.uniform(20, 900))
            run.states.append((now, now + gap, "start"))
            now, step, launch = now + gap, crashes.pop(step), launch + 1
    run.ended_s = now
    return run


def _next(setup: _Setup, step: int) -> int:
    """Return the next step at which anything but a step happens."""
    ends = [setup.steps]
    ends += [(step // each + 1) * each for each in (setup.evaluate, setup.checkpoint, setup.epoch) if each]
    return min(ends)


def _paused(rng: Rng, setup: _Setup, run: _Played, *, step: int, now: float, launch: int) -> float:
    """Play what comes after a step: evaluation, checkpoint, end of an epoch."""
    for each, usual, spread, state in (
        (setup.evaluate, setup.evaluate_s, 0.1, "evaluation"),
        (setup.checkpoint, setup.checkpoint_s, 0.3, "save"),
        (setup.epoch, setup.epoch_s, 0.5, "save"),
    ):
        if each and step % each == 0:
            lasts = usual * float(np.exp(rng.normal(0, spread)))
            run.states.append((now, now + lasts, state))
            now += lasts
            if state == "evaluation" and setup.evaluation_logged:
                run.held_out.append((step, now, launch))
    return now


def _stalls(rng: Rng, setup: _Setup) -> dict[int, float]:
    """Return where training stands still, and for how long."""
    interval = setup.base_s * setup.every
    longest_usual = setup.evaluate_s if setup.evaluate else 0.0
    count = int(rng.integers(1, 4))
    steps = rng.choice(np.arange(max(2, setup.steps // 20), setup.steps - 1), count, replace=False)
    least = max(540.0, 8 * interval, 5 * longest_usual)
    return {int(step): float(least * np.exp(rng.uniform(0, 2))) for step in steps}


def _crashes(rng: Rng, setup: _Setup, *, lost: bool) -> dict[int, int]:
    """Return after which step the run broke off, and from which step it went on."""
    if not lost:
        at = int(rng.integers(setup.steps // 4, setup.steps - 1))
        return {at: at} if rng.random() < 0.1 else {}
    found: dict[int, int] = {}
    for at in sorted(int(one) for one in rng.integers(setup.steps // 6, setup.steps - 1, int(rng.integers(1, 4)))):
        back = max(0, at - max(2 * setup.every, int(rng.uniform(0.03, 0.25) * setup.steps)))
        found[at] = back
    return found


def _case(rng: Rng, setup: _Setup, run: _Played, causes: tuple[str, ...]) -> Case:
    """Write down what the run's loggers saw."""
    steps, ends = np.array(run.step, dtype=np.int64), np.array(run.end_s)
    launch = np.array(run.launch)
    own = np.concatenate(run.own_s, axis=1)
    logged = np.flatnonzero(steps % setup.every == 0)
    starts_known = bool(rng.random() < 0.5)
    machine = bool(rng.random() < 0.6) or "idle after end" in causes or ("slow start" in causes and not starts_known)
    per_rank = setup.workers > 1 and ("straggler" in causes or rng.random() < 0.6)
    rows = _Rows()
    at, when, which = steps[logged], ends[logged], launch[logged]
    rows.add("train_loss", at, when, which, 2.0 / np.sqrt(1 + at / setup.steps * 20) + rng.normal(0, 0.02, len(at)))
    if per_rank:
        for rank in range(setup.workers):
            rows.add("step_time", at, when, which, own[rank, logged], rank=rank)
    elif rng.random() < 0.5:
        rows.add("step_time", at, when, which, own.max(axis=0)[logged])
    elif rng.random() < 0.4:
        rows.add("images_per_second", at, when, which, 256 / own.max(axis=0)[logged])
    if run.held_out:
        at, when, which = (np.array(column) for column in zip(*run.held_out, strict=True))
        rows.add("val_loss", at, when, which, 2.1 / np.sqrt(1 + at / setup.steps * 20))
    last = max(float(ends.max()), run.held_out[-1][1] if run.held_out else 0.0)
    table = rows.frame()
    if machine:
        table = concat([table, _machine(rng, run, last, idle=_idle_s(rng, last, causes))])
    began = 0.0 if starts_known else float(ends[logged].min())
    known = Run("run", "run", started_at=_moment(began), ended_at=_moment(last))
    return Case(RunLog(known, mark_restarts(table), table.iloc[:0]), Plan(), Ledger())


def _idle_s(rng: Rng, last: float, causes: tuple[str, ...]) -> float:
    """Return how long the GPUs were held after the end."""
    if "idle after end" in causes:
        return float(max(480.0, 0.03 * last) * np.exp(rng.uniform(0, 2)))
    return float(rng.uniform(0, 150))


class _Rows:
    """The rows that the loggers of all processes wrote."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parts: list[tuple[Any, ...]] = []

    def add(self, name: str, step: Any, end_s: Any, launch: Any, values: Any, rank: int = 0) -> None:  # noqa: PLR0917
        """Add what one process logged under one name."""
        if name not in self.names:
            self.names.append(name)
        size = len(values)
        self.parts.append((np.full(size, self.names.index(name)), step, end_s, launch, values, np.full(size, rank)))

    def frame(self) -> pd.DataFrame:
        """Return the frame, with a file for each launch."""
        code, step, end_s, launch, values, rank = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        table = frame_of(
            self.names, [interpret(name) for name in self.names], code, values.astype(np.float64), file="", steps=step.astype(np.int64),
            times_ns=((_EPOCH_S + end_s) * 1e9).astype(np.int64),
        )  # fmt: skip
        files = pd.Categorical.from_codes(launch.astype(int), [f"events.{one}" for one in range(int(launch.max()) + 1)])
        ranks = pd.array(rank, dtype="Int32") if rank.max() else table["rank"]
        return table.assign(file=files, rank=ranks)


_LEVELS = {"work": (0.6, 0.99), "evaluation": (0.3, 0.9), "save": (0.0, 0.3), "start": (0.0, 0.2), "idle": (0.0, 0.0), "spin": (0.99, 1.0)}


def _machine(rng: Rng, run: _Played, last: float, idle: float) -> pd.DataFrame:
    """Return the GPU log: utilization by what the run did, sampled at a steady interval."""
    count = int(rng.choice([1, 2, 4, 8]))
    total = last + idle
    every = max(float(rng.choice([5, 10, 15, 30, 60])), total / 1000)
    times = np.arange(rng.uniform(0, every), total, every)
    starts = np.array([state[0] for state in run.states])
    place = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, None)
    names = [run.states[at][2] for at in place]
    low, high = (np.array([_LEVELS[name][side] for name in names]) for side in (0, 1))
    level = rng.uniform(0, 1)
    values = [low + (high - low) * np.clip(level + rng.normal(0, 0.1, len(times)), 0, 1) for _ in range(count)]
    values = [np.where(times > max(last, run.ended_s), 0.0, one) for one in values] + [np.full(len(times), 3e10)] * count
    system = [Meaning("gpu/utilization", "system", "1", None, "simulated"), Meaning("gpu/memory_used", "system", "B", None, "simulated")]
    return frame_of(
        ["utilization", "memory"], system, np.repeat([0, 1], count * len(times)), np.concatenate(values), file="gpu.csv",
        times_ns=((_EPOCH_S + np.tile(times, 2 * count)) * 1e9).astype(np.int64),
        devices=[f"gpu{one}" for one in range(count)], device_codes=np.tile(np.repeat(np.arange(count), len(times)), 2),
    )  # fmt: skip


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(_EPOCH_S + seconds, UTC)
