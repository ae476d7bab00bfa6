"""Which columns of a grid's CSV file hold the time, the region and the factor, by their names and cells."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Columns", "LocalTime", "local_time", "understood"]

_TABLE = files("trainreport.business") / "grid.toml"
_TIME = re.compile(r"\b(mtu|datetime|date|time|timestamp|from|start|period|hour)\b")
_REGIONS = ("zone id", "region", "bidding zone", "area", "zone name", "zone", "country")
_FACTOR = re.compile(r"\b(intensity|emission factor|grid factor|factor|co2|moer|ci)\b|^actual$")
_UNIT = re.compile(r"\b(kg|g|lb|t)(?:s|ons?|onnes?)? ?(?:co2 ?(?:eq?)?)? ?(?:/|per)? ?(kwh|mwh)\b")
_GRAMS = {
    ("g", "kwh"): 1.0,
    ("kg", "kwh"): 1000.0,
    ("kg", "mwh"): 1.0,
    ("lb", "mwh"): 0.45359237,
    ("t", "mwh"): 1000.0,
    ("g", "mwh"): 0.001,
}
"""Grams a kWh in one of a unit."""
_GENERATION = re.compile(r"(.+?)\s+-\s+Actual Aggregated\s*\[MW\]", re.IGNORECASE)
_MARKS = {"CET": 3600.0, "CEST": 7200.0, "UTC": 0.0, "GMT": 0.0}
_MARK = re.compile(r"\s*\(?\b(CEST|CET|UTC|GMT)\b\)?\s*$")
"""Behind a time, or behind an interval."""
_DAY_FIRST = re.compile(r"(\d{2})[./](\d{2})[./](\d{4})[ T]+(\d{2}):(\d{2})(?::(\d{2}))?")
_CENTRAL = "Europe/Brussels"


class LocalTime(NamedTuple):
    """A moment as written."""

    local_s: float
    """Seconds since 1970 as if its clock were UTC."""
    offset_s: float
    """How far its clock is ahead of UTC; NaN where it does not say."""


class Columns(NamedTuple):
    """How a file is read."""

    time: int
    day_first: bool
    zone: str
    """IANA zone of times without one."""
    region: int | None
    values: tuple[tuple[int, float | None], ...]
    """(column, grams a kWh in one of it); of a mix the factor of its kind of plant, None where there is none."""
    kind: int | None
    """Column with the kind of plant, where each row is of one."""
    mix: bool
    """Whether the values are generation, by which factors are weighted."""
    what: str
    clock: str

    def of_row(self, row: Sequence[str]) -> Iterator[tuple[int, float | None]]:
        """Yield (column, factor) of a row."""
        for place, factor in self.values:
            yield place, factor if self.kind is None else factor_of(row[self.kind])


def understood(names: Sequence[str], sample: Sequence[Sequence[str]], zone: str | None) -> Columns:
    """Return what each column is.

    Raises
    ------
    ValueError
        If there is no time, or no factor.
    """
    plain = [_plain(name) for name in names]
    time = _time_column(plain, sample)
    if time is None:
        raise ValueError(f"no column of times among {', '.join(names[:12])}; expected one such as time, Datetime (UTC) or MTU")
    named = "UTC" if re.search(r"\b(utc|gmt)\b", plain[time]) else _CENTRAL if "cet" in plain[time] else None
    region = next((plain.index(name) for name in _REGIONS if name in plain), None)
    how = (
        "as the file says" if named else "as --source-zone says where none is written" if zone else "taken as UTC where no zone is written"
    )
    values, kind, mix, what = _values(names, plain, sample, time)
    day_first = plain[time].startswith(("mtu", "time cet", "time utc"))
    return Columns(time, day_first, named or zone or "UTC", region, values, kind, mix, what, f"times in {named or zone or 'UTC'}, {how}")


def local_time(text: str, *, day_first: bool = False) -> LocalTime | None:
    """Return the moment of a cell, the first of an interval; None where it is none."""
    first = re.split(r"\s+-\s+", text.strip())[0]
    mark = _MARK.search(first)
    said = mark or _MARK.search(text)
    offset = _MARKS[said.group(1)] if said else float("nan")
    text = first[: mark.start()] if mark else first
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        return LocalTime(float(text), 0.0)
    european = _DAY_FIRST.fullmatch(text) if day_first or "." in text[:3] else None
    try:
        if european is not None:
            day, month, year, hour, minute = (int(part) for part in european.groups()[:5])
            moment = datetime(year, month, day, hour, minute, int(european.group(6) or 0))  # noqa: DTZ001
        else:
            moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    known = moment.utcoffset()
    return LocalTime(moment.replace(tzinfo=UTC).timestamp(), offset if known is None else known.total_seconds())


@cache
def _factors() -> tuple[str, dict[str, float]]:
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    return table["source"], {name: float(value) for name, value in table["g_per_kwh"].items()}


@cache
def factor_of(kind: str) -> float | None:
    """Return grams a kWh of a kind of plant, None where there is no factor for it."""
    name = kind.lower()
    return next((value for word, value in _factors()[1].items() if word in name), None)


def _plain(name: str) -> str:
    """Return a column's name in small letters without signs: ``Datetime (UTC)`` is ``datetime utc``; units keep their slash."""
    text = name.lower().replace("₂", "2")
    return " ".join(re.sub(r"[^a-z0-9/%]+", " ", text).split())


def _grams(name: str) -> float | None:
    """Return grams a kWh in one of the unit that a column's name has, None where it has none."""
    unit = _UNIT.search(name)
    return None if unit is None else _GRAMS.get((unit.group(1), unit.group(2)))


def _time_column(plain: Sequence[str], sample: Sequence[Sequence[str]]) -> int | None:
    """Return the first column that is named as a time and holds some, else the first that holds dates."""

    def holds(at: int, *, dates: bool) -> bool:
        cells = [row[at] for row in sample if len(row) > at and row[at].strip()]
        good = [cell for cell in cells if local_time(cell, day_first=True) is not None and not (dates and cell.strip().isdigit())]
        return bool(cells) and 2 * len(good) > len(cells)

    named = (at for at, name in enumerate(plain) if _TIME.search(name) and holds(at, dates=False))
    return next(named, next((at for at in range(len(plain)) if holds(at, dates=True)), None))


def _values(
    names: Sequence[str], plain: Sequence[str], sample: Sequence[Sequence[str]], time: int
) -> tuple[tuple[tuple[int, float | None], ...], int | None, bool, str]:
    """Return the columns with values, that of the kind of plant, whether they are a mix, and what they are in words."""
    found = sorted((_rank(name), at) for at, name in enumerate(plain) if at != time and _is_factor(name) and _numeric(sample, at))
    if found:
        at = found[0][1]
        unit = _grams(plain[at])
        said = f"column {names[at]!r}" + ("" if unit else ", taken as g a kWh: its name has no unit")
        return ((at, unit or 1.0),), None, False, said
    by_kind = f"generation by kind of plant times {_factors()[0]}"
    wide = [(at, factor_of(match.group(1))) for at, name in enumerate(names) if (match := _GENERATION.fullmatch(name))]
    if wide:
        return tuple(wide), None, True, by_kind
    if "production type" in plain and "generation mw" in plain:
        return ((plain.index("generation mw"), 1.0),), plain.index("production type"), True, by_kind
    raise ValueError(
        f"no column with a factor among {', '.join(names[:12])}; expected one such as g_per_kwh or Carbon intensity gCO₂eq/kWh, "
        "or ENTSO-E's generation by kind of plant"
    )


def _is_factor(name: str) -> bool:
    shares = "%" in name or "percent" in name
    return not shares and (_grams(name) is not None or _FACTOR.search(name) is not None)


def _rank(name: str) -> tuple[int, int, int]:
    """Return how a column comes among several with factors: over the life of plants first, then measured before foretold."""
    life = 0 if re.search(r"life cycle|lca|lifecycle", name) else 2 if "direct" in name else 1
    return life, 1 if "forecast" in name else 0, 1 if _grams(name) is None else 0


def _numeric(sample: Sequence[Sequence[str]], at: int) -> bool:
    cells = [row[at].strip().replace(",", ".") for row in sample if len(row) > at and row[at].strip()]
    return any(re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", cell) for cell in cells)
