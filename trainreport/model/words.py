"""Numbers as people write them: the one place where units become words again.

The same on every machine, whatever its locale. Findings, decisions and reports all speak through it, so
that a number reads the same wherever it stands.
"""

from __future__ import annotations

import math
import re
import textwrap
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from trainreport.model.series import is_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainreport.model.money import Money

__all__ = [
    "capital", "count", "duration", "energy", "fraction", "hours", "joined", "mass", "measure", "memory", "money", "number", "pair",
    "plural", "quantity", "series_words", "share", "wrapped",
]  # fmt: skip

_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=%|[A-Z]{3}\b|h\b|min\b|s\b|[KMGT]?i?B\b|kWh\b|kg\b)|(?<=[<>]) (?=\d)")
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_PHASES = {"train": "training", "system": ""}
_UPPER = frozenset(
    (
        "f1",
        "auc",
        "map",
        "iou",
        "wer",
        "cer",
        "mse",
        "rmse",
        "mae",
        "mape",
        "psnr",
        "ssim",
        "fid",
        "kl",
        "elbo",
        "bleu",
        "rouge",
        "r2",
        "gpu",
        "cpu",
    )
)
_FRACTIONS = (
    (0.1, "a tenth"), (0.2, "a fifth"), (0.25, "a quarter"), (1 / 3, "a third"), (0.4, "two fifths"), (0.5, "half"),
    (0.6, "three fifths"), (2 / 3, "two thirds"), (0.75, "three quarters"), (0.8, "four fifths"), (0.9, "nine tenths"),
)  # fmt: skip


def number(value: float, digits: int = 3) -> str:
    """Return a plain number with `digits` significant digits, grouped by thousands."""
    odd = _odd(value)
    if odd or value == 0:
        return odd or "0"
    size = abs(value)
    if size >= 1e9 or size < 1e-4:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{_trim(mantissa)}e{int(exponent)}"
    places = max(0, digits - 1 - math.floor(math.log10(size)))
    return _trim(f"{value:,.{places}f}")


def count(value: float) -> str:
    """Return a whole number, grouped by thousands."""
    return _odd(value) or f"{round(value):,}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return ``1 run`` or ``6 runs``."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def share(value: float, places: int | None = None) -> str:
    """Return a share (0..1) as percent: whole, one digit below 1 and above 99; just above zero is ``< 0.1 %``."""
    odd = _odd(value)
    if odd:
        return odd
    percent = value * 100
    if places is not None:
        return f"{percent:.{places}f} %"
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    fine = 0 < abs(percent) < 1 or 99 < percent < 100
    return f"{_trim(f'{percent:.1f}') if fine else f'{percent:,.0f}'} %"


def money(value: Money) -> str:
    """Return ``40.00 EUR`` below 100, ``1,240 EUR`` from there on."""
    if abs(value.amount) >= 100:
        return f"{value.amount.quantize(Decimal(1), rounding=ROUND_HALF_UP):,f} {value.currency}"
    cents = value.amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    return f"{'< 0.01' if cents == 0 and value.amount > 0 else f'{cents:f}'} {value.currency}"


def duration(seconds: float) -> str:
    """Return a duration in the unit of its size: ``45 s``, ``12 min``, ``10.0 h``, ``12.5 days``."""
    odd = _odd(seconds)
    if odd:
        return odd
    if abs(seconds) < 2 * _MINUTE:
        return f"{number(seconds, 2) if abs(seconds) < 10 else round(seconds)} s"
    if abs(seconds) < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return hours(seconds / _HOUR) if abs(seconds) < 4 * _DAY else f"{seconds / _DAY:,.1f} days"


def hours(value: float) -> str:
    """Return hours: one digit below 100, two below a tenth."""
    return _odd(value) or f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 0.1 else 2}f} h"


def energy(kwh: float) -> str:
    """Return ``3.9 kWh``."""
    return _odd(kwh) or f"{_sized(kwh)} kWh"


def mass(kilograms: float) -> str:
    """Return ``1.2 kg``."""
    return _odd(kilograms) or f"{_sized(kilograms)} kg"


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
    return f"{size:,.0f} {unit}" if unit == "B" or size >= 100 else f"{size:,.1f} {unit}"


def quantity(value: float, unit: str) -> str:
    """Return a value in a canonical unit, or in one that a threshold was declared in."""
    if unit in _BY_UNIT:
        return _BY_UNIT[unit](value)
    text = number(value)
    return text if unit in ("1", "", "as logged") else f"{text} {unit}"


def measure(value: float, series: str) -> str:
    """Return a value of a series: in percent where it is a share by nature, else a number."""
    if not is_share(series) or not math.isfinite(value):
        return number(value)
    return share(value if abs(value) <= 1.5 else value / 100)


def pair(value: float, limit: float, *, shares: bool) -> tuple[str, str]:
    """Return a value and its limit with as many digits as tell them apart."""
    texts = (share(value), share(limit)) if shares else (number(value), number(limit))
    if value == limit or not (math.isfinite(value) and math.isfinite(limit)):
        return texts
    for digits in range(1, 5):
        if texts[0] != texts[1]:
            break
        texts = (share(value, digits), share(limit, digits)) if shares else (number(value, 3 + digits), number(limit, 3 + digits))
    return texts


def fraction(value: float) -> str:
    """Return a share of a whole in words: ``a third``."""
    return "shortly" if value < 0.07 else min(_FRACTIONS, key=lambda entry: abs(entry[0] - value))[1]


def series_words(series: str, phase: str = "system") -> str:
    """Return ``validation accuracy`` for a canonical name and its phase."""
    name = " ".join(part.upper() if part in _UPPER else part for part in series.replace("/", " ").replace("_", " ").split())
    return f"{_PHASES.get(phase, phase)} {name}".strip()


def wrapped(text: str, width: int, indent: str = "", hang: str = "") -> list[str]:
    """Return lines of a text for a terminal; a number stays with its unit.

    Parameters
    ----------
    text : str
    width : int
        Letters in a line.
    indent, hang : str
        What the first line, and each further line, begins with.
    """
    tied = _NUMBER_AND_UNIT.sub("\u00a0", text)
    lines = textwrap.wrap(tied, width, initial_indent=indent, subsequent_indent=hang, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def capital(text: str) -> str:
    """Return `text` with its first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]


def joined(items: Sequence[str], most: int = 5) -> str:
    """Return ``a, b and c``; what is beyond `most` is counted."""
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def _odd(value: float) -> str | None:
    if math.isnan(value):
        return "not a number"
    return ("infinite" if value > 0 else "minus infinite") if math.isinf(value) else None


def _sized(value: float) -> str:
    if 0 < value < 0.01:
        return "< 0.01"
    return f"{value:,.{0 if value >= 100 else 1 if value >= 1 else 2}f}"


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


_BY_UNIT: dict[str, Callable[[float], str]] = {
    "share": share,
    "s": duration,
    "B": memory,
    "kWh": energy,
    "J": lambda value: energy(value / 3.6e6),
    "degC": lambda value: f"{number(value)} °C",
    "Hz": lambda value: f"{number(value / 1e6)} MHz",
}
