"""Numbers, times and names in words for people; the same on every machine, whatever its locale.

Rounded to what matters, never across a line that matters: `pair` keeps adding digits until a value and the
limit it missed no longer read the same. Fixed labels stand in ``templates/words.en.toml``.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import TYPE_CHECKING

from trainreport._resources import folder
from trainreport.model import clock
from trainreport.model.series import SHARES

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trainreport.model.money import Money

__all__ = [
    "agreed",
    "capital",
    "city",
    "count",
    "date",
    "duration",
    "energy",
    "finding_name",
    "fraction",
    "hours",
    "is_share",
    "joined",
    "label",
    "labels",
    "mass",
    "measure",
    "memory",
    "moment",
    "money",
    "month",
    "number",
    "pair",
    "plural",
    "quantity",
    "series_name",
    "share",
    "short",
]

GAP = "\u00a0"
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_FRACTIONS = (
    (0.1, "a tenth"), (0.2, "a fifth"), (0.25, "a quarter"), (1 / 3, "a third"), (0.4, "two fifths"), (0.5, "half"),
    (0.6, "three fifths"), (2 / 3, "two thirds"), (0.75, "three quarters"), (0.8, "four fifths"), (0.9, "nine tenths"),
)  # fmt: skip


@cache
def _table() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads((folder("templates") / "words.en.toml").read_text(encoding="utf-8"))


def label(key: str, **values: object) -> str:
    """Return the fixed wording of ``group.name``, with `values` filled in."""
    group, _, name = key.partition(".")
    text = _table()[group][name]
    return text.format(**values) if values else text


def labels(group: str) -> dict[str, str]:
    """Return all fixed wordings of a group, in the order of the file."""
    return dict(_table()[group])


def _odd(value: float) -> str | None:
    if math.isnan(value):
        return "not a number"
    return ("infinite" if value > 0 else "minus infinite") if math.isinf(value) else None


def number(value: float, digits: int = 3) -> str:
    """Return a plain number with `digits` significant digits, grouped by thousands."""
    odd = _odd(value)
    if odd or value == 0:
        return odd or "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-4:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return _minus(f"{_trim(mantissa)}e{int(exponent)}")
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    return _minus(_trim(f"{value:,.{places}f}"))


def _minus(text: str) -> str:
    return f"−{text[1:]}" if text.startswith("-") else text


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def count(value: float) -> str:
    """Return a whole number, grouped by thousands."""
    return _odd(value) or f"{round(value):,}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return ``1 run`` or ``6 runs``."""
    return f"{count(n)}{GAP}{one if n == 1 else many or one + 's'}"


def share(value: float, places: int | None = None) -> str:
    """Return a share (0..1) as percent: whole, one digit below 1 and above 99; just above zero is ``< 0.1 %``."""
    odd = _odd(value)
    if odd:
        return odd
    percent = value * 100
    if places is not None:
        return f"{percent:.{places}f}{GAP}%"
    if 0 < percent < 0.1:
        return f"<{GAP}0.1{GAP}%"
    if 99.9 < percent < 100:
        return f">{GAP}99.9{GAP}%"
    fine = 0 < abs(percent) < 1 or 99 < percent < 100
    return f"{_trim(f'{percent:.1f}') if fine else f'{percent:,.0f}'}{GAP}%"


def money(value: Money) -> str:
    """Return ``40.00 EUR`` below 100, ``1,240 EUR`` from there on."""
    if abs(value.amount) < 100:
        cents = value.amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        text = f"<{GAP}0.01" if cents == 0 and value.amount > 0 else f"{cents:f}"
    else:
        text = f"{value.amount.quantize(Decimal(1), rounding=ROUND_HALF_UP):,f}"
    return f"{text}{GAP}{value.currency}"


def duration(seconds: float) -> str:
    """Return a duration in the unit of its size: ``45 s``, ``12 min``, ``10.0 h``, ``12.5 days``."""
    odd = _odd(seconds)
    if odd:
        return odd
    if abs(seconds) < 2 * _MINUTE:
        return f"{number(seconds, 2) if abs(seconds) < 10 else round(seconds)}{GAP}s"
    if abs(seconds) < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f}{GAP}min"
    if abs(seconds) < 4 * _DAY:
        return hours(seconds / _HOUR)
    return f"{seconds / _DAY:,.1f}{GAP}days"


def hours(value: float) -> str:
    """Return hours: one digit below 100."""
    return _odd(value) or f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 0.1 else 2}f}{GAP}h"


def energy(kwh: float) -> str:
    """Return ``3.9 kWh``."""
    return _odd(kwh) or f"{_sized(kwh)}{GAP}kWh"


def mass(kilograms: float) -> str:
    """Return ``1.2 kg``."""
    return _odd(kilograms) or f"{_sized(kilograms)}{GAP}kg"


def agreed(seconds: float) -> str:
    """Return a duration that was agreed on, without digits that nobody agreed on: ``12 h``."""
    number_, _, unit = duration(seconds).partition(GAP)
    return f"{_trim(number_)}{GAP}{unit}"


def _sized(value: float) -> str:
    if 0 < value < 0.01:
        return f"<{GAP}0.01"
    return f"{value:,.{0 if value >= 100 else 1 if value >= 1 else 2}f}"


def memory(count_of_bytes: float) -> str:
    """Return bytes in the binary unit of their size."""
    odd = _odd(count_of_bytes)
    if odd:
        return odd
    size, unit = count_of_bytes, "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{size:,.0f}{GAP}{unit}" if unit == "B" or size >= 100 else f"{size:,.1f}{GAP}{unit}"


_BY_UNIT: dict[str, Callable[[float], str]] = {
    "share": share,
    "s": duration,
    "B": memory,
    "kWh": energy,
    "J": lambda value: energy(value / 3.6e6),
    "degC": lambda value: f"{number(value)}{GAP}°C",
    "Hz": lambda value: f"{number(value / 1e6)}{GAP}MHz",
}


def quantity(value: float, unit: str) -> str:
    """Return a value in a canonical unit, or in one that a threshold was declared in."""
    if unit in _BY_UNIT:
        return _BY_UNIT[unit](value)
    text = number(value)
    return text if unit in ("1", "", "as logged") else f"{text}{GAP}{unit}"


def pair(value: float, limit: float, *, shares: bool) -> tuple[str, str]:
    """Return a value and its limit with as many digits as tell them apart."""
    if value == limit or not (math.isfinite(value) and math.isfinite(limit)):
        return (share(value), share(limit)) if shares else (number(value), number(limit))
    texts = (share(value), share(limit)) if shares else (number(value), number(limit))
    for digits in range(1, 5):
        if texts[0] != texts[1]:
            break
        texts = (share(value, digits), share(limit, digits)) if shares else (number(value, 3 + digits), number(limit, 3 + digits))
    return texts


def fraction(value: float) -> str:
    """Return a share of a whole in words: ``a third``."""
    if value < 0.07:
        return "shortly"
    return min(_FRACTIONS, key=lambda entry: abs(entry[0] - value))[1]


def moment(value: datetime, zone: str) -> str:
    """Return ``9 June 2026, 22:10 Berlin``."""
    local = clock.to_utc(value).astimezone(clock.zone(zone))
    return f"{date(value, zone)}, {local:%H:%M}{GAP}{city(zone)}"


def month(number: int) -> str:
    """Return the name of a month, 1 to 12."""
    return _MONTHS[number - 1]


def date(value: datetime, zone: str, *, year: bool = True) -> str:
    """Return ``9 June 2026``, or without the year."""
    local = clock.to_utc(value).astimezone(clock.zone(zone))
    return f"{local.day}{GAP}{_MONTHS[local.month - 1]}{f' {local.year}' if year else ''}"


def city(zone: str) -> str:
    """Return the last part of a zone's name: ``Berlin``."""
    return zone.rsplit("/", 1)[-1].replace("_", " ")


def is_share(series: str, largest: float) -> bool:
    """Return whether a series is a share by nature and by its values."""
    return series.split("/", maxsplit=1)[0] in SHARES and largest <= 1.5


def series_name(series: str) -> str:
    """Return a canonical name in words: ``accuracy/top5`` is ``accuracy top5``."""
    return series.replace("/", " ").replace("_", " ")


def finding_name(name: str) -> str:
    """Return a finding's name in words: ``gpu-faults`` is ``GPU faults``."""
    return " ".join(part.upper() if part in ("gpu", "cpu", "io") else part for part in name.split("-"))


def measure(series: str, phase: str) -> str:
    """Return what was measured on what: ``Accuracy on unseen data``."""
    name = capital(series_name(series))
    on = labels("phase").get(phase)
    return f"{name} {on}" if on else name


def capital(text: str) -> str:
    """Return `text` with its first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]


def joined(items: list[str], most: int = 5) -> str:
    """Return ``a, b and c``; what is beyond `most` is counted."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def short(text: str, most: int = 60) -> str:
    """Return `text`, its middle left out where it is longer than `most`."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"
