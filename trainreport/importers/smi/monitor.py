"""The columns of ``nvidia-smi dmon`` and ``pmon``, which write two header lines every few rows: names, then units."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.smi.fields import Heading
from trainreport.importers.smi.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Names", "by_process", "headings_of", "names_in", "rows_of", "with_clock"]

_FIELDS = {
    "gpu": "index", "pwr": "power.draw", "gtemp": "temperature.gpu", "temp": "temperature.gpu", "mtemp": "temperature.memory",
    "sm": "utilization.gpu", "mem": "utilization.memory", "enc": "utilization.encoder", "dec": "utilization.decoder",
    "jpg": "utilization.jpeg", "ofa": "utilization.ofa", "mclk": "clocks.mem", "pclk": "clocks.sm", "fb": "memory.used",
    "bar1": "bar1.used", "rxpci": "pcie.rx", "txpci": "pcie.tx", "pviol": "violation.power", "tviol": "violation.thermal",
}  # fmt: skip
_PROCESS = ("sm", "mem", "enc", "dec", "jpg", "ofa", "fb", "ccpm")
_UNITS = {"MB": "MiB", "Idx": "", "bool": "", "#": "", "name": "", "C/G": "", "errs": ""}
"""dmon writes MB over memory that it counts in MiB; over PCIe it writes MB/s."""


class Names(NamedTuple):
    """The two header lines."""

    names: list[str]
    units: list[str]
    line: int

    @property
    def of_processes(self) -> bool:
        """Return whether pmon wrote them."""
        return "pid" in self.names


def names_in(lines: Sequence[str]) -> Names | None:
    """Return the first two header lines that belong together, or None."""
    for number, (line, below) in enumerate(pairwise(lines), 1):
        if "Idx" not in below:  # spares most lines of other files the rest
            continue
        names, units = (_words(one.lstrip()[1:]) if one.lstrip().startswith("#") else [] for one in (line, below))
        lower = [name.lower() for name in names]
        if "gpu" in lower and "Idx" in units and len(names) == len(units) and set(lower) & {"sm", "pwr", "fb", "mclk", "rxpci"}:
            return Names(lower, units, number)
    return None


def headings_of(found: Names) -> list[Heading]:
    """Return what each column holds."""
    headings = []
    for name, unit in zip(found.names, found.units, strict=True):
        field = _FIELDS.get(name, name)
        if found.of_processes and name in _PROCESS:
            field = f"process.{name}"
        if name in {"pid", "type", "command", "date", "time"}:
            field = ""
        tool = "pmon" if found.of_processes else "dmon"
        headings.append(Heading(name, _UNITS.get(unit, unit), field, f"column {name} of nvidia-smi {tool}"))
    return headings


def rows_of(content: bytes, found: Names) -> bytes:
    """Return the rows with their cells set apart by commas, repeated headers emptied, lines kept.

    The command of a process may hold blanks: it is the last column and keeps one word.
    """
    text = re.sub(rb"(?m)^[ \t]*#.*$", b"", content)
    if b"," not in text:
        text = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", text)
        text = re.sub(rb"[ \t]+", b",", text)
    if found.of_processes:
        cells = len(found.names)
        text = re.sub(rb"(?m)^((?:[^,\n]*,){%d}[^,\n]*),.*$" % (cells - 1), rb"\1", text)
    return text


def with_clock(found: Names, headings: list[Heading], table: Table) -> tuple[list[Heading], Table]:
    """Return the columns date and time (``-o DT``) as one of times; a time without its date names no moment and stays out."""
    if "date" not in found.names or "time" not in found.names:
        return headings, table
    date, time = (table.columns[found.names.index(name)] for name in ("date", "time"))
    many = len(time.texts)
    pairs = date.codes.astype("int64") * many + time.codes
    clock = Column.from_cells(f"{_date(date.texts[pair // many])} {time.texts[pair % many]}" for pair in pairs.tolist())
    columns = [*table.columns, clock]
    return [*headings, Heading("date, time", "", "timestamp")], Table(columns, table.lines, table.problems, table.skipped)


def by_process(found: Names, headings: list[Heading], table: Table) -> tuple[list[Heading], Table]:
    """Return the measures of pmon as columns of each process: a sum over processes would be a number that nobody logged."""
    import numpy as np

    pids = table.columns[found.names.index("pid")]
    order = np.argsort(pids.codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(pids.codes, minlength=len(pids.texts)))[:-1])
    kept = [(heading, column) for heading, column in zip(headings, table.columns, strict=True) if not heading.field.startswith("process.")]
    for heading, column in zip(headings, table.columns, strict=True):
        if not heading.field.startswith("process."):
            continue
        for pid, rows in zip(pids.texts, parts, strict=True):
            if pid.isdigit():
                kept.append((heading._replace(logged=f"pid {pid} {heading.logged}"), _some(column, rows)))
    return [heading for heading, _ in kept], Table([column for _, column in kept], table.lines, table.problems, table.skipped)


def _some(column: Column, rows: object) -> Column:
    import numpy as np

    places = np.asarray(rows, dtype=np.intp)
    used, codes = np.unique(column.codes[places], return_inverse=True)
    return Column.of([column.texts[code] for code in used.tolist()], codes.astype(np.int64), places)


def _date(text: str) -> str:
    return f"{text[:4]}/{text[4:6]}/{text[6:]}" if re.fullmatch(r"\d{8}", text) else text


def _words(line: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", line.strip()) if word]
