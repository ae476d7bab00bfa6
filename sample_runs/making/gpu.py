"""A simulated log of `nvidia-smi --query-gpu=… --format=csv`: no GPU was at hand when the samples were made.

The spelling, the units and the local time without a zone are nvidia-smi's; the numbers are drawn from a seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

FIELDS = (
    ("timestamp", ""),
    ("index", ""),
    ("name", ""),
    ("utilization.gpu", "%"),
    ("memory.used", "MiB"),
    ("memory.total", "MiB"),
    ("power.draw", "W"),
    ("temperature.gpu", ""),
)


UNITS = {
    **dict(FIELDS),
    "power.limit": "W",
    "clocks.current.sm": "MHz",
    "clocks.max.sm": "MHz",
    "clocks_event_reasons.active": "",
    "ecc.errors.uncorrected.volatile.total": "",
}
GPU_IDLE, SW_POWER_CAP, SW_THERMAL = 0x1, 0x4, 0x20
"""Bits of the reasons for a lowered clock, as NVML defines them."""


@dataclass(frozen=True)
class Card:
    """What one GPU does while the run lasts; before and after it idles with free memory."""

    name: str
    memory_total: int
    memory_used: int
    """MiB while the run lasts."""
    idle_watt: float
    full_watt: float
    busy: float
    """Utilization in percent while it works."""
    spread: float = 4.0
    starved: float = 0.0
    """Share of samples in which it mostly waits for data."""
    limit: float = 400.0
    """Power limit in W, as far as it is logged."""


@dataclass(frozen=True)
class Window:
    """What the log covers, in seconds since 1970 UTC: the run, and some idle time around it."""

    first: float
    run_start: float
    run_end: float
    last: float
    interval: float


def write_log(path: Path, cards: list[Card], window: Window, *, units: bool, seed: int) -> None:
    """Write one line for each card and sample."""
    rng = np.random.default_rng(seed)
    lines = [", ".join(f"{field} [{unit}]" if unit else field for field, unit in FIELDS)]
    heat = [34.0] * len(cards)
    for sample in range(int((window.last - window.first) / window.interval) + 1):
        at = window.first + sample * window.interval + 0.123
        running = window.run_start <= at <= window.run_end
        for index, card in enumerate(cards):
            load = _load(card, rng) if running else 0.0
            watt = card.idle_watt + (card.full_watt - card.idle_watt) * load / 100 + rng.normal(0, 0.6)
            # A cooler follows the power with some delay.
            heat[index] += 0.2 * (34 + 32 * (watt - card.idle_watt) / card.full_watt - heat[index])
            values = (
                _local_time(at + 0.002 * index + rng.integers(0, 2) / 1000),
                str(index),
                card.name,
                f"{load:.0f}",
                str(card.memory_used if running else 3),
                str(card.memory_total),
                f"{watt:.2f}",
                f"{heat[index]:.0f}",
            )
            lines.append(", ".join(_dress(value, unit, units) for value, (_, unit) in zip(values, FIELDS, strict=True)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


Trace = dict[str, np.ndarray | list[str] | str]
"""What one GPU showed, by field: a value a sample, or one text for all."""


def trace(card: Card, load: np.ndarray, rng: np.random.Generator, *, clock: np.ndarray | None = None, top: float = 1410) -> Trace:
    """Return what a card shows at a load in percent: memory, power that follows load and clock, heat that follows the power."""
    clock = np.where(load > 1, top, 210.0) if clock is None else clock
    watt = card.idle_watt + (card.full_watt - card.idle_watt) * load / 100 * np.minimum(1, clock / top) + rng.normal(0, 0.6, len(load))
    heat = np.full(len(load), 34.0)
    for at in range(1, len(load)):
        heat[at] = heat[at - 1] + 0.2 * (34 + 32 * (watt[at] - card.idle_watt) / card.full_watt - heat[at - 1])
    return {
        "name": card.name,
        "utilization.gpu": load,
        "memory.used": np.full(len(load), float(card.memory_used)),
        "memory.total": np.full(len(load), float(card.memory_total)),
        "power.draw": watt,
        "power.limit": np.full(len(load), card.limit),
        "temperature.gpu": heat,
        "clocks.current.sm": clock,
        "clocks.max.sm": np.full(len(load), top),
        "clocks_event_reasons.active": np.where(load > 1, 0, GPU_IDLE),
    }


def write_traces(path: Path, times: np.ndarray, traces: list[Trace]) -> None:
    """Write what several cards showed at the same times, in the form of write_log and with units."""
    fields = list(traces[0])
    lines = [", ".join(["timestamp", "index", *(f"{field} [{UNITS[field]}]" if UNITS[field] else field for field in fields)])]
    for sample, at in enumerate(times):
        for index, one in enumerate(traces):
            cells = [_cell(field, one[field], sample) for field in fields]
            lines.append(", ".join([_local_time(at + 0.002 * index), str(index), *cells]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def _cell(field: str, values: np.ndarray | list[str] | str, sample: int) -> str:
    value = values if isinstance(values, str) else values[sample]
    if isinstance(value, str):
        return value
    if field == "clocks_event_reasons.active":
        return f"0x{int(value):016X}"
    return _dress(f"{value:.2f}" if UNITS[field] == "W" else f"{value:.0f}", UNITS[field], units=True)


def _load(card: Card, rng: np.random.Generator) -> float:
    if card.busy == 0:
        return 0.0
    if rng.random() < card.starved:
        return float(rng.integers(2, 14))
    return float(np.clip(rng.normal(card.busy, card.spread), 0, 100))


def _dress(value: str, unit: str, units: bool) -> str:
    return f"{value} {unit}" if unit and units else value


def _local_time(seconds: float) -> str:
    """Write a time as nvidia-smi does on a machine whose clock shows UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
