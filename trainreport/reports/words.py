"""The words of reports: fixed labels, dates, and numbers that a line end does not part from their unit.

Numbers are worded in ``model.words``; here the blank before a unit becomes one that does not break. Fixed
labels stand in ``templates/words.en.toml``.
"""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec

from trainreport._resources import folder
from trainreport.model import clock, words
from trainreport.model.series import SHARES
from trainreport.model.words import capital, fraction, joined

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

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
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
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


P = ParamSpec("P")


def _tied(say: Callable[P, str]) -> Callable[P, str]:
    """Return `say` with blanks that do not break, and a minus sign for a hyphen."""

    @wraps(say)
    def said(*args: P.args, **kwargs: P.kwargs) -> str:
        text = say(*args, **kwargs).replace(" ", GAP)
        return f"−{text[1:]}" if text.startswith("-") else text

    return said


number = _tied(words.number)
count = _tied(words.count)
plural = _tied(words.plural)
share = _tied(words.share)
money = _tied(words.money)
duration = _tied(words.duration)
hours = _tied(words.hours)
energy = _tied(words.energy)
mass = _tied(words.mass)
memory = _tied(words.memory)
quantity = _tied(words.quantity)


def pair(value: float, limit: float, *, shares: bool) -> tuple[str, str]:
    """Return a value and its limit with as many digits as tell them apart."""
    one, other = words.pair(value, limit, shares=shares)
    return one.replace(" ", GAP), other.replace(" ", GAP)


def agreed(seconds: float) -> str:
    """Return a duration that was agreed on, without digits that nobody agreed on: ``12 h``."""
    amount, _, unit = duration(seconds).partition(GAP)
    return f"{amount.removesuffix('.0')}{GAP}{unit}"


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
    return words.series_words(series)


def finding_name(name: str) -> str:
    """Return a finding's name in words: ``gpu-faults`` is ``GPU faults``."""
    text = " ".join(part.upper() if part in ("gpu", "cpu", "io") else part for part in name.split("-"))
    return text.replace("non finite", "non-finite")


def measure(series: str, phase: str) -> str:
    """Return what was measured on what: ``Accuracy on unseen data``."""
    name = capital(series_name(series))
    on = labels("phase").get(phase)
    return f"{name} {on}" if on else name


def short(text: str, most: int = 60) -> str:
    """Return `text`, its middle left out where it is longer than `most`."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"
