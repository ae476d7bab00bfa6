"""The words of reports: fixed labels, dates, and numbers that a line end does not part from their unit.

Numbers are worded in ``model.words``; here the blank before a unit becomes one that does not break. Fixed
labels stand in the file of the language spoken, see `language`.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from trainreport.model import clock, words
from trainreport.model.series import SHARES
from trainreport.model.words import capital
from trainreport.reports import language

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

__all__ = [
    "agreed",
    "capital",
    "city",
    "count",
    "counted",
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
    "phase_series",
    "plural",
    "points",
    "quantity",
    "series_name",
    "share",
    "short",
]

GAP = "\u00a0"


def label(key: str, **values: object) -> str:
    """Return the fixed wording of ``group.name``, with `values` filled in."""
    group, _, name = key.partition(".")
    text = language.wording(language.spoken())[group][name]
    return text.format(**values) if values else text


def labels(group: str) -> dict[str, str]:
    """Return all fixed wordings of a group, in the order of the file."""
    return dict(language.wording(language.spoken())[group])


def counted(key: str, n: int, **values: object) -> str:
    """Return the wording of ``key_one`` for one thing, of ``key_many`` for none or several, the number as ``{n}``."""
    return label(f"{key}_{'one' if n == 1 else 'many'}", n=count(n), **values)


P = ParamSpec("P")


def _tied(say: Callable[P, str]) -> Callable[P, str]:
    """Return `say` in the language spoken, with blanks that do not break and a minus sign for a hyphen."""

    @wraps(say)
    def said(*args: P.args, **kwargs: P.kwargs) -> str:
        text = language.numeral(_united(say(*args, **kwargs))).replace(" ", GAP)
        return f"−{text[1:]}" if text.startswith("-") else text

    return said


def _united(text: str) -> str:
    """Return a number with its unit, or the word that stands for one, in the language spoken."""
    if language.spoken() == language.ENGLISH:
        return text
    units = labels("units")
    if text in units:
        return units[text]
    amount, blank, unit = text.partition(" ")
    return f"{amount}{blank}{units.get(unit, unit)}"


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
points = _tied("{:.1f} points".format)


def pair(value: float, limit: float, *, shares: bool) -> tuple[str, str]:
    """Return a value and its limit with as many digits as tell them apart."""
    one, other = (language.numeral(text).replace(" ", GAP) for text in words.pair(value, limit, shares=shares))
    return one, other


def agreed(seconds: float) -> str:
    """Return a duration that was agreed on, without digits that nobody agreed on: ``12 h``."""
    amount, _, unit = duration(seconds).partition(GAP)
    return f"{amount.removesuffix(language.numeral('0.0')[1:])}{GAP}{unit}"


def moment(value: datetime, zone: str) -> str:
    """Return ``9 June 2026, 22:10 Berlin``."""
    local = clock.to_utc(value).astimezone(clock.zone(zone))
    return f"{date(value, zone)}, {local:%H:%M}{GAP}{city(zone)}"


def month(number: int) -> str:
    """Return the name of a month, 1 to 12."""
    return label(f"month.{number}")


def date(value: datetime, zone: str, *, year: bool = True) -> str:
    """Return ``9 June 2026``, or without the year."""
    local = clock.to_utc(value).astimezone(clock.zone(zone))
    day = label("date.day", day=local.day, month=month(local.month)).replace(" ", GAP)
    return f"{day} {local.year}" if year else day


def city(zone: str) -> str:
    """Return the last part of a zone's name: ``Berlin``."""
    return zone.rsplit("/", 1)[-1].replace("_", " ")


def is_share(series: str, largest: float) -> bool:
    """Return whether a series is a share by nature and by its values."""
    return series.split("/", maxsplit=1)[0] in SHARES and largest <= 1.5


def series_name(series: str) -> str:
    """Return a canonical name in words: ``accuracy/top5`` is ``accuracy top5``."""
    return labels("series").get(series) or words.series_words(series)


def phase_series(series: str, phase: str) -> str:
    """Return ``validation accuracy`` for a series and the phase that it was measured in."""
    of = labels("phase_series").get(phase)
    return of.format(series=series_name(series)) if of else f"{phase} {series_name(series)}".strip()


def finding_name(name: str) -> str:
    """Return a finding's name in words: ``gpu-faults`` is ``GPU faults``."""
    named = labels("finding").get(name)
    if named:
        return named
    text = " ".join(part.upper() if part in ("gpu", "cpu", "io") else part for part in name.split("-"))
    return text.replace("non finite", "non-finite")


def measure(series: str, phase: str) -> str:
    """Return what was measured on what: ``Accuracy on unseen data``."""
    name = capital(series_name(series))
    on = labels("phase").get(phase)
    return f"{name} {on}" if on else name


def fraction(value: float) -> str:
    """Return a share of a whole in words: ``a third``."""
    return label(f"fraction.{words.fraction(value)}")


def joined(items: Sequence[str], most: int = 5) -> str:
    """Return ``a, b and c``; what is beyond `most` is counted."""
    if len(items) > most:
        return label("list.more", items=", ".join(items[:most]), n=len(items) - most)
    return label("list.last", items=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else "".join(items)


def short(text: str, most: int = 60) -> str:
    """Return `text`, its middle left out where it is longer than `most`."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - head - 1) :]}"


def within(text: str) -> str:
    """Return a name as it stands within a sentence: its first letter small where the language writes nouns so."""
    first = text[:2]
    small = label("numbers.nouns") == "small" and not first.isupper()
    return f"{text[:1].lower()}{text[1:]}" if small else text
