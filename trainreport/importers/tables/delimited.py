"""Text with a row a line: CSV, TSV, and columns set apart by blanks."""

from __future__ import annotations

import csv
import io
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trainreport.errors import InputError
from trainreport.importers.recording import Event
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import content_of
from trainreport.importers.tables.table import Table, TableBuilder, is_missing, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles

__all__ = ["BLANKS", "Header", "header_of", "once", "read_delimited"]

BLANKS = " "
"""Stands for any number of blanks and tabs between cells."""
_DELIMITERS = ",;\t|"
_LINES_BEFORE = 20
_LONGEST_LINE = 2_000_000
_MARKER = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: .*)?")


class Header(NamedTuple):
    """The line that names the columns."""

    place: int
    """Lines above it."""
    delimiter: str
    names: tuple[str, ...]
    """Each once, without blanks around; a name that stands twice has its number behind it."""
    row: tuple[str, ...]
    """The first row below it, empty where there is none."""

    @property
    def lower(self) -> frozenset[str]:
        """The names in lower case."""
        return frozenset(name.lower() for name in self.names)

    @property
    def has_numbers(self) -> bool:
        """Whether the first row has the cells of the header, and a number among them."""
        return len(self.row) == len(self.names) and any(number_of(cell, comma=self.delimiter == ";") is not None for cell in self.row)


@lru_cache(maxsize=4)
def header_of(head: bytes) -> Header | None:
    """Return the names of the columns from the beginning of a file, None where it does not begin with such a line.

    Comments and Excel's ``sep=;`` may stand above it. A line of numbers is no header.
    """
    lines = decode(head).split("\n")
    filled = [(place, line) for place, line in enumerate(lines[: _LINES_BEFORE + 1]) if line.strip()]
    for nth, (place, line) in enumerate(filled):
        told = re.fullmatch(r"sep=(.)\s*", line, re.IGNORECASE)
        below = filled[nth + 1][1] if nth + 1 < len(filled) else ""
        if told or _is_rule(line) or _MARKER.fullmatch(line.strip()) or (line.startswith("#") and not _names_columns(line, below)):
            continue
        delimiter = next((one for one in sorted(_DELIMITERS, key=lambda sign: -line.count(sign)) if one in line), BLANKS)
        cells = [cell.strip() for cell in _cells(line.removeprefix("#"), delimiter)]
        if len(cells) < 2 or not all(cell or not position for position, cell in enumerate(cells)):
            return None
        if any(number_of(cell) is not None for cell in cells):
            return None
        below_it = [one for _, one in filled[nth + 1 :] if not one.startswith("#") and not _is_rule(one)]
        rows = [_cells(one, delimiter) for one in below_it if not _MARKER.fullmatch(one.strip())]
        return Header(place, delimiter, once(cells), tuple(rows[0]) if rows else ())
    return None


def read_delimited(source: Source, troubles: Troubles, *, multiline: bool = False) -> tuple[Table, tuple[Event, ...]]:
    """Read all rows below the header.

    Parameters
    ----------
    source : Source
    troubles : Troubles
        Takes lines with another number of cells, and marks of a merge that was not ended.
    multiline : bool
        Whether quoted cells may hold line ends, as in exports of runs; else a quote spoils no more than its own line.

    Raises
    ------
    InputError
        If the file has no header.
    """
    content = plain(content_of(source))
    header = header_of(content[:65_536])
    if header is None:
        raise InputError("no line that names columns; expected a header above rows of numbers")
    builder = TableBuilder(header.names, comma=header.delimiter == ";")
    events: list[Event] = []
    for line, cells in _rows(content, header, troubles, multiline=multiline):
        if cells == list(header.names):
            events.append(Event("restart", "the header stands again: the log was begun anew here", file=source.name, line=line))
        elif len(cells) != len(header.names):
            builder.skipped += 1
            troubles.add(f"line {line}", f"{len(cells)} cells; expected {len(header.names)}", kind="rows")
        elif not builder.add(((name, cell or None) for name, cell in zip(header.names, cells, strict=True)), line):
            troubles.add(f"line {line}", "the table is larger than is read; the rows from here on were left out")
            break
    return builder.table(), tuple(events)


def _rows(content: bytes, header: Header, troubles: Troubles, *, multiline: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the header with their lines."""
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8", "replace", newline="\n")
    for _ in range(header.place + 1):
        lines.readline()
    if multiline:
        yield from _quoted(lines, header, troubles)
        return
    for number, line in enumerate(lines, header.place + 2):
        text = line.rstrip("\n")
        if not text.strip() or text.startswith("#") or _is_rule(text):
            continue
        if _MARKER.fullmatch(text.strip()):
            troubles.add(f"line {number}", f"{text[:40]!r}: a conflict marker of git; rows of both versions are read", kind="marks")
        elif len(text) > _LONGEST_LINE:
            troubles.add(f"line {number}", f"{len(text):,} characters; expected a row", kind="rows")
        else:
            yield number, [cell.strip() for cell in _cells(text, header.delimiter)]


def _quoted(lines: io.TextIOWrapper, header: Header, troubles: Troubles) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=header.delimiter)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            troubles.add(f"line {header.place + 1 + reader.line_num}", str(error), kind="rows")
            continue
        if cells is None:
            return
        if any(not is_missing(cell) for cell in cells):
            yield header.place + 1 + reader.line_num, [cell.strip() for cell in cells]


def _is_rule(line: str) -> bool:
    """Return whether a line only draws a table, as Markdown and databases do: ``|-----|-----|``, ``+-----+-----+``."""
    return line.lstrip()[:1] in ("|", "+") and ("---" in line or "===" in line) and not line.strip("|+-:= \t\r")


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == BLANKS:
        return line.split()
    if delimiter == "|" and line.lstrip().startswith("|") and line.rstrip().endswith("|"):
        line = line.strip()[1:-1]
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def _names_columns(line: str, below: str) -> bool:
    """Return whether a line that begins with # is a header: the row below has as many cells, numbers among them."""
    for delimiter in (*_DELIMITERS, BLANKS):
        names, cells = _cells(line.removeprefix("#"), delimiter), _cells(below, delimiter)
        if len(names) == len(cells) > 1:
            return all(number_of(cell) is not None for cell in cells) and all(number_of(name) is None for name in names)
    return False


def once(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, those that stand again with their number."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)
