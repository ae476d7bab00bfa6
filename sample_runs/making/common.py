"""What the samples share: schedules of the learning rate, clocks, cards and the names of curves."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from making.gpu import Card, Window
from making.network import Record, Schedule
from making.writers import Clock

HOUR = 3600.0
A100 = Card("NVIDIA A100-SXM4-40GB", 40960, 31_244, idle_watt=52.0, full_watt=396.0, busy=86.0)
T4 = Card("Tesla T4", 15360, 9_412, idle_watt=26.4, full_watt=69.5, busy=68.0)
TAGS = {
    "train loss": "loss/train",
    "validation loss": "loss/validation",
    "train accuracy": "accuracy/train",
    "validation accuracy": "accuracy/validation",
    "learning rate": "learning_rate",
    "gradient norm": "grad_norm",
}


def constant(rate: float) -> Schedule:
    """Return one learning rate for the whole training."""
    return lambda _: rate


def cosine(rate: float, floor: float, warm_up: float = 0.0) -> Schedule:
    """Return a linear warm-up, then a half cosine from `rate` down to `floor` times it."""

    def schedule(done: float) -> float:
        if done < warm_up:
            return rate * done / warm_up
        wave = 0.5 * (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up)))
        return rate * (floor + (1 - floor) * wave)

    return schedule


def rising(rate: float, until: float, power: float, start: float) -> Schedule:
    """Return a warm-up from `start` by a power of the time, and then `start` plus `rate` to the end."""
    return lambda done: start + rate * min(1.0, done / until) ** power


def seconds(text: str) -> float:
    """Return a time in UTC as seconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def clock_for(records: list[Record], start: str, hours: float, seed: int) -> Clock:
    """Return a clock that writes the records of a run as lasting `hours`."""
    return Clock(seconds(start), hours * HOUR, records[-1].step, seed)


def around(clock: Clock, interval: float, after: float = 240.0) -> Window:
    """Return the window of a GPU log from a minute before the run to `after` seconds past its end."""
    return Window(clock.start - 60, clock.start, clock.end, clock.end + after, interval)
