"""Logs of ``dcgmi dmon``: a row a GPU and sample, columns by DCGM's short names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.gauges.exposition import is_blank
from trainreport.importers.gauges.names import DCGM_SHORT
from trainreport.importers.smi.fields import FIELDS, Heading
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.table import Column, Table, decode, plain
from trainreport.importers.tables.found import content_of
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_HEAD = re.compile(r"^[ \t]*#[ \t]?Entity[ \t]+([A-Z][A-Z0-9]{2,12}(?:[ \t]+[A-Z][A-Z0-9#]{2,12})*)[ \t]*\r?$", re.MULTILINE)
_ROW = re.compile(r"[ \t]*(GPU|GPU-I|GPU-CI|Switch|SW|Link|LINK|CPU|Core|GPU/GI|GPU/GI/CI)[ \t]+(\d[\d/]{0,12})[ \t]+(\S[^\n]*)")
_FIELD_OF = {series: field for field, (series, _) in reversed(FIELDS.items())}
"""The query field of nvidia-smi for a series."""


class DcgmDmon:
    """Reads the rows of GPUs; DCGM writes no times, so rows have none, unless the interval is given."""

    name = "dcgm-dmon"
    title = "dcgmi dmon, the monitor of NVIDIA DCGM"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a line begins with #Entity and names fields of DCGM."""
        del path
        found = _HEAD.search(decode(head)) if b"Entity" in head else None
        return found is not None and any(name in DCGM_SHORT for name in found[1].split())

    def read(self, source: Source) -> Recording:
        """Read all rows below the first header; the header stands again every few rows."""
        text = decode(plain(content_of(source)))
        found = _HEAD.search(text)
        if found is None:
            raise InputError("no header such as '#Entity GPUTL FBUSD' of dcgmi dmon")
        names = found[1].split()
        first = text.count("\n", 0, found.start()) + 1
        rows, problems = _rows(text[found.end() :], first, len(names), source.name)
        return recording_of(self.name, _log(source.name, names, first, rows, problems), source)


_Row = tuple[int, list[str]]


def _rows(text: str, first: int, count: int, file: str) -> tuple[list[_Row], list[Problem]]:
    """Return the rows of GPUs with their lines, and what is none."""
    rows: list[_Row] = []
    torn, others = [], []
    for number, line in enumerate(text.split("\n"), first):
        match = _ROW.match(line)
        cells = match[3].split() if match else []
        if match is None:
            torn += [(number, line)] if re.search(r"\d", line) and not line.lstrip().startswith("#") else []
        elif match[1] != "GPU" or "/" in match[2]:
            others.append(number)
        elif len(cells) != count:
            torn.append((number, line))
        else:
            rows.append((number, [match[2], *("N/A" if _is_blank(cell) else cell for cell in cells)]))
    return rows, [*_told(torn, others, count, file)]


def _is_blank(cell: str) -> bool:
    return cell.isdecimal() and is_blank("DCGM", float(cell[:40]))


def _told(torn: Sequence[tuple[int, str]], others: Sequence[int], count: int, file: str) -> Iterator[Problem]:
    if torn:
        yield Problem(
            file, f"line {torn[0][0]}", f"found {torn[0][1].strip()[:60]!r}; expected a GPU and {count} values ({len(torn)} such lines)"
        )
    if others:
        yield Problem(file, f"line {others[0]}", f"{len(others)} rows are of parts of GPUs, links or CPUs; left out")


def _log(name: str, names: Sequence[str], line: int, rows: Sequence[_Row], problems: Sequence[Problem]) -> Log:
    import numpy as np

    headings = [Heading("GPU", "", "index"), *map(_heading, names)]
    columns = [Column.from_cells(cells[place] for _, cells in rows) for place in range(len(headings))]
    lines = np.array([number for number, _ in rows], dtype=np.int64)
    return Log(name, headings, line, Table(columns, lines, tuple(problems), len(problems)))


def _heading(short: str) -> Heading:
    series, unit = DCGM_SHORT.get(short, (f"gpu/{short.lower()}", "1"))
    field = _FIELD_OF.get(series) or series.removeprefix("gpu/").replace("_", ".")
    return Heading(short, "" if unit == "1" else unit, field, f"column {short} of dcgmi dmon")


IMPORTER: Importer = DcgmDmon()
