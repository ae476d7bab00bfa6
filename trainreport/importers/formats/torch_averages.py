"""Tables that PyTorch's profiler prints, ``key_averages().table()``: totals by operator, cut off behind the first rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.profiles.measures import DATA_TIME, STEP_TIME, Measure
from trainreport.importers.profiles.result import recording_of_measures
from trainreport.importers.profiles.totals import LAUNCH, TOTALS, UNKNOWN_STEP
from trainreport.importers.smi.table import decode, lines_of
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.table import number_of

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_BETWEEN = re.compile(r"\s{2,}")
_NEEDED = frozenset({"name", "cpu total", "cpu time avg", "# of calls"})
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_ON_DEVICE = re.compile(r"Self (?:CUDA|XPU|\w+) time total:\s*(\S+)")
_STEP, _WAIT = "ProfilerStep*", "enumerate(DataLoader)"


class TorchAverages:
    """Reads what the rows of steps, of data loaders and of launches say; a row that was cut off is not known, not 0."""

    name = "torch-averages"
    title = "PyTorch Profiler, printed key_averages().table(): step time, input wait, launches, time of kernels"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a line names the columns of such a table."""
        del path
        return any(_columns(line) is not None for line in lines_of(head)[:20])

    def read(self, source: Source) -> Recording:
        """Read all tables; of one operator in several the row counts that has most time on the processor."""
        troubles = Troubles(source)
        rows: dict[str, tuple[float, float, float]] = {}
        on_device: float | None = None
        columns: dict[str, int] | None = None
        for number, line in enumerate(decode(content_of(source)).splitlines(), 1):
            total = _ON_DEVICE.match(line)
            if total is not None and not line.startswith("Self CPU"):
                on_device = _seconds(total[1])
            columns = _columns(line) or columns
            cells = _BETWEEN.split(line.strip())
            if columns is None or len(cells) != len(columns) or _columns(line) is not None or line.lstrip().startswith("---"):
                continue
            row = _row(cells, columns)
            if row is None:
                troubles.add(f"line {number}", f"found {line.strip()[:60]!r}; expected times and a number of calls", kind="rows")
            else:
                rows[cells[0]] = max(rows.get(cells[0], row), row)
        measures = _measures(rows, on_device)
        if not measures:
            raise InputError("no steps, launches or time on a device in its tables")
        return recording_of_measures(self.name, source, measures, troubles, TOTALS)


def _columns(line: str) -> dict[str, int] | None:
    """Return the places of the columns that a line names; they differ by version and device."""
    if "# of Calls" not in line:
        return None
    names = [name.strip().lower() for name in _BETWEEN.split(line.strip())]
    return {name: place for place, name in enumerate(names)} if set(names) >= _NEEDED and len(set(names)) == len(names) else None


def _row(cells: list[str], columns: dict[str, int]) -> tuple[float, float, float] | None:
    """Return total, mean and number of calls of an operator."""
    total, mean = _seconds(cells[columns["cpu total"]]), _seconds(cells[columns["cpu time avg"]])
    calls = number_of(cells[columns["# of calls"]])
    return None if total is None or mean is None or calls is None or not 0 < calls < 1e18 else (total, mean, calls)


def _seconds(text: str) -> float | None:
    match = _TIME.fullmatch(text)
    return None if match is None or len(match[1]) > 18 else float(match[1]) * _SECONDS[match[2]]


def _measures(rows: dict[str, tuple[float, float, float]], on_device: float | None) -> list[Measure]:
    found = []
    step = rows.get(_STEP)
    waits = [row for name, row in rows.items() if name.startswith(_WAIT)]
    if step is not None and step[0] > 0:
        found.append(Measure(STEP_TIME, step[1], UNKNOWN_STEP))
        if waits:
            waited = sum(row[0] for row in waits)
            found += [
                Measure(DATA_TIME, waited / step[2], UNKNOWN_STEP),
                Measure("profile/input_wait", min(1.0, waited / step[0]), UNKNOWN_STEP),
            ]
    launches = [row for name, row in rows.items() if LAUNCH.match(name)]
    if launches:
        mean = sum(row[0] for row in launches) / sum(row[2] for row in launches)
        found.append(Measure("profile/launch_mean", mean, UNKNOWN_STEP))
    if on_device:
        found.append(Measure("profile/kernel_time", on_device, UNKNOWN_STEP))
    return found


IMPORTER: Importer = TorchAverages()
