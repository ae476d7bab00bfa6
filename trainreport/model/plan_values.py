"""Values of a plan: what each key may hold, and the sentence that says what was expected."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from trainreport.errors import did_you_mean
from trainreport.model import clock
from trainreport.model.money import Money
from trainreport.model.plan import Rate

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "boolean",
    "by_model",
    "code",
    "day",
    "duration_s",
    "instant",
    "money",
    "not_negative",
    "number",
    "one_of",
    "positive",
    "pue",
    "rate",
    "text",
    "whole",
    "zone",
]


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"expected text, found {value!r}")
    return value


def number(value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, found {value!r}")
    return float(value)


def positive(value: Any) -> float:
    """Return a number above zero."""
    found = number(value)
    if found <= 0:
        raise ValueError(f"expected more than 0, found {value!r}")
    return found


def not_negative(value: Any) -> float:
    """Return a number that is not negative."""
    found = number(value)
    if found < 0:
        raise ValueError(f"expected 0 or more, found {value!r}")
    return found


def pue(value: Any) -> float:
    """Return a power usage effectiveness."""
    found = number(value)
    if found < 1:
        raise ValueError(f"expected at least 1 (total power over computing power), found {value!r}")
    return found


def whole(value: Any) -> int:
    """Return a whole number above zero."""
    found = positive(value)
    if found != int(found):
        raise ValueError(f"expected a whole number, found {value!r}")
    return int(found)


def boolean(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, found {value!r}")
    return value


def one_of(*options: str) -> Callable[[Any], str]:
    """Return the reader of one of several words."""

    def convert(value: Any) -> str:
        if value not in options:
            raise ValueError(f"expected one of {', '.join(map(repr, options))}, found {value!r}{did_you_mean(str(value), options)}")
        return str(value)

    return convert


def money(value: Any) -> Money:
    """Return an amount of money."""
    return Money.parse(text(value))


def rate(value: Any) -> Rate:
    """Return a price with its source and date."""
    if isinstance(value, dict):
        unknown = sorted(set(value) - {"amount", "source", "date"})
        if unknown or "amount" not in value:
            raise ValueError(f"expected amount, source and date, found {', '.join(map(repr, value))}")
        return Rate(money(value["amount"]), text(value.get("source", "")) or None, day(value["date"]) if "date" in value else None)
    return Rate(money(value))


def by_model(value: Any) -> tuple[tuple[str, Rate], ...]:
    """Return prices by the names of GPUs."""
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of GPU names and rates, found {value!r}")
    return tuple((name, rate(one)) for name, one in value.items())


def instant(value: Any) -> datetime:
    """Return a moment in UTC."""
    if isinstance(value, datetime):
        return clock.to_utc(value)
    if isinstance(value, str):
        return clock.parse_instant(value)
    raise ValueError(f"expected a time such as 2026-12-01T09:00:00Z, found {value!r}")


def day(value: Any) -> date:
    """Return a day."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    raise ValueError(f"expected a date such as 2026-12-31, found {value!r}")


def zone(value: Any) -> str:
    """Return the name of a time zone."""
    clock.zone(text(value))
    return str(value)


def duration_s(value: Any) -> float:
    """Return a duration in seconds."""
    seconds = clock.parse_duration(text(value)).total_seconds()
    if seconds <= 0:
        raise ValueError(f"expected more than 0, found {value!r}")
    return seconds


def code(value: Any) -> str:
    """Return a code."""
    if not re.fullmatch(r"[A-Z]{2,4}\d{3}", text(value)):
        raise ValueError(f"expected a code such as 'TR207', found {value!r}")
    return str(value)
