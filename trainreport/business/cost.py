"""Prices put on hours and energy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.ledger import DeviceUse
    from trainreport.model.money import Money
    from trainreport.model.plan import Rate, Rates

__all__ = ["price_devices", "price_energy"]


def price_devices(devices: Sequence[DeviceUse], rates: Rates) -> tuple[tuple[DeviceUse, ...], str]:
    """Return the devices with their cost, and one sentence on the rates used.

    A device without a rate keeps no cost; it is never priced at zero.
    """
    priced: list[DeviceUse] = []
    used: dict[Rate, None] = {}  # in the order of the devices
    without = 0
    for device in devices:
        rate = _rate(device, rates)
        if rate is None:
            without += 1
            priced.append(device)
            continue
        used[rate] = None
        priced.append(replace(device, cost=rate.price.times(device.hours if device.billed_hours is None else device.billed_hours)))
    if not used:
        return tuple(priced), "not known: the plan gives no hourly rate for these devices" if devices else "not known: no device hours"
    named = " and ".join(f"{rate.price.plain()} {rate.price.currency} an hour{_origin(rate)}" for rate in used)
    missing = f"; {without} device{'s' if without != 1 else ''} without a rate not priced" if without else ""
    charged = "billed hours" if any(device.billed_hours is not None for device in priced) else "device hours"
    return tuple(priced), f"{charged} at {named}{missing}"


def price_energy(energy_kwh: float, rates: Rates) -> tuple[Money, str] | None:
    """Return the price of energy and its basis, None where the plan has no price for a kWh."""
    if rates.kwh is None:
        return None
    price = rates.kwh.price
    return price.times(energy_kwh), f"energy only, at {price.plain()} {price.currency} a kWh{_origin(rates.kwh)}; no hourly rate applies"


def _rate(device: DeviceUse, rates: Rates) -> Rate | None:
    if device.kind == "gpu":
        return rates.gpu(device.model)
    return rates.cpu_hour if device.kind == "cpu" else rates.tpu_hour


def _origin(rate: Rate) -> str:
    parts = [part for part in (rate.source, rate.date.isoformat() if rate.date else None) if part]
    return f" ({', '.join(parts)})" if parts else ""
