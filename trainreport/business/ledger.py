"""What each run took: hours, money, energy, carbon, operations."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from trainreport.business.billing import billed
from trainreport.business.compute import device_hours, length_of, wall_seconds, wall_seconds_together
from trainreport.business.cost import price_devices, price_energy
from trainreport.business.energy import estimated_energy, measured_energy
from trainreport.business.flop import training_flop
from trainreport.business.forecast import forecast
from trainreport.business.goodput import goodput
from trainreport.business.grid import chosen
from trainreport.business.hourly import by_hour, summed
from trainreport.business.pace import paid_span
from trainreport.business.reported import reported_energy
from trainreport.model import words
from trainreport.model.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from trainreport.business.billing import Invoice
    from trainreport.business.grid import Grid
    from trainreport.business.hours import Hours
    from trainreport.model.ledger import DeviceUse, GridCarbon
    from trainreport.model.money import Money
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

    EnergyBasis = Literal["measured", "estimated", "none"]

__all__ = ["ledgers", "together", "total_cost"]

_SAME = 0.01
"""Share of the GPU-hours that a log may miss without a word."""
HISTORY = 50
"""Earlier runs that a forecast looks at; more change nothing in it and cost time."""


def ledgers(
    logs: Sequence[RunLog], plan: Plan, as_of: datetime | None = None, invoice: Invoice | None = None, grid: Grid | None = None
) -> list[Ledger]:
    """Return one ledger for each run, in the same order.

    Parameters
    ----------
    logs : sequence of RunLog
    plan : Plan
    as_of : datetime, optional
        What stands for now in forecasts.
    invoice : Invoice, optional
        What was charged; where it has charges for a run, they are its cost, and the plan's rates are not.
    grid : Grid, optional
        The factor of each hour, in place of the plan's average.

    Raises
    ------
    UsageError
        If the grid has several regions and the plan names none of them.
    """
    taken = [_ledger(log, hours, plan, grid) for log, hours in zip(logs, device_hours(logs, plan), strict=True)]
    if invoice is not None:
        spans = [paid_span(log) for log in logs]
        everyone = [*(span for span in spans if span is not None), *invoice.others]
        taken = [_charged(ledger, span, everyone, plan, invoice) for ledger, span in zip(taken, spans, strict=True)]
    begun = sorted(((log.run.started_at, at) for at, log in enumerate(logs) if log.run.started_at is not None))
    return [_with_outlook(log, ledger, _before(log, begun, logs), plan, as_of) for log, ledger in zip(logs, taken, strict=True)]


def together(logs: Sequence[RunLog], taken: Sequence[Ledger]) -> Ledger:
    """Return what all runs took: amounts added up, time in which runs overlapped counted once.

    Each figure is the sum of what is known, None where nothing is.
    """
    bases: set[EnergyBasis] = {one.energy_basis for one in taken}
    return Ledger(
        wall_s=wall_seconds_together(logs),
        gpu_hours=_sum(one.gpu_hours for one in taken),
        cpu_hours=_sum(one.cpu_hours for one in taken),
        tpu_hours=_sum(one.tpu_hours for one in taken),
        devices=tuple(device for one in taken for device in one.devices),
        cost=total_cost(one.cost for one in taken),
        energy_j=_sum(one.energy_j for one in taken),
        energy_basis="estimated" if "estimated" in bases else "measured" if "measured" in bases else "none",
        pue=taken[0].pue,
        carbon_kg=_sum(one.carbon_kg for one in taken),
        grid=summed([one.grid for one in taken if one.carbon_kg is not None]),
        flop=_sum(one.flop for one in taken),
        basis=taken[0].basis,
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def total_cost(costs: Iterable[Money | None]) -> Money | None:
    """Return the sum of the costs that are known, None where none is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known[1:], start=known[0]) if known else None


def _ledger(log: RunLog, hours: Hours, plan: Plan, grid: Grid | None) -> Ledger:
    rates = plan.rates
    devices, cost_basis = price_devices(hours.devices, rates)
    cost = total_cost(device.cost for device in devices)
    energy_j, energy_basis, energy_words = _energy(log, devices, rates.pue, _unseen_h(hours))
    if reported := reported_energy(log, rates.pue):
        energy_words = f"{energy_words}; beside it, not counted: {reported}"
    energy_kwh = None if energy_j is None else energy_j / 3.6e6 * rates.pue
    if cost is None and energy_kwh is not None:
        cost, cost_basis = price_energy(energy_kwh, rates) or (cost, cost_basis)
    carbon, hourly, carbon_words = _carbon(log, energy_j, plan, grid)
    flop, flop_words = training_flop(log, plan, devices)
    length = length_of(log)
    return Ledger(
        wall_s=wall_seconds(log) if length is None else length.seconds,
        gpu_hours=hours.total("gpu"),
        cpu_hours=hours.total("cpu"),
        tpu_hours=hours.total("tpu"),
        devices=devices,
        hours_told=hours.told,
        cost=cost,
        energy_j=energy_j,
        energy_basis=energy_basis,
        pue=rates.pue,
        carbon_kg=carbon,
        grid=hourly,
        flop=flop,
        basis={
            "hours": hours.basis,
            "cost": cost_basis,
            "energy": energy_words,
            "carbon": carbon_words,
            "flop": flop_words,
        },
    )


def _charged(
    ledger: Ledger, span: tuple[float, float] | None, everyone: Sequence[tuple[float, float]], plan: Plan, invoice: Invoice
) -> Ledger:
    """Return the ledger with what the invoice says in place of what the rates give."""
    bill = None if span is None else billed(invoice.charges, span, plan.tags, everyone)
    if bill is None:
        return replace(ledger, basis={**ledger.basis, "cost": f"{ledger.basis['cost']}; the invoice {invoice.file} has no charge for it"})
    told = f" with the plan's tags {dict(plan.tags)}" if plan.tags else ", whatever they are for: the plan has no [tags]"
    parts = f", {bill.split} of them in part" if bill.split else ""
    unread = (
        f"; {words.plural(len(invoice.problems), 'line')} could not be read, the first: {invoice.problems[0]}" if invoice.problems else ""
    )
    basis = (
        f"invoice {invoice.file} (SHA-256 {invoice.sha256[:12]}…): {words.plural(bill.charges, 'charge')} in its time{told}{parts}{unread}"
    )
    devices = tuple(replace(device, cost=None) for device in ledger.devices)
    return replace(ledger, cost=bill.cost, devices=devices, basis={**ledger.basis, "cost": basis})


def _with_outlook(log: RunLog, ledger: Ledger, history: Sequence[RunLog], plan: Plan, as_of: datetime | None) -> Ledger:
    """Return the ledger with where its time went, and what is foretold from runs made before."""
    spread, spread_words = goodput(log)
    foretold, foretold_words = forecast(log, plan, ledger=ledger, history=history, as_of=as_of)
    basis = {**ledger.basis, "goodput": spread_words, "forecast": foretold_words}
    return replace(ledger, goodput=spread, forecast=foretold, basis=basis)


def _before(log: RunLog, begun: Sequence[tuple[datetime, int]], logs: Sequence[RunLog]) -> list[RunLog]:
    """Return the last runs that began before one."""
    if log.run.started_at is None:
        return []
    end = bisect_left(begun, (log.run.started_at, -1))
    return [logs[at] for _, at in begun[max(0, end - HISTORY) : end]]


def _unseen_h(hours: Hours) -> float:
    """Return the GPU-hours that were paid for while the GPU log shows nothing."""
    logged = next((one.gpu_hours for one in hours.told if one.source == "gpu-log"), None)
    held = hours.total("gpu") or 0.0
    return 0.0 if logged is None or held - logged < _SAME * held else held - logged


def _energy(log: RunLog, devices: Sequence[DeviceUse], pue: float, unseen_h: float) -> tuple[float | None, EnergyBasis, str]:
    """Return joules without PUE, how they are known, and that in a sentence."""
    measured = measured_energy(log)
    if measured is not None:
        holes = f"; {measured.gap_s / 60:.0f} minutes without samples are not counted" if measured.gap_s else ""
        holes += f"; {words.number(unseen_h)} GPU-hours outside the GPU log are not counted" if unseen_h else ""
        return measured.joules, "measured", f"measured: GPU power samples, trapezoid rule, times a PUE of {pue:g}{holes}"
    joules, why = estimated_energy(log, devices)
    return (None, "none", why) if joules is None else (joules, "estimated", f"{why}; times a PUE of {pue:g}")


def _carbon(log: RunLog, energy_j: float | None, plan: Plan, grid: Grid | None) -> tuple[float | None, GridCarbon | None, str]:
    """Return kilograms, how they are known hour by hour, and the basis in a sentence: the hour's factor before the average."""
    average = plan.rates.carbon_g_per_kwh
    if energy_j is None:
        return None, None, "not known: no energy"
    instead = ""
    if grid is not None and energy_j > 0:
        hourly = by_hour(log, energy_j, plan, grid)
        if not isinstance(hourly, str):
            return hourly.carbon_kg, hourly, _hourly_words(hourly, plan, grid)
        instead = f"; not hour by hour: {hourly}"
    if average is None:
        return None, None, f"not known: the plan gives no carbon_g_per_kwh{instead}"
    return energy_j / 3.6e6 * plan.rates.pue * average / 1000, None, f"energy times the plan's {average:g} g of CO2e a kWh{instead}"


def _hourly_words(hourly: GridCarbon, plan: Plan, grid: Grid) -> str:
    _, factors = chosen(grid, plan.rates.grid_region)
    where = f" for {hourly.region}" if hourly.region else ""
    mean = "the plan's average" if plan.rates.carbon_g_per_kwh is not None else "the file's average over the run"
    out = f"; {words.share(factors.unknown)} of the generation has no factor and is left out" if factors.unknown else ""
    unread = f"; {words.plural(len(grid.problems), 'line')} could not be read, the first: {grid.problems[0]}" if grid.problems else ""
    return (
        f"energy of each hour times its factor{where} in {grid.file} (SHA-256 {grid.sha256[:12]}…; {grid.what}; {grid.clock}): "
        f"{words.number(hourly.g_per_kwh)} g of CO2e a kWh; by {mean} of {words.number(hourly.average_g_per_kwh)} g it would be "
        f"{words.mass(hourly.average_kg)}{out}{unread}"
    )
