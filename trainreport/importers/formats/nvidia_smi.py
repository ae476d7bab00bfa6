"""Logs of ``nvidia-smi --query-gpu=… --format=csv``, with units or ``nounits``, of one GPU or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.errors import InputError, StrictError
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, frame_of, mappings_of
from trainreport.importers.smi.devices import Devices, devices_of
from trainreport.importers.smi.fields import TEXTS, Heading, find_header, header_of, meaning_of
from trainreport.importers.smi.numbers import GIVEN, MISSING, NO_TIME, ODD, Numbers, Times, numbers_of, times_of
from trainreport.importers.smi.table import Column, Table, decode, split
from trainreport.model.clock import span
from trainreport.model.run import Hardware, Problem
from trainreport.model.units import FACTORS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

__all__ = ["IMPORTER", "NvidiaSmi"]

_NO_CLOCK = "no time written"
_RARE = 0.01
"""A name in fewer rows than this share is damage, not a GPU."""


class _Measure(NamedTuple):
    """A column that is no plain text: its numbers, and its cells that are none."""

    field: str
    column: Column
    numbers: Numbers

    def states(self) -> npt.NDArray[np.int8]:
        """Return what each row's cell is."""
        return self.numbers.states[self.column.codes]


class _Log(NamedTuple):
    """A log as it stands in the file."""

    name: str
    headings: list[Heading]
    header_line: int
    table: Table
    before: list[str]
    """Lines above the header."""

    def columns(self) -> dict[str, Column]:
        """Return columns by field in lower case; of a field that is there twice, the first."""
        found: dict[str, Column] = {}
        for heading, column in zip(self.headings, self.table.columns, strict=True):
            found.setdefault(heading.field.lower(), column)
        return found


class NvidiaSmi:
    """Reads one log of a machine's GPUs: each row, one GPU's sample, becomes a number a measure."""

    name = "nvidia-smi"
    title = "nvidia-smi --query-gpu CSV, with or without units, one GPU or several"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a header among the first lines names query fields."""
        del path  # people call these files anything from gpu.csv to nohup.out
        return find_header(decode(head).split("\n")) is not None

    def read(self, source: Source) -> Recording:
        """Read all rows; numbers stand in the order of the file, row by row and within a row by column."""
        log = _log(source)
        times = _times(log, source.zone)
        devices = devices_of(log.columns(), times.ns)
        every = _measures(log)
        measures = [one for one in every if (one.numbers.states == GIVEN).any()]
        problems = (*log.table.problems, *_header_problems(log, devices), *_cell_problems(log, measures, times))
        if source.strict and problems:
            raise StrictError(f"{source.name}: {problems[0].place}: {problems[0].what}")
        first, last = span(times.ns)
        return Recording(
            importer=self.name,
            kind="machine",
            key=source.folder,
            name=source.path.stem,
            frame=_frame(source.name, measures, times.ns, devices),
            files=(FileRead(source.path, source.name, len(log.table.lines), log.table.skipped, times.clock),),
            folder=source.folder,
            mappings=mappings_of([one.field for one in measures], [meaning_of(one.field, one.numbers.unit) for one in measures]),
            problems=problems,
            events=_events(log, every, times, devices),
            started_at=first,
            ended_at=last,
            tags=_tags(log, every, devices),
            hardware=_hardware(log, measures, devices),
        )


def _log(source: Source) -> _Log:
    text = decode(source.path.read_bytes())
    place = find_header(text.split("\n", 10)[:10])
    if place is None:
        raise InputError(f"{source.name}: no header with nvidia-smi query fields, such as 'timestamp, utilization.gpu [%]'")
    *before, header, body = (text if text.count("\n", 0) > place else text + "\n").split("\n", place + 1)
    headings = header_of(header)
    table = split(body, len(headings), header, place + 2, source.name)
    if not len(table.lines):
        raise InputError(f"{source.name}: a header in line {place + 1} but no row below it that fits")
    return _Log(source.name, headings, place + 1, table, before)


def _times(log: _Log, zone: str | None) -> Times:
    import numpy as np

    column = log.columns().get("timestamp")
    if column is None:
        return Times(np.full(len(log.table.lines), NO_TIME, dtype=np.int64), _NO_CLOCK)
    return times_of(column.texts, column.codes, zone)


def _measures(log: _Log) -> list[_Measure]:
    seen: set[str] = set()
    found: list[_Measure] = []
    for heading, column in zip(log.headings, log.table.columns, strict=True):
        name = heading.field.lower()
        if name in seen or name in TEXTS or not name:
            continue
        seen.add(name)
        found.append(_Measure(heading.field, column, numbers_of(column.texts, heading.unit)))
    return found


def _frame(file: str, measures: Sequence[_Measure], ns: npt.NDArray[np.int64], devices: Devices) -> pd.DataFrame:
    """Return the numbers that are given, row by row."""
    import numpy as np

    rows, width = len(ns), len(measures)
    values = np.empty((rows, width), dtype=np.float64)
    given = np.empty((rows, width), dtype=np.bool_)
    for place, one in enumerate(measures):
        values[:, place] = one.numbers.values[one.column.codes]
        given[:, place] = one.states() == GIVEN
    kept = given.ravel()
    return frame_of(
        [one.field for one in measures],
        [meaning_of(one.field, one.numbers.unit) for one in measures],
        np.tile(np.arange(width, dtype=np.intp), rows)[kept],
        values.ravel()[kept],
        file=file,
        times_ns=np.repeat(ns, width)[kept],
        devices=devices.names,
        device_codes=np.repeat(devices.codes, width)[kept],
    )


def _header_problems(log: _Log, devices: Devices) -> list[Problem]:
    line = f"line {log.header_line}"
    fields = [heading.field.lower() for heading in log.headings]
    twice = sorted({field for field in fields if fields.count(field) > 1})
    found = [Problem(log.name, line, f"column {field!r} is there twice; the first was used") for field in twice]
    return [*found, Problem(log.name, line, devices.problem)] if devices.problem else found


def _cell_problems(log: _Log, measures: Sequence[_Measure], times: Times) -> list[Problem]:
    """Return one problem a column with cells that are neither numbers nor nvidia-smi's words for none."""
    import numpy as np

    found = [(one.field, "a number or [N/A]", one.column, one.states() == ODD) for one in measures]
    clock = log.columns().get("timestamp")
    if clock is not None:
        found.append(("timestamp", "a time such as 2024/11/23 12:23:29.950; kept without a time", clock, times.ns == NO_TIME))
    problems = []
    for field, expected, column, odd in found:
        if odd.any():
            row = int(np.argmax(odd))
            what = f"{field} is {column.texts[column.codes[row]][:60]!r} ({int(odd.sum())} such cells); expected {expected}"
            problems.append(Problem(log.name, f"line {log.table.lines[row]}", what))
    return problems


def _events(log: _Log, every: Sequence[_Measure], times: Times, devices: Devices) -> tuple[Event, ...]:
    """Return what is no number but worth knowing: inferred devices, lines above the header, words for missing numbers."""
    import numpy as np

    events = [
        Event("preamble", line.strip()[:200], file=log.name, line=number) for number, line in enumerate(log.before, 1) if line.strip()
    ]
    if devices.inferred:
        events.append(Event("device-inferred", devices.inferred, file=log.name, line=log.header_line))
    for one in every:
        for code in np.flatnonzero(one.numbers.states == MISSING):
            rows = np.flatnonzero(one.column.codes == code)
            if not len(rows):
                continue
            message = f"{one.field} is {one.column.texts[code] or 'empty'} in {len(rows)} of {len(times.ns)} rows"
            at = int(times.ns[rows[0]])
            events.append(
                Event("not-given", message, None if at == NO_TIME else at / 1e9, file=log.name, line=int(log.table.lines[rows[0]]))
            )
    return tuple(events)


def _tags(log: _Log, every: Sequence[_Measure], devices: Devices) -> dict[str, str]:
    """Return texts that do not change: ``driver_version``, or by GPU ``gpu0.uuid``."""
    columns = log.columns()
    words = [one.field.lower() for one in every if not (one.numbers.states == GIVEN).any() and (one.numbers.states == ODD).any()]
    tags: dict[str, str] = {}
    for field in [*(name for name in columns if name in TEXTS - {"timestamp", "index"}), *words]:
        column = columns[field]
        if len(column.texts) == 1:
            tags[field] = column.texts[0]
            continue
        for code, device in enumerate(devices.names):
            texts = set(column.codes[devices.codes == code].tolist())
            if device is not None and len(texts) == 1:
                tags[f"{device}.{field}"] = column.texts[texts.pop()]
    return tags


def _hardware(log: _Log, measures: Sequence[_Measure], devices: Devices) -> Hardware:
    import numpy as np

    columns = log.columns()
    names = columns.get("name") or columns.get("gpu_name")
    memory = None
    for one in measures:
        meaning = meaning_of(one.field, one.numbers.unit)
        if meaning.series == "gpu/memory_total":
            memory = float(np.nanmax(one.numbers.values[one.numbers.states == GIVEN])) * FACTORS[meaning.written_unit][1]
    return Hardware(
        gpu_model=", ".join(_models(names)) or None if names else None,
        gpu_count=len({name for name in devices.names if name is not None}) or None,
        gpu_memory_bytes=memory,
    )


def _models(names: Column) -> list[str]:
    """Return the names of GPUs; where two loggers wrote one file at once, some rows hold shreds of names."""
    import numpy as np

    counts = np.bincount(names.codes, minlength=len(names.texts))
    return sorted({text for text, count in zip(names.texts, counts, strict=True) if count >= _RARE * len(names.codes) and text})


IMPORTER: Importer = NvidiaSmi()
