"""What each run took: hours, money, energy, carbon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trainreport.business.compute import Hours, device_hours, wall_seconds, wall_seconds_together
from trainreport.business.cost import price_devices, price_energy
from trainreport.business.energy import measured_energy
from trainreport.model.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.model.money import Money
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = ["ledgers", "together", "total_cost"]


def ledgers(logs: Sequence[RunLog], plan: Plan) -> list[Ledger]:
    """Return one ledger for each run, in the same order."""
    return [_ledger(log, hours, plan) for log, hours in zip(logs, device_hours(logs, plan), strict=True)]


def together(logs: Sequence[RunLog], taken: Sequence[Ledger]) -> Ledger:
    """Return what all runs took: amounts added up, time in which runs overlapped counted once.

    Each figure is the sum of what is known, None where nothing is.
    """
    measured = any(one.energy_basis == "measured" for one in taken)
    return Ledger(
        wall_s=wall_seconds_together(logs),
        gpu_hours=_sum(one.gpu_hours for one in taken),
        cpu_hours=_sum(one.cpu_hours for one in taken),
        tpu_hours=_sum(one.tpu_hours for one in taken),
        devices=tuple(device for one in taken for device in one.devices),
        cost=total_cost(one.cost for one in taken),
        energy_j=_sum(one.energy_j for one in taken),
        energy_basis="measured" if measured else "none",
        pue=taken[0].pue,
        carbon_kg=_sum(one.carbon_kg for one in taken),
        basis=taken[0].basis,
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def total_cost(costs: Iterable[Money | None]) -> Money | None:
    """Return the sum of the costs that are known, None where none is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known[1:], start=known[0]) if known else None


def _ledger(log: RunLog, hours: Hours, plan: Plan) -> Ledger:
    rates = plan.rates
    devices, cost_basis = price_devices(hours.devices, rates)
    cost = total_cost(device.cost for device in devices)
    energy = measured_energy(log)
    energy_kwh = None if energy is None else energy.joules / 3.6e6 * rates.pue
    if cost is None and energy_kwh is not None:
        cost, cost_basis = price_energy(energy_kwh, rates) or (cost, cost_basis)
    energy_basis: Literal["measured", "none"] = "none" if energy is None else "measured"
    carbon = None if energy_kwh is None or rates.carbon_g_per_kwh is None else energy_kwh * rates.carbon_g_per_kwh / 1000
    return Ledger(
        wall_s=wall_seconds(log),
        gpu_hours=hours.total("gpu"),
        cpu_hours=hours.total("cpu"),
        tpu_hours=hours.total("tpu"),
        devices=devices,
        cost=cost,
        energy_j=None if energy is None else energy.joules,
        energy_basis=energy_basis,
        pue=rates.pue,
        carbon_kg=carbon,
        basis={
            "hours": hours.basis,
            "cost": cost_basis,
            "energy": _energy_words(None if energy is None else energy.gap_s, rates.pue),
            "carbon": _carbon_words(energy_kwh, rates.carbon_g_per_kwh),
        },
    )


def _energy_words(gap_s: float | None, pue: float) -> str:
    if gap_s is None:
        return "not known: no power samples in the logs"
    holes = f"; {gap_s / 60:.0f} minutes without samples are not counted" if gap_s else ""
    return f"measured: GPU power samples, trapezoid rule, times a PUE of {pue:g}{holes}"


def _carbon_words(energy_kwh: float | None, grid: float | None) -> str:
    if energy_kwh is None:
        return "not known: no energy"
    return "not known: the plan gives no carbon_g_per_kwh" if grid is None else f"energy times the plan's {grid:g} g of CO2e a kWh"
