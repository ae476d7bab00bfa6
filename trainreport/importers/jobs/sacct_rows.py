"""The lines of ``sacct -P``: jobs, and steps that belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.smi.table import decode, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainreport.importers.tables.found import Troubles

__all__ = ["Row", "by_job", "header_of", "id_of", "rows_of"]

_MOST_ROWS = 200_000

Row = tuple[int, dict[str, str]]
"""The number of a line and its cells by the field."""


def header_of(head: bytes) -> list[str]:
    """Return the fields of the first line in lower case; a width such as ``JobName%30`` is set aside."""
    line = decode(head[:65_536]).lstrip("\ufeff \r\n").split("\n", 1)[0].strip()
    return [name.split("%")[0].strip().lower() for name in line.split("|")] if "|" in line else []


def rows_of(content: bytes, names: Sequence[str], troubles: Troubles) -> Iterator[Row]:
    """Yield the lines below the header, of jobs and of steps; a header that stands again is passed over."""
    count, taken, begun = len(names), 0, False
    for number, line in enumerate(lines_of(content), 1):
        if not line.strip():
            continue
        cells = line.rstrip("\r").split("|")
        if not begun or [cell.split("%")[0].strip().lower() for cell in cells] == names:
            begun = True
            continue
        if len(cells) != count:
            troubles.add(f"line {number}", f"{len(cells)} cells; expected {count}", kind="rows")
            continue
        taken += 1
        if taken > _MOST_ROWS:
            troubles.add(f"line {number}", f"more than {_MOST_ROWS:,} jobs and steps; the rest was left out: ask sacct for a shorter time")
            return
        yield number, dict(zip(names, (cell.strip() for cell in cells), strict=True))


def by_job(rows: Sequence[Row]) -> list[list[Row]]:
    """Return each job's line with those of its steps, wherever they stand: a step is no job of its own."""
    found: list[list[Row]] = []
    latest: dict[str, list[Row]] = {}
    early: dict[str, list[Row]] = {}
    for row in rows:
        whole, _, step = id_of(row[1]).partition(".")
        if not step:
            latest[whole] = [row, *early.pop(whole, [])]
            found.append(latest[whole])
        elif whole in latest:
            latest[whole].append(row)
        else:
            early.setdefault(whole, []).append(row)
    return [*found, *early.values()]


def id_of(row: dict[str, str]) -> str:
    """Return the id of a job or of a step, as ``4711`` or ``4711.batch``."""
    return row.get("jobid") or row.get("jobidraw") or ""
