"""Tables of XProf's pages, as JSON of Google Charts or as CSV: input pipeline, overview, kernel statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.profiles.charts import Row, json_rows, value_of
from trainreport.importers.profiles.measures import DATA_TIME, STEP_TIME, Measure
from trainreport.importers.profiles.profile import Step
from trainreport.importers.profiles.result import recording_of_measures
from trainreport.importers.profiles.totals import TOTALS, UNKNOWN_STEP, Total, of_kernels
from trainreport.importers.smi.table import decode
from trainreport.importers.tables.cells import rows_of
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import load_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

# The name of a column in JSON, and its label, which is all that the CSV has.
_COLUMNS = {
    "step number": "stepnum", "step time": "stepTimeMs", "input": "infeedTimeMs",
    "device collective communication": "deviceCollectivesTimeMs",
    "kernel launch": "kernelLaunchTimeMs", "% step time waiting for input data": "infeedPercentAverage", "kernel name": "kernel_name",
    "occurrences": "occurrences", "total duration (μs)": "total_duration_us", "total duration (µs)": "total_duration_us",
}  # fmt: skip
_OF_STEP = {
    "infeedTimeMs": "profile/input_wait",
    "deviceCollectivesTimeMs": "profile/communication",
    "kernelLaunchTimeMs": "profile/kernel_launch",
}
_KERNELS = frozenset({"kernel_name", "occurrences", "total_duration_us"})
_STEPS = (frozenset({"stepnum", "stepTimeMs"}), frozenset({"stepnum", "infeedPercentAverage"}))
_MARKS = (
    b'"cumulativeTimePercent"',
    b'"infeedTimeMs"',
    b'"infeedPercentAverage"',
    b'"stepTimeMs"',
    b'"kernel_name"',
    b'"device_idle_time_percent"',
    b'"steptime_ms_average"',
)


class XprofTables:
    """Reads the times of each step, the totals of kernels, and the averages of the overview."""

    name = "xprof-tables"
    title = "XProf and TensorFlow Profiler: input pipeline, overview and kernel statistics, exported as CSV or JSON"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it begins with a table of Google Charts that has such columns, or as the CSV of one."""
        del path
        if decode(head[:64]).lstrip()[:1] in {"{", "["}:
            return b'"cols"' in head and b'"id"' in head and any(mark in head for mark in _MARKS)
        header = header_of(head)
        return header is not None and _is_known(_known(header.names))

    def read(self, source: Source) -> Recording:
        """Read all tables that it holds."""
        troubles = Troubles(source)
        with source.path.open("rb") as stream:
            is_json = decode(stream.read(64)).lstrip()[:1] in {"{", "["}
        measures = list(_of_json(load_json(source)) if is_json else _of_rows(_csv_rows(source, troubles)))
        if not measures:
            raise InputError("no step, kernel or average in it; expected a table of XProf's input pipeline, overview or kernel statistics")
        return recording_of_measures(self.name, source, measures, troubles, TOTALS)


def _known(names: Iterable[str]) -> frozenset[str]:
    return frozenset(_COLUMNS.get(name.strip().lower(), name.strip()) for name in names)


def _is_known(names: frozenset[str]) -> bool:
    return names >= _KERNELS or any(names >= one for one in _STEPS)


def _csv_rows(source: Source, troubles: Troubles) -> list[Row]:
    table, _ = read_delimited(source, troubles, multiline=True)
    renamed = {name: _COLUMNS.get(name.strip().lower(), name.strip()) for name in table.columns}
    found: list[Row] = []
    for row in rows_of(table):
        cells: dict[str, str | float] = {**row.texts, **row.numbers}
        found.append({renamed[name]: value for name, value in cells.items()})
    return found


def _of_json(document: Any) -> Iterator[Measure]:
    """Yield the measures of each table; the averages of a page only where no table has its steps."""
    tables = [one for one in (document if isinstance(document, list) else [document]) if isinstance(one, dict)]
    found = [measure for table in tables for measure in _of_rows(json_rows(table))]
    yield from found
    averages: dict[str, Any] = {}
    for table in tables:
        properties = table.get("p")
        averages |= properties if isinstance(properties, dict) else {}
    step, idle = value_of(averages.get("steptime_ms_average")), value_of(averages.get("device_idle_time_percent"))
    if step is not None and step > 0 and not any(one.name == STEP_TIME for one in found):
        yield Measure(STEP_TIME, step / 1e3, UNKNOWN_STEP)
    if idle is not None:
        yield Measure("profile/device_idle", idle / 100, UNKNOWN_STEP)


def _of_rows(rows: list[Row]) -> Iterator[Measure]:
    """Yield the measures of a table's rows, of steps or of kernels."""
    kernels = []
    for row in rows:
        if row.keys() >= _KERNELS:
            micros, count = value_of(row["total_duration_us"]), value_of(row["occurrences"])
            if micros is not None and count is not None:
                kernels.append(Total(str(row["kernel_name"]), micros * 1e-6, count))
        elif "stepnum" in row:
            yield from _of_step(row)
    yield from of_kernels(kernels)


def _of_step(row: Row) -> Iterator[Measure]:
    number = value_of(row["stepnum"])
    step = Step(int(number) if number is not None and 0 <= number < 1 << 53 else None, 0.0, 0.0)
    took, waited = value_of(row.get("stepTimeMs")), value_of(row.get("infeedPercentAverage"))
    if took is not None and took > 0:
        yield Measure(STEP_TIME, took / 1e3, step)
        for column, name in _OF_STEP.items():
            part = value_of(row.get(column))
            if part is not None:
                yield Measure(name, part / took, step)
                if column == "infeedTimeMs":
                    yield Measure(DATA_TIME, part / 1e3, step)
    elif waited is not None:
        yield Measure("profile/input_wait", waited / 100, step)


IMPORTER: Importer = XprofTables()
