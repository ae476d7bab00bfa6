"""How much carbon a kWh of the grid brings, by region and time, from a CSV file.

Read are exports of Electricity Maps, of the British Carbon Intensity API and NESO, of the ENTSO-E Transparency Platform (what
each kind of plant generated, wide or long), and any table of a time and a factor. Columns are told by their names and cells.
"""

from __future__ import annotations

import csv
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business import grid_columns
from trainreport.business.grid_columns import local_time
from trainreport.errors import InputError, UsageError, did_you_mean
from trainreport.model import clock
from trainreport.model.digest import sha256_of_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from trainreport.business.grid_columns import Columns

    Array = npt.NDArray[np.float64]

__all__ = ["Factors", "Grid", "chosen", "read_factors", "read_grid"]

_MOST_ROWS = 3_000_000
"""A row of five minutes for thirty years; more is no such file."""
_MOST_PROBLEMS = 20
_HIGHEST = 3000.0
"""Grams a kWh; lignite alone has about 1,100."""
_LONGEST_S = 86400.0
"""A factor of more than a day tells nothing of the hour."""


class Factors(NamedTuple):
    """Factors of one region in the order of time; arrays share one length."""

    start_s: Array
    """Seconds since 1970 UTC."""
    end_s: Array
    g_per_kwh: Array
    unknown: float
    """Share of the generation that had no factor and is left out; 0 where the file gives factors."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A file of factors."""

    file: str
    sha256: str
    what: str
    """What was read, in words: the column and its unit."""
    clock: str
    """How its times were understood."""
    regions: Mapping[str, Factors]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Rows:
    """What was read of one region."""

    local_s: list[float] = field(default_factory=list)
    offset_s: list[float] = field(default_factory=list)
    """NaN where the cell does not say."""
    weight: list[float] = field(default_factory=list)
    g_per_kwh: list[float] = field(default_factory=list)
    left_out: float = 0.0


def read_grid(path: Path, zone: str | None = None) -> Grid:
    """Return the factors of a CSV file.

    Parameters
    ----------
    path : Path
    zone : str, optional
        IANA zone of times that are written without one; UTC by default. A zone that the file names goes before it.

    Raises
    ------
    InputError
        If it cannot be read, or holds no time and no factor.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="", errors="replace") as stream:
            columns, regions, problems = read_factors(stream, zone)
        if not regions:
            raise ValueError("no row with a time and a factor" + (f"; the first problem: {problems[0]}" if problems else ""))
        return Grid(path.name, sha256_of_file(path), columns.what, columns.clock, regions, tuple(problems))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: no factors of a grid that can be read: {error}") from error


def read_factors(lines: Iterable[str], zone: str | None = None) -> tuple[Columns, dict[str, Factors], list[str]]:
    """Return how the columns were understood, the factors of each region, and what could not be read.

    Raises
    ------
    ValueError
        If no columns of a time and a factor are found.
    """
    kept = (line for line in lines if line.strip() and not line.startswith("#"))
    head = list(itertools.islice(kept, 40))
    if not head:
        raise ValueError("the file is empty")
    mark = max(",;\t", key=head[0].count)
    table = csv.reader(itertools.chain(head, kept), delimiter=mark)
    names = [name.strip() for name in next(table)]
    sample = list(csv.reader(head[1:], delimiter=mark))
    columns = grid_columns.understood(names, sample, zone)
    rows: dict[str, _Rows] = {}
    problems: list[str] = []
    for row in itertools.islice(table, _MOST_ROWS):
        try:
            _take(row, columns, rows, comma=mark == ";")
        except (ValueError, IndexError) as error:
            if len(problems) < _MOST_PROBLEMS:
                problems.append(f"line {table.line_num}: {error if isinstance(error, ValueError) else 'cells are missing'}")
    return columns, {name: found for name, one in rows.items() if (found := _factors(one, columns.zone)) is not None}, problems


def chosen(grid: Grid, region: str | None) -> tuple[str, Factors]:
    """Return the region that the plan names, or the only one.

    Raises
    ------
    UsageError
        If the file has several and the plan names none of them.
    """
    names = list(grid.regions)
    if region is None and len(names) == 1:
        return names[0], grid.regions[names[0]]
    found = {name.casefold(): name for name in names}.get((region or "").casefold())
    if found is None and len(names) == 1 and not names[0]:
        return region or "", grid.regions[names[0]]
    if found is None:
        listed = ", ".join(sorted(names)[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        problem = "the plan names none" if region is None else f"the plan's is {region!r}{did_you_mean(region, names)}"
        raise UsageError(f"{grid.file}: it has the regions {listed}, and {problem}; set grid_region in [rates]")
    return found, grid.regions[found]


def _take(row: Sequence[str], columns: Columns, rows: dict[str, _Rows], *, comma: bool) -> None:
    """Add a row to its region; a cell that says that nothing is known is passed over."""
    moment = local_time(row[columns.time], day_first=columns.day_first)
    if moment is None:
        raise ValueError(f"{row[columns.time].strip()[:40]!r} is no time")
    region = row[columns.region].strip() if columns.region is not None else ""
    found = [(factor, value) for place, factor in columns.of_row(row) if (value := _number(row[place], comma=comma)) is not None]
    one = rows.setdefault(region, _Rows())
    for factor, value in found:
        if columns.mix and factor is None:
            one.left_out += max(value, 0.0)
            continue
        grams = value * (factor or 1.0) if not columns.mix else float(factor or 0.0)
        if not 0 <= grams <= _HIGHEST:
            raise ValueError(f"{grams:g} g a kWh is no factor of a grid")
        one.local_s.append(moment.local_s)
        one.offset_s.append(moment.offset_s)
        one.weight.append(max(value, 0.0) if columns.mix else 1.0)
        one.g_per_kwh.append(grams)


def _number(text: str, *, comma: bool) -> float | None:
    """Return the number in a cell, None where it is empty or says that there is none (``n/e``, ``N/A``, ``-``)."""
    text = text.strip()
    if text.lower() in ("", "-", "n/e", "n/a", "nan", "null", "none"):
        return None
    value = float(text.replace(",", ".") if comma else text)
    return value if math.isfinite(value) else None


def _factors(rows: _Rows, zone: str) -> Factors | None:
    """Return the rows of a region in order: one factor a moment, each as long as the next one or the usual step says."""
    import numpy as np

    if not rows.local_s:
        return None
    local, offset = np.array(rows.local_s), np.array(rows.offset_s)
    utc = clock.local_to_utc((local * 1e9).astype(np.int64), zone) / 1e9
    times = np.where(np.isfinite(offset), local - np.nan_to_num(offset), utc)
    start, place = np.unique(times, return_inverse=True)
    weight = np.bincount(place, rows.weight)
    total = np.bincount(place, np.array(rows.weight) * np.array(rows.g_per_kwh))
    kept = weight > 0
    start, factor = start[kept], (total[kept] / weight[kept])
    if not len(start):
        return None
    usual = float(np.median(np.diff(start))) if len(start) > 1 else 3600.0
    if usual > _LONGEST_S:
        return None
    end = np.minimum(np.append(start[1:], np.inf), start + usual)
    return Factors(start, end, factor, rows.left_out / max(rows.left_out + float(weight.sum()), 1e-9) if rows.left_out else 0.0)
