"""A simulated machine with GPUs: what its gauges would show while it trains, from power, heat, steps and loaders.

A course of samples is made from how a step is spent, not from what a detector looks at: the GPU works for a part of each step,
draws power by what it does, heats up by it, and is sampled over a window. What is out of order is put into these parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

GIB = 2.0**30


class Model(NamedTuple):
    """A GPU on the market: data sheets."""

    name: str
    memory: float
    """GiB."""
    limit: float
    """W."""
    idle: float
    top_mhz: float
    hot: float
    """degC at which it slows down."""


MODELS = (
    Model("Tesla T4", 15, 70, 10, 1590, 85),
    Model("Tesla V100-SXM2-32GB", 32, 300, 42, 1530, 84),
    Model("NVIDIA A100-SXM4-80GB", 80, 400, 60, 1410, 86),
    Model("NVIDIA A10G", 22.5, 300, 22, 1710, 88),
    Model("NVIDIA L4", 22.5, 72, 13, 2040, 86),
    Model("NVIDIA L40S", 45, 350, 35, 2520, 87),
    Model("NVIDIA H100 80GB HBM3", 80, 700, 70, 1980, 87),
    Model("NVIDIA GeForce RTX 3090", 24, 350, 25, 2100, 84),
    Model("NVIDIA GeForce RTX 4090", 24, 450, 20, 2745, 84),
)
LINKS_GBIT = (1.0, 10.0, 25.0, 100.0)
_OFTEN = ["total", "power", "limit", "clock", "top", "bits", "heat", "activity", "cpu", "host", "net", "loss"]
_SELDOM = ["columns", "iowait", "disk", "data"]
"""What runs log besides utilization and memory in use."""


@dataclass
class Plan:
    """How a run goes; drawn as a sound one, then put out of order."""

    rng: Generator
    model: Model
    gpus: int
    times: Any
    """Seconds from the start of each sample."""
    interval: float
    step_s: float
    """Computing of one step."""
    duty: float = 1.0
    """Part of a step in which the GPU has work; the rest it waits, on end."""
    kernels: float = 0.97
    """Utilization while it has work: between kernels there are short gaps."""
    jitter: float = 0.02
    intensity: float = 0.8
    """Power that the work asks for, as a share of the default limit over idle."""
    memory_activity: float = 0.4
    cap: float = 1.0
    """Power limit as a share of the default."""
    cores: int = 32
    cpu: float = 0.4
    iowait: float = 0.01
    disk_busy: float = 0.2
    received: float = 0.05
    sent: float = 0.02
    """Of the link."""
    link: float = 1e9
    """Bytes a second."""
    memory: float = 0.6
    pool: bool = False
    """Whether memory is taken as a whole at the start."""
    pool_growth: float = 0.05
    """How much of it comes later, up to the high-water mark."""
    leak: float = 0.0
    leak_stairs: int = 0
    host_memory: float = 0.4
    host_leak: float = 0.0
    host_saw: tuple[float, float] = (0.0, 1.0)
    """What loaders gather in an epoch and give back at its end, and the number of epochs."""
    fill_s: float = 0.0
    """Seconds before the end in which GPU memory fills up."""
    slowed: float = 0.0
    """How far heat lowers the clock in the end."""
    slowed_from: float = 0.0
    slowed_until: float = np.inf
    slowed_gpus: tuple[int, ...] = ()
    steady: float = 72.0
    dead: tuple[int, float] | None = None
    """A GPU that stops, and when."""
    data_share: float = 0.02
    """Of the step, waiting for data."""
    end_s: float = 0.0
    counters: dict[str, Any] = field(default_factory=dict)
    events: list[tuple[str, str, str, float]] = field(default_factory=list)
    """(kind, level, message, seconds)."""
    status: str = "finished"
    logs: set[str] = field(default_factory=set)
    """What was logged besides utilization and memory."""


def sound(rng: Generator) -> Plan:
    """Return a run in which all is well, of any size."""
    length = float(np.exp(rng.uniform(np.log(600), np.log(86400))))
    interval = float(np.exp(rng.uniform(np.log(0.5), np.log(30))))
    interval = min(max(interval, length / 2880), length / 60)
    count = int(length / interval)
    times = (np.arange(count) + rng.uniform(-0.05, 0.05, count)) * interval
    gpus = int(rng.choice([1, 2, 4, 8], p=[0.6, 0.2, 0.13, 0.07]))
    plan = Plan(rng, MODELS[int(rng.integers(len(MODELS)))], gpus, times, interval, float(np.exp(rng.uniform(np.log(0.05), np.log(8)))))
    plan.end_s = float(times[-1]) - rng.uniform(0, 0.02) * length
    plan.duty, plan.kernels = rng.uniform(0.88, 1.0), rng.uniform(0.88, 1.0)
    plan.jitter = rng.uniform(0.003, 0.05)
    plan.intensity, plan.memory_activity = rng.uniform(0.52, 1.12), rng.uniform(0.15, 0.75)
    _machine(plan)
    _surroundings(plan)
    return plan


def _machine(plan: Plan) -> None:
    """Draw what processors, disk and network do; busy ones too, as long as the GPUs are fed."""
    rng = plan.rng
    plan.cores = int(rng.choice([8, 16, 32, 48, 64, 96]))
    plan.cpu = float(rng.choice([rng.uniform(0.03, 0.6), rng.uniform(0.6, 0.97)], p=[0.75, 0.25]))
    plan.iowait = float(rng.choice([rng.uniform(0, 0.03), rng.uniform(0.03, 0.3)], p=[0.85, 0.15])) * (1 - plan.cpu)
    plan.disk_busy = rng.uniform(0.0, 0.95)
    plan.link = float(rng.choice(LINKS_GBIT)) * 1e9 / 8
    plan.received, plan.sent = float(rng.beta(1, 6)), float(rng.beta(1, 10))
    if rng.random() < 0.1:
        plan.received = rng.uniform(0.7, 0.94)


def _surroundings(plan: Plan) -> None:
    """Draw memory, heat, what is logged, and what looks like trouble and is none."""
    rng, length, count = plan.rng, plan.end_s, len(plan.times)
    plan.memory, plan.pool = rng.uniform(0.25, 0.9), bool(rng.random() < 0.15)
    plan.pool_growth, plan.host_memory = rng.uniform(0.0, 0.08), rng.uniform(0.1, 0.85)
    plan.steady = rng.uniform(50, plan.model.hot - 3)
    if rng.random() < 0.15:
        plan.host_saw = (min(rng.uniform(0.02, 0.14), 0.92 - plan.host_memory), rng.uniform(1.5, 30))
    if rng.random() < 0.1:  # a hot spell, too short to matter
        plan.slowed, plan.slowed_gpus, plan.slowed_from = rng.uniform(0.1, 0.4), (0,), rng.uniform(0.2, 0.8) * length
        plan.slowed_until = plan.slowed_from + rng.uniform(0.003, 0.02) * length
    plan.data_share = float(rng.beta(1, 20)) * (1 - plan.duty + 0.3)
    plan.status = str(rng.choice(["finished", "unknown", "failed", "killed"], p=[0.5, 0.35, 0.08, 0.07]))
    plan.logs = {one for one in [*_OFTEN, *_SELDOM] if rng.random() < (0.55 if one in _SELDOM else 0.8)}
    if rng.random() < 0.3:
        plan.counters["gpu/ecc_errors/corrected_volatile_total"] = np.cumsum(rng.random(count) < 0.01)
    if rng.random() < 0.15:
        plan.counters["gpu/ecc_errors/uncorrected_aggregate_total"] = np.full(count, float(rng.integers(0, 5)))
    if rng.random() < 0.3:
        plan.events.append(("text", "info", str(rng.choice(_TALK)), float(rng.uniform(0, length))))


_TALK = (
    "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid CUDA out of memory errors",
    "UserWarning: pin_memory argument is set as true but no accelerator is found",
    "GPU memory: 71.3 GiB allocated, 74.0 GiB reserved",
    "Detected kernel version 5.4.0, which is below the recommended minimum of 5.5.0; this can cause the process to hang",
    "ECC is enabled on all GPUs",
    "The batch may be too large and you might run out of memory",
)


class Course(NamedTuple):
    """What the GPUs did, a row a GPU and a column a sample."""

    utilization: Any
    power: Any
    clock: Any
    """MHz."""
    temperature: Any
    bits: Any
    activity: Any
    working: Any
    """Where steps are made: no start, evaluation, checkpoint or end."""


def course(plan: Plan) -> Course:
    """Return what the GPUs did."""
    rng, times = plan.rng, plan.times
    shape = (plan.gpus, len(times))
    training, evaluation = _phases(plan)
    work = np.where(evaluation, plan.kernels * rng.uniform(0.5, 1.1), _worked(plan)) * np.ones(shape)
    work *= training | evaluation
    work = np.where(work > 0, np.clip(work + rng.normal(0, plan.jitter, shape), 0, 1), 0.0)
    intensity = np.full(shape, plan.intensity) * np.where(evaluation, rng.uniform(0.6, 1.0), 1.0)
    if plan.dead is not None:
        after = (times >= plan.dead[1]) & (times < plan.end_s)
        work[:, after], intensity[:, after] = 1.0, rng.uniform(0.15, 0.3)
        work[plan.dead[0], after] = 0.0
    slow = _slowing(plan, shape)
    limit, span = plan.model.limit * plan.cap, plan.model.limit - plan.model.idle
    asked = plan.model.idle + span * intensity * work * (1 - slow) ** 2.5
    asked *= 1 + rng.normal(0, 0.03, shape)
    capped = asked > limit * 0.99
    power = np.clip(np.minimum(asked, limit * (1 + rng.normal(0, 0.008, shape))), plan.model.idle * 0.8, None)
    down = np.where(capped, (np.maximum(asked - plan.model.idle, 1) / np.maximum(limit - plan.model.idle, 1)) ** -0.4, 1.0)
    clock = plan.model.top_mhz * np.minimum(down, 1.0) * (1 - slow) * (1 - np.abs(rng.normal(0, 0.012, shape)))
    clock = np.where(work > 0, np.round(clock / 15) * 15, rng.choice([210.0, plan.model.top_mhz]))
    heat = _heat(plan, power, slow)
    bits = np.where(work <= 0, 1, 0) | np.where(capped & (work > 0), 4, 0)
    stray = rng.random(shape) < 0.004
    hot = (slow > 0) & (rng.random(shape) < 0.93)
    bits = bits | np.where(hot | stray, int(rng.choice([0x20, 0x40, 0x60, 0x68])), 0)
    activity = np.clip(plan.memory_activity * work + rng.normal(0, 0.03, shape), 0, 1) * (work > 0)
    return Course(np.round(work, 2), power, clock, heat, bits.astype(float), np.round(activity, 2), training)


def _phases(plan: Plan) -> tuple[Any, Any]:
    """Return where the run trains and where it evaluates; checkpoints are neither."""
    rng, times = plan.rng, plan.times
    length = times[-1]
    begun = rng.uniform(0.005, 0.05) * min(length, 5000.0) + 5
    alive = (times >= begun) & (times <= plan.end_s)
    evaluation = np.zeros(len(times), dtype=bool)
    if rng.random() < 0.7:
        period = rng.uniform(0.05, 0.3) * length
        evaluation = (times % period) > period * (1 - rng.uniform(0.01, 0.1))
    saving = np.zeros(len(times), dtype=bool)
    if rng.random() < 0.7:
        period = rng.uniform(0.02, 0.2) * length
        saving = (times % period) < min(period * 0.05, rng.uniform(1, 60))
    return alive & ~evaluation & ~saving, alive & evaluation & ~saving


def _worked(plan: Plan) -> Any:
    """Return the utilization that samples show: the part of the sampling window in which kernels ran."""
    rng, period = plan.rng, plan.step_s / plan.duty
    window = min(plan.interval, 1.0)
    count = int(plan.times[-1] / period) + 2
    if period < 0.7 * window or count > 40_000:
        return np.clip(plan.duty * plan.kernels * (1 + rng.normal(0, 0.04, len(plan.times))), 0, 1)
    lengths = period * np.clip(1 + rng.normal(0, rng.choice([0.01, 0.05, 0.2]), count), 0.3, 3)
    starts = np.cumsum(lengths) - lengths
    busy = lengths * plan.duty
    done = np.cumsum(busy) - busy

    def worked_until(moments: Any) -> Any:
        at = np.clip(np.searchsorted(starts, moments, side="right") - 1, 0, count - 1)
        return done[at] + np.clip(moments - starts[at], 0, busy[at])

    return np.clip(plan.kernels * (worked_until(plan.times) - worked_until(plan.times - window)) / window, 0, 1)


def _slowing(plan: Plan, shape: tuple[int, int]) -> Any:
    """Return how far heat lowers each clock: from some time on, over minutes."""
    slow = np.zeros(shape)
    for gpu in plan.slowed_gpus:
        over = np.clip((plan.times - plan.slowed_from) / plan.rng.uniform(30, 300), 0, 1) * (plan.times < plan.slowed_until)
        slow[gpu] = plan.slowed * over * np.clip(1 + plan.rng.normal(0, 0.1, shape[1]), 0.5, 1.4)
    return slow


def _heat(plan: Plan, power: Any, slow: Any) -> Any:
    """Return temperatures: what power leads to, with the delay of a heat sink."""
    rng = plan.rng
    share = (power - plan.model.idle) / (plan.model.limit - plan.model.idle)
    top = max(float(np.quantile(share, 0.9)), 0.05)
    target = 30 + (plan.steady - 30) * np.clip(share / top, 0, 1.05)
    keep = np.exp(-plan.interval / rng.uniform(30, 90))
    weights = (1 - keep) * keep ** np.arange(min(power.shape[1], int(np.ceil(-6 / np.log(keep)))))
    first = np.repeat(target[:, :1], len(weights), axis=1)
    heat = np.array(
        [np.convolve(row, weights, mode="full")[len(weights) : -len(weights) + 1 or None] for row in np.hstack([first, target])]
    )
    heat = heat[:, : power.shape[1]] / weights.sum()
    hot = plan.model.hot + rng.uniform(0, 2)
    heat = np.where(slow > 0.02, np.maximum(heat, hot - 8 * np.exp(-slow / 0.02)), np.minimum(heat, plan.model.hot - 1))
    return np.round(heat + rng.normal(0, 0.5, heat.shape))
