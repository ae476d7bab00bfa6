"""Says what columns without a header hold, where their cells leave one reading; else says why not.

Nothing is guessed: a column that could be two things keeps its number and no meaning, and where that leaves
neither utilization, memory nor power, or nothing shows that it is of a GPU, the file is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.smi.fields import Heading
from trainreport.importers.smi.numbers import GIVEN, MISSING, number_of, numbers_of
from trainreport.importers.smi.table import Column, cells_of
from trainreport.importers.smi.times import is_time

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["headings_of_rows", "infer"]

_NAME = re.compile(r"(?:NVIDIA|GeForce|Tesla|Quadro|Graphics Device)\b.*|.*\b(?:RTX|GTX|TITAN|Xavier|Orin)\b.*", re.IGNORECASE)
_UUID = re.compile(r"(?:GPU|MIG)-[0-9a-f-]{8,}", re.IGNORECASE)
_BUS = re.compile(r"(?:[0-9A-F]{4,8}:)?[0-9A-F]{2}:[0-9A-F]{2}\.\d", re.IGNORECASE)
_OWN_CLOCK = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}")
_WATTS = re.compile(r"\d{1,4}\.\d\d(?: W)?")
_WHOLE = re.compile(r"\d{1,7}")
_SAMPLE = 2000
"""Distinct texts of a column that are looked at for its shape; its range is taken from all."""
_MOST_NUMBERS = 0.5
"""Share of a column's distinct texts that must be numbers before it is one of numbers; the rest is damage."""
_ESSENTIAL = frozenset({"utilization.gpu", "memory.used", "power.draw"})


class _Look(NamedTuple):
    """What the cells of a column look like."""

    kind: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[float, ...] = ()
    """Row by row, of whole numbers only."""


def headings_of_rows(path: Path, lines: Sequence[str]) -> list[Heading] | None:
    """Return the columns of a file that begins with these lines, or None where it is no query without a header."""
    filled = [line for line in lines if line.strip()]
    if len({line.count(",") for line in filled}) != 1:
        return None
    rows = [cells_of(line) for line in filled]
    found = infer(path, [Column.from_cells(row[place] for row in rows) for place in range(len(rows[0]))])
    return None if isinstance(found, str) else found


def infer(path: Path, columns: Sequence[Column]) -> list[Heading] | str:
    """Return what each column holds, or why that cannot be told."""
    if len(columns) == 1:
        return _single(path, columns[0])
    looks = [_look(column) for column in columns]
    kinds = [look.kind for look in looks]
    evidence = {"name", "uuid", "bus", "own clock", "share", "MiB", "watts with unit"} & set(kinds)
    if not evidence:
        return "nothing in its rows shows that they are of a GPU"
    found: dict[int, tuple[str, str]] = {}
    for kind, field, why in _PLAIN:
        for place in [place for place, one in enumerate(kinds) if one == kind][:1]:
            found[place] = (field, why)
    _find_index(looks, found)
    _find_memory(looks, found)
    _find_shares(looks, found)
    _find_power(looks, found)
    if not {field for field, _ in found.values()} & _ESSENTIAL:
        return "its rows could be read in more than one way"
    return [_heading(place, found.get(place)) for place in range(len(columns))]


_PLAIN = (
    ("own clock", "timestamp", "is written as nvidia-smi writes times"),
    ("time", "timestamp", "holds dates with times"),
    ("epoch", "timestamp", "counts seconds since 1970"),
    ("name", "name", "names a GPU"),
    ("uuid", "uuid", "holds identities of GPUs"),
    ("bus", "pci.bus_id", "holds addresses of cards"),
    ("pstate", "pstate", "holds P-states"),
)


def _heading(place: int, found: tuple[str, str] | None) -> Heading:
    name = f"column {place + 1}"
    if found is None:
        return Heading(name, "", name, "could be more than one thing; its numbers are kept without a meaning")
    return Heading(name, "", found[0], f"is {found[0]}: it {found[1]}")


def _single(path: Path, column: Column) -> list[Heading] | str:
    of_power, of_gpus = (re.search(words, path.name, re.IGNORECASE) is not None for words in (r"power|watt", r"gpu|nvidia|smi"))
    kind = _look(column).kind if of_power or of_gpus else ""
    if of_power and kind in {"watts", "watts with unit"}:
        return [Heading("column 1", "", "power.draw", f"is power.draw: it has two decimals, and {path.name} is named for power")]
    if of_gpus and kind == "share":
        return [Heading("column 1", "", "utilization.gpu", f"is utilization.gpu: it is in %, and {path.name} is named for GPUs")]
    return "a single column of numbers could be anything"


def _look(column: Column) -> _Look:
    texts = [text for text in column.texts[:_SAMPLE] if text and number_of(text)[1] != MISSING]
    if not texts:
        return _Look("nothing")
    for kind, pattern in (("uuid", _UUID), ("bus", _BUS), ("own clock", _OWN_CLOCK), ("pstate", re.compile(r"P\d{1,2}"))):
        if all(pattern.fullmatch(text) for text in texts):
            return _Look(kind)
    if all(is_time(text) for text in texts):
        return _Look("time")
    numbers = numbers_of(column.texts, "")
    given = numbers.values[numbers.states == GIVEN]
    if len(given) < _MOST_NUMBERS * len(numbers.values) or any(number_of(text)[1] != GIVEN for text in texts[:20]):
        return _Look("name" if all(_NAME.fullmatch(text) for text in texts) else "text")
    low, high = float(given.min()), float(given.max())
    if numbers.unit in {"%", "MiB", "MHz"}:
        kind = {"%": "share", "MiB": "MiB", "MHz": "MHz"}[numbers.unit]
    elif numbers.unit == "W":
        kind = "watts with unit"
    elif all(_WHOLE.fullmatch(text) for text in texts):
        kind = "whole"
    elif low > 1e9 and all(re.fullmatch(r"\d{10}(?:\.\d+)?", text) for text in texts):
        kind = "epoch"
    else:
        kind = "watts" if all(_WATTS.fullmatch(text) for text in texts) else "number"
    return _Look(kind, low, high, tuple(numbers.values[column.codes[:_SAMPLE]].tolist()))


def _find_index(looks: Sequence[_Look], found: dict[int, tuple[str, str]]) -> None:
    """Take for the index what counts 0, 1, 2, … in turn."""
    for place, look in enumerate(looks):
        if look.kind == "whole" and look.low == 0 and 1 <= look.high < 64 and place not in found:
            size = int(look.high) + 1
            if len(look.values) >= size and all(value == row % size for row, value in enumerate(look.values)):
                found[place] = ("index", f"counts from 0 to {size - 1} in turn")
                return


def _find_memory(looks: Sequence[_Look], found: dict[int, tuple[str, str]]) -> None:
    """Tell used, free and total apart: the total stays and is the largest, the three add up, and an idle GPU uses little."""
    places = [place for place, look in enumerate(looks) if place not in found and (look.kind == "MiB" or _is_memory(look, looks))]
    places += [place for place in _beside(places, looks) if place not in found]
    total = max(places, key=lambda place: (looks[place].low, looks[place].high), default=None)
    if total is None or not 1 < len(places) <= 3 or looks[total].low < max(looks[place].high for place in places):
        return
    others = sorted(place for place in places if place != total)
    if len(others) == 2:
        one, two = (looks[place].values for place in others)
        whole = looks[total].low
        if not all(0.9 * whole <= first + second <= whole for first, second in zip(one, two, strict=True)):
            return
        shares = [look for place, look in enumerate(looks) if place not in {*places, *found} and look.high <= 100]
        idle = bool(shares) and all(look.high < 5 for look in shares)
        used, free = sorted(others, key=lambda place: looks[place].high)
        if not idle:
            return  # which of the two is used and which is free nothing says
        found[free] = ("memory.free", "makes up the total with another one")
        found[used] = ("memory.used", "is small on an idle GPU, and makes up the total with another one")
    else:
        found[others[0]] = ("memory.used", "stays below a column of memory that does not change")
    found[total] = ("memory.total", "does not change and is the largest")


def _is_memory(look: _Look, looks: Sequence[_Look]) -> bool:
    return look.kind == "whole" and look.high > 1000 and not any(other.kind == "MiB" for other in looks)


def _beside(places: Sequence[int], looks: Sequence[_Look]) -> list[int]:
    """Return a column next to two of memory with which one of the two makes up the other."""
    if len(places) != 2 or any(looks[place].kind == "MiB" for place in places):
        return []
    total, free = sorted(places, key=lambda place: -looks[place].low)
    for place in (min(places) - 1, max(places) + 1):
        if 0 <= place < len(looks) and looks[place].kind == "whole" and 0 < looks[place].high < 1000:
            sums = [one + two for one, two in zip(looks[place].values, looks[free].values, strict=True)]
            if all(0.9 * looks[total].low <= one <= looks[total].low for one in sums) and looks[free].low > 0.9 * looks[total].low:
                return [place]
    return []


def _find_shares(looks: Sequence[_Look], found: dict[int, tuple[str, str]]) -> None:
    """Tell utilization from temperature: a running GPU is never near 0 °C, a utilization may be; % is only written on shares."""
    shares = [place for place, look in enumerate(looks) if place not in found and look.kind == "share"]
    whole = [place for place, look in enumerate(looks) if place not in found and look.kind == "whole" and look.high <= 110]
    warm = [place for place in whole if looks[place].low >= 10]
    cold = [place for place in whole if looks[place].low < 10 and looks[place].high <= 100]
    bare = not shares
    shares = shares or cold
    if not shares or len(shares) > 2:
        return
    if len(warm) == 1:
        found[warm[0]] = ("temperature.gpu", "holds whole numbers from 10 to 110")
    elif bare and warm:
        return
    why = "holds whole numbers from near 0 up to at most 100" if bare else "is in %"
    found[shares[0]] = ("utilization.gpu", why)
    if len(shares) == 2:
        found[shares[1]] = ("utilization.memory", f"{why}, and comes after utilization.gpu, as nvidia-smi lists them")


def _find_power(looks: Sequence[_Look], found: dict[int, tuple[str, str]]) -> None:
    """Take two decimals for power, of which a second column that does not change is the limit."""
    places = [place for place, look in enumerate(looks) if place not in found and look.kind in {"watts", "watts with unit"}]
    steady = [place for place in places if looks[place].low == looks[place].high]
    if len(places) == 1:
        found[places[0]] = ("power.draw", "has two decimals, as nvidia-smi writes power")
    elif len(places) == 2 and len(steady) == 1:
        draw = next(place for place in places if place not in steady)
        found[draw] = ("power.draw", "has two decimals, as nvidia-smi writes power")
        found[steady[0]] = ("power.limit", "has two decimals and does not change")
