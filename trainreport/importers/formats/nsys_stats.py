"""Summaries of Nsight Systems that ``nsys stats --format csv`` wrote: one report a file, or several below each other."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.profiles.measures import STEP_TIME, Measure
from trainreport.importers.profiles.profile import STEP_RANGE, Step
from trainreport.importers.profiles.result import recording_of_measures
from trainreport.importers.profiles.totals import TOTALS, Total, of_copies, of_kernels, of_launches
from trainreport.importers.smi.table import decode, lines_of
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.table import number_of

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_TOTAL = re.compile(r"total time \((ns|us|µs|μs|ms|s)\)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0}
_COUNTS = ("instances", "num calls", "calls", "count", "operations")
_NAMES = {"name": "kernels", "operation": "copies", "operations": "copies", "range": "ranges"}
_LONGEST = 1 << 20


class NsysStats:
    """Reads the summaries of kernels, of memory operations, of calls of CUDA, and of ranges that are named like steps."""

    name = "nsys-stats"
    title = "Nsight Systems, nsys stats CSV (cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, cuda_api_sum, nvtx_sum)"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a line names the columns of such a summary."""
        del path
        return any(_header(_cells(line)) is not None for line in lines_of(head) if "otal" in line and "ime" in line)

    def read(self, source: Source) -> Recording:
        """Read all summaries; lines between them, and reports of other kinds, tell nothing of training."""
        troubles = Troubles(source)
        found: dict[str, list[Total]] = {"kernels": [], "copies": [], "calls": [], "ranges": []}
        header: _Header | None = None
        for number, line in enumerate(decode(content_of(source)).splitlines(), 1):
            cells = _cells(line)
            begun = _header(cells)
            if begun is not None or not line.strip() or len(cells) < 2:
                header = begun
            elif header is not None:
                total = header.total(cells)
                if total is None:
                    troubles.add(f"line {number}", f"found {line[:60]!r}; expected a total time, a count and a name", kind="rows")
                else:
                    found[header.kind].append(total)
        measures = [*of_kernels(found["kernels"]), *of_copies(found["copies"]), *of_launches(found["calls"]), *_steps(found["ranges"])]
        if not measures:
            raise InputError("no kernel, memory operation, launch or step in its summaries")
        return recording_of_measures(self.name, source, measures, troubles, TOTALS)


class _Header:
    """Where the columns of a summary stand."""

    def __init__(self, kind: str, unit: str, width: int, places: tuple[int, int, int]) -> None:
        self.kind = kind
        self._scale, self._width, self._places = _SECONDS[unit], width, places

    def total(self, cells: list[str]) -> Total | None:
        """Return what a row says."""
        if len(cells) != self._width:
            return None
        seconds, count = (number_of(cells[place].replace(",", "")) for place in self._places[:2])
        if seconds is None or count is None or not 0 <= seconds < 1e18 or not 0 <= count < 1e18:
            return None
        return Total(cells[self._places[2]], seconds * self._scale, count)


def _header(cells: list[str]) -> _Header | None:
    """Return the columns that a line names; their names differ by version in blanks and in what counts."""
    lower = [cell.strip().lower() for cell in cells]
    unit = next(((place, match[1]) for place, cell in enumerate(lower) if (match := _TOTAL.fullmatch(cell))), None)
    share = any(cell.replace(" ", "") == "time(%)" for cell in lower)
    count = next((place for place, cell in enumerate(lower[:-1]) if cell in _COUNTS), None)
    name = next((place for place in reversed(range(len(lower))) if lower[place] in _NAMES), None)
    if unit is None or not share or count is None or name is None or name == count:
        return None
    kind = _NAMES[lower[name]]
    kind = "calls" if kind == "kernels" and lower[count] != "instances" else kind
    return _Header(kind, unit[1], len(cells), (unit[0], count, name))


def _cells(line: str) -> list[str]:
    """Return the cells of a line; what no CSV is, is one."""
    try:
        return next(csv.reader([line[:_LONGEST]]), [])
    except csv.Error:
        return [line]


def _steps(ranges: list[Total]) -> list[Measure]:
    """Return the time of each range that is named like a step, without the domain before it."""
    steps = ((STEP_RANGE.fullmatch(one.name.rpartition(":")[2].strip()), one) for one in ranges if one.times > 0)
    return [Measure(STEP_TIME, one.seconds / one.times, Step(int(match[2]), 0.0, 0.0)) for match, one in steps if match]


IMPORTER: Importer = NsysStats()
