"""What a run took: hours, money, energy, carbon, each with its basis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.money import Money

__all__ = ["BUCKETS", "DeviceUse", "Forecast", "Goodput", "Ledger"]

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
class Ledger:
    """What a run took. None where it cannot be known; `basis` says how each figure is known."""

    wall_s: float | None = None
    """First to last sign of life of the run, in seconds."""
    gpu_hours: float | None = None
    cpu_hours: float | None = None
    tpu_hours: float | None = None
    devices: tuple[DeviceUse, ...] = ()
    cost: Money | None = None
    energy_j: float | None = None
    """Joules, PUE not included."""
    energy_basis: Literal["measured", "estimated", "none"] = "none"
    pue: float = 1.0
    carbon_kg: float | None = None
    """Kilograms of CO2 equivalent, PUE included."""
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
