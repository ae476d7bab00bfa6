"""What a run took: hours, money, energy, carbon, each with its basis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.money import Money

__all__ = ["DeviceUse", "Ledger"]


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
    basis: Mapping[str, str] = field(default_factory=dict)
    """``hours``, ``cost``, ``energy``, ``carbon``: one sentence each."""

    @property
    def energy_kwh(self) -> float | None:
        """Energy at the wall socket: joules in kWh times PUE."""
        return None if self.energy_j is None else self.energy_j / 3.6e6 * self.pue
