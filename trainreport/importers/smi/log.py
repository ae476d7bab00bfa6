"""What all logs of nvidia-smi come down to, columns and what each holds, and the recording that is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.errors import InputError, StrictError
from trainreport.importers.recording import Event, FileRead, Recording, Source, mappings_of
from trainreport.importers.smi.blocks import Block, frame_of_blocks
from trainreport.importers.smi.devices import Devices, devices_of, places_of
from trainreport.importers.smi.fields import TEXTS, Heading, meaning_of
from trainreport.importers.smi.notes import cell_problems, events_of, hardware_of, tags_of
from trainreport.importers.smi.numbers import GIVEN, Numbers, numbers_of, numbers_of_cells
from trainreport.importers.smi.repair import checked, named_by_rows
from trainreport.importers.smi.times import NO_TIME, Times, counted, times_of
from trainreport.model.clock import span
from trainreport.model.run import Problem
from trainreport.model.schema import CLOCK_REPAIRED
from trainreport.model.units import to_canonical

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.importers.smi.table import Codes, Column, Table
    from trainreport.model.series import Meaning

__all__ = ["Log", "Measure", "recording_of"]


class Log(NamedTuple):
    """A log as it stands in the file."""

    name: str
    headings: list[Heading]
    header_line: int
    """Where the names of columns stand; 0 where nothing names them."""
    table: Table
    before: tuple[str, ...] = ()
    """Lines above the header."""
    events: tuple[Event, ...] = ()

    def columns(self) -> dict[str, Column]:
        """Return columns by field; of a field that is there twice, the first."""
        found: dict[str, Column] = {}
        for heading, column in zip(self.headings, self.table.columns, strict=True):
            found.setdefault(heading.field, column)
        return found


class Measure(NamedTuple):
    """A column that is no plain text: its numbers, and its cells that are none."""

    heading: Heading
    column: Column
    numbers: Numbers
    codes: Codes
    """For each row of the column the position of its number."""
    meaning: Meaning
    repaired: bool = False

    def block(self) -> Block:
        """Return the numbers that are given."""
        import numpy as np

        values, _ = to_canonical(self.numbers.values, self.meaning.written_unit)
        codes, rows = self.codes, self.column.rows
        if (self.numbers.states != GIVEN).any():
            kept = np.flatnonzero(self.numbers.states[codes] == GIVEN)
            codes, rows = codes[kept], kept if rows is None else rows[kept]
        return Block(self.heading.logged, self.meaning, values, codes, rows, self.repaired)


def recording_of(importer: str, log: Log, source: Source) -> Recording:
    """Return what a log says; numbers stand measure by measure, those of one measure in the order of the file.

    Raises
    ------
    InputError
        If no row fits the columns.
    StrictError
        On the first problem, if ``source.strict``.
    """
    if not len(log.table.lines):
        where = f"a header in line {log.header_line}" if log.header_line else "text"
        raise InputError(f"{source.name}: {where} but no row below it that fits")
    clock = log.columns().get("timestamp")
    times = times_of(clock, source.zone) if clock is not None else counted(_no_places(log), None)
    log, misnamed = named_by_rows(log, times.ns)
    devices = devices_of(log.columns(), times.ns)
    if clock is None:
        times = counted(places_of(devices), source.interval_s)
    every, doubted = checked(log, _measures(log))
    measures = [one for one in every if (one.numbers.states == GIVEN).any()]
    problems = (*log.table.problems, *misnamed, *_column_problems(log, devices, times), *doubted, *cell_problems(log, measures, times))
    if source.strict and problems:
        raise StrictError(f"{source.name}: {problems[0].place}: {problems[0].what}")
    first, last = (None, None) if times.repaired else span(_ends(times.ns))
    return Recording(
        importer=importer,
        kind="machine",
        key=source.folder,
        name=source.path.stem,
        frame=_frame(log, measures, times, devices),
        files=(FileRead(source.path, source.name, len(log.table.lines), log.table.skipped, times.clock),),
        folder=source.folder,
        mappings=tuple(dict.fromkeys(mappings_of([one.heading.logged for one in measures], [one.meaning for one in measures]))),
        problems=problems,
        events=events_of(log, every, times, devices),
        started_at=first,
        ended_at=last,
        tags=tags_of(log, every, devices),
        hardware=hardware_of(log, measures, devices),
    )


def _ends(ns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the first and the last time that is known."""
    import numpy as np

    known = ns[ns != NO_TIME]
    return np.array([known.min(), known.max()]) if len(known) else known


def _frame(log: Log, measures: list[Measure], times: Times, devices: Devices) -> pd.DataFrame:
    flag = CLOCK_REPAIRED if times.repaired else 0
    return frame_of_blocks([one.block() for one in measures], times.ns, devices, log.name, time_flag=flag)


def _no_places(log: Log) -> npt.NDArray[np.intp]:
    import numpy as np

    return np.zeros(len(log.table.lines), dtype=np.intp)


def _measures(log: Log) -> list[Measure]:
    seen: set[tuple[str, str | None]] = set()
    found: list[Measure] = []
    for heading, column in zip(log.headings, log.table.columns, strict=True):
        key = (heading.logged.lower(), heading.device)
        if key in seen or heading.field in TEXTS or not heading.field:
            continue
        seen.add(key)
        found.append(_measure(heading, column))
    return found


def _measure(heading: Heading, column: Column) -> Measure:
    import numpy as np

    numbers = numbers_of_cells(column.cells, heading.unit) if column.cells is not None else None
    codes: Codes = column.codes if numbers is None else np.arange(len(numbers.values), dtype=np.int32)
    numbers = numbers or numbers_of(column.texts, heading.unit)
    return Measure(heading, column, numbers, codes, meaning_of(heading, numbers.unit))


def _column_problems(log: Log, devices: Devices, times: Times) -> list[Problem]:
    place = f"line {log.header_line}" if log.header_line else ""
    names = [heading.logged.lower() for heading in log.headings]
    twice = sorted({name for name in names if names.count(name) > 1})
    found = [f"column {name!r} is there twice; the first was used" for name in twice]
    told = [Problem(log.name, place, what, about="meaning") for what in (*found, devices.problem) if what]
    return told + ([Problem(log.name, place, times.problem, about="clock")] if times.problem else [])
