"""Logs of a loop of plain ``nvidia-smi``: the table for people, again and again, of drivers 396 to 580."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trainreport.errors import InputError
from trainreport.importers.smi.fields import Heading
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.table import Column, Table, decode
from trainreport.importers.smi.times import is_time
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

__all__ = ["IMPORTER", "NvidiaTable"]

_CELL = r"(?:\[[^\]\n|]{1,30}\]|N/A|Unknown Error|Not Supported|[^\s|/]{1,30})"
# A GPU takes two lines. "|  14  NVIDIA RTX 4000 Ada Gene...    On  |   00000000:CC:00.0 Off |                  Off |"
_FIRST = (
    r"^\|[ ]{1,6}(?P<index>\d{1,4})[ ]{1,6}(?P<name>\S[^|\n]{0,60}?)[ ]{1,40}(?:On|Off|WDDM|TCC|MCDM|N/A|ERR!|\[N/A\])[ ]*"
    r"\|[ ]*(?P<bus>(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d|N/A)[ ]+[^|\n]*\|[^|\n]*\|?[ ]*$"
)
# "|ERR!   68C    P2             99W /  130W |       1MiB /  20475MiB |     93%      Default |"
_SECOND = (
    rf"^\|[ ]*(?P<fan>{_CELL})[ ]+(?P<temp>{_CELL})[ ]+(?P<perf>{_CELL})[ ]+(?P<power>{_CELL})[ ]*/[ ]*(?P<cap>{_CELL})[ ]*"
    rf"\|[ ]*(?P<used>{_CELL})[ ]*/[ ]*(?P<total>{_CELL})[ ]*\|[ ]*(?P<util>{_CELL})[ ]+[^|\n]*\|?[ ]*$"
)
_GPU = re.compile(f"{_FIRST}\n{_SECOND}", re.MULTILINE)
_START = re.compile(_FIRST, re.MULTILINE)
_LONGEST_LINE = 1000  # characters that are looked at of what stands where a GPU's second line should
_CLOCK = re.compile(r"^(?=[^|+\n]{8,40}$)[^|+\n]*\d\d?:\d\d[^|+\n]*$", re.MULTILINE)

_HEADINGS = (
    ("GPU", "index"), ("Name", "name"), ("Bus-Id", "pci.bus_id"), ("Fan", "fan.speed"), ("Temp", "temperature.gpu"), ("Perf", "pstate"),
    ("Pwr:Usage", "power.draw"), ("Pwr:Cap", "power.limit"), ("Memory-Usage", "memory.used"), ("Memory-Total", "memory.total"),
    ("GPU-Util", "utilization.gpu"),
)  # fmt: skip
_GROUPS = ("index", "name", "bus", "fan", "temp", "perf", "power", "cap", "used", "total", "util")


class _Row(NamedTuple):
    """One GPU in one table."""

    line: int
    cells: tuple[str, ...]
    clock: str


class NvidiaTable:
    """Reads the GPUs of each table; tables of MIG devices and of processes are left out."""

    name = "nvidia-table"
    title = "the table that a loop of plain nvidia-smi prints, drivers 396 to 580"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first lines hold the frame of nvidia-smi's table or a GPU in it."""
        del path
        if b"|" not in head:
            return False
        text = decode(head)
        return re.search(r"^\| NVIDIA-SMI \d", text, re.MULTILINE) is not None or _GPU.search(text) is not None

    def read(self, source: Source) -> Recording:
        """Read all tables; each takes its time from the line above it."""
        text = decode(source.path.read_bytes())
        rows = list(_rows(text))
        if not rows:
            raise InputError(f"{source.name}: nvidia-smi's table, but no GPU in it")
        return recording_of(self.name, _log(source.name, text, rows), source)


def _log(name: str, text: str, rows: list[_Row]) -> Log:
    import numpy as np

    headings = [Heading(logged, "", field, f"{logged} of nvidia-smi's table") for logged, field in _HEADINGS]
    columns = [Column.from_cells(row.cells[place] for row in rows) for place in range(len(headings))]
    if any(row.clock for row in rows):
        headings.append(Heading("time above the table", "", "timestamp"))
        columns.append(Column.from_cells(row.clock for row in rows))
    problems = tuple(_cut(name, text, {row.line for row in rows}))
    lines = np.array([row.line for row in rows], dtype=np.int64)
    return Log(name, headings, 0, Table(columns, lines, problems, len(problems)))


def _rows(text: str) -> Iterator[_Row]:
    clocks = [(match.start(), match.group().strip()) for match in _CLOCK.finditer(text)]
    clocks = [(at, written) for at, written in clocks if is_time(written)]
    clock, upcoming = "", 0
    for line, match in _placed(_GPU, text):
        while upcoming < len(clocks) and clocks[upcoming][0] < match.start():
            clock = clocks[upcoming][1]
            upcoming += 1
        yield _Row(line, match.group(*_GROUPS), clock)


def _placed(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield each match, with the line that it begins in."""
    line, counted = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        yield line, match


def _cut(name: str, text: str, read: set[int]) -> Iterator[Problem]:
    """Yield a problem for each GPU whose second line is missing or of another form."""
    for line, match in _placed(_START, text):
        if line not in read:
            below = text[match.end() + 1 : match.end() + 1 + _LONGEST_LINE].partition("\n")[0].strip()[:60]
            yield Problem(name, f"line {line}", f"GPU {match.group('index')} has no line with its numbers below it but {below!r}")


IMPORTER: Importer = NvidiaTable()
