"""What a run took: hours, money, energy, carbon, each with its basis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.money import Money

__all__ = ["BUCKETS", "Completion", "Course", "DeviceUse", "Forecast", "Goodput", "GridCarbon", "HoursTold", "Ledger", "Taken"]

BUCKETS = ("productive", "start_up", "input_wait", "evaluation", "checkpoint", "stall", "lost_work", "idle_after_end", "unexplained")
"""Where paid time goes; each is a field of `Goodput`."""


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """One device held by a run."""

    kind: Literal["gpu", "cpu", "tpu"]
    device: str
    node: str | None
    model: str | None
    hours: float
    cost: Money | None = None
    billed_hours: float | None = None
    """What is charged, where that is not what was held."""


@dataclass(frozen=True, slots=True)
class HoursTold:
    """What one source says of a run's GPU-hours."""

    source: Literal["scheduler", "training-service", "gpu-log", "wall-time", "logged-length"]
    gpus: int
    gpu_hours: float
    counts: bool
    """Whether these are the hours that the ledger has; the others stand beside them."""
    says: str


@dataclass(frozen=True, slots=True)
class Goodput:
    """Where the paid time went: shares (0..1) of it that add up to 1."""

    paid_s: float
    """Seconds of wall time from the first to the last sign of the run or of its machine."""
    productive: float
    start_up: float
    input_wait: float
    evaluation: float
    checkpoint: float
    stall: float
    lost_work: float
    idle_after_end: float
    unexplained: float
    basis: Mapping[str, str] = field(default_factory=dict)
    """Name of each share -> one sentence: how it is known."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Whether a criterion will be met within budget and deadline, and where its series will end."""

    criterion: str
    """Id in the plan."""
    target: float
    """In the unit of the criterion."""
    probability: float | None
    low: float | None
    """Lower end of the 80 % interval: of the best value by then, or of the last where the criterion is judged at the end."""
    mid: float | None
    high: float | None
    at_step: int | None
    """The end that is meant."""
    at_time_s: float | None
    """Seconds since 1970 UTC."""
    method: str


@dataclass(frozen=True, slots=True)
class GridCarbon:
    """Carbon by the grid's factor of each hour, PUE included."""

    file: str
    region: str
    """Empty where the file names none."""
    g_per_kwh: float
    """Weighted by the energy of each hour."""
    average_g_per_kwh: float
    """What every hour is taken to have without the file: the plan's, else the mean of the file over the run."""
    carbon_kg: float
    average_kg: float
    """By the average."""
    greenest_kg: float | None
    """At the best start of the window; None where that cannot be told."""
    greenest_start_s: float | None
    """Seconds since 1970 UTC; None for several runs together."""
    window_s: float
    """How far a start was put off at most."""
    why: str
    """What the greenest start rests on, or why it cannot be told."""
    elsewhere: tuple[str, float] | None = None
    """Of the other regions of the file the greenest at the run's own hours, and kilograms there."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a part of a run took; None where it is not known."""

    wall_s: float | None
    gpu_hours: float | None
    cost: Money | None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a run that is not done will have taken at its planned end."""

    done: str
    """How much of the plan is done, in words."""
    low: Taken | None
    """At the pace of its quickest third; None where its pace is not known."""
    mid: Taken
    high: Taken | None


@dataclass(frozen=True, slots=True)
class Course:
    """What a run took up to its marks, and will take; what is None has its reason in `why`."""

    to_convergence: Taken | None = None
    to_best: Taken | None = None
    at_completion: Completion | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    """Name of each of the three -> one sentence: how it is known, or why it is not."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a run took. None where it cannot be known; `basis` says how each figure is known."""

    wall_s: float | None = None
    """First to last sign of life of the run, in seconds."""
    gpu_hours: float | None = None
    cpu_hours: float | None = None
    tpu_hours: float | None = None
    devices: tuple[DeviceUse, ...] = ()
    hours_told: tuple[HoursTold, ...] = ()
    """Each source of the GPU-hours, the one that counts first."""
    cost: Money | None = None
    energy_j: float | None = None
    """Joules, PUE not included."""
    energy_basis: Literal["measured", "estimated", "none"] = "none"
    pue: float = 1.0
    carbon_kg: float | None = None
    """Kilograms of CO2 equivalent, PUE included."""
    grid: GridCarbon | None = None
    """How `carbon_kg` is known hour by hour, where a file of the grid was given."""
    flop: float | None = None
    """Floating-point operations of the training."""
    goodput: Goodput | None = None
    forecast: Forecast | None = None
    basis: Mapping[str, str] = field(default_factory=dict)
    """``hours``, ``cost``, ``energy``, ``carbon``, ``flop``, ``goodput``, ``forecast``: one sentence each."""

    @property
    def energy_kwh(self) -> float | None:
        """Energy at the wall socket: joules in kWh times PUE."""
        return None if self.energy_j is None else self.energy_j / 3.6e6 * self.pue
