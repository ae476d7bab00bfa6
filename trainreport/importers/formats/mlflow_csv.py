"""Tables of runs as CSV: ``mlflow.search_runs``, ``mlflow experiments csv`` and the UI's download, names with and without prefixes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.facts import Told, instant, last_only, recording_of
from trainreport.importers.mlflow_store.frames import as_logged
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, Points
from trainreport.importers.mlflow_store.runs_table import Table, layout_of, read_table
from trainreport.importers.params import is_something
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source
from trainreport.model import clock
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|h|d)")
_LONGEST_S = 10 * 365 * 86400.0
# Columns about the run that the recording holds elsewhere.
_TOLD = frozenset({"run_id", "name", "status", "start", "end", "experiment_id", "experiment"})
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


class MlflowCsv:
    """Reads one run a row: what it was given, and the last value of each metric."""

    name = "mlflow-csv"
    title = "MLflow runs as CSV: search_runs, mlflow experiments csv, the UI's download (last values only)"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is that of a table of runs."""
        return layout_of(head) is not None

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, in the order of the file."""
        table = read_table(source.path, source.name)
        problems = [*table.problems, *_no_times(table, source)]
        clock_told = _clock(table, source.zone)
        found: list[Recording] = []
        for line, cells in table.rows:
            about = {key: cells[place].strip() for key, place in table.about.items()}
            if not is_something(about["run_id"]):
                problems.append(Problem(source.name, f"line {line}", "no run id; expected one, the row was left out"))
                continue
            names, points, odd = _points(table, line, cells, _ended(about, source.zone), source)
            read = FileRead(source.path, source.name, len(names), len(odd), clock_told)
            # What holds for the whole file is told once.
            problems_here = odd if found else [*problems, *odd]
            events = last_only(points, source) if found else (*last_only(points, source), *_guessed(table, source))
            found.append(
                recording_of(
                    _told(table, cells, about, source.zone), source, names, points, files=(read,), problems=problems_here, events=events
                )
            )
        if not found:
            raise InputError(f"{source.name}: {problems[0].what if problems else 'a table of MLflow runs without a row'}")
        return tuple(found)


def _told(table: Table, cells: list[str], about: Mapping[str, str], zone: str | None) -> Told:
    of_run = {
        key if key.startswith("mlflow.") else f"meta.{key}": text for key, text in about.items() if key not in _TOLD and is_something(text)
    }
    return Told(
        run_id=about["run_id"],
        name=about.get("name") or None,
        status=about.get("status"),
        started_at=_moment(about.get("start", ""), zone),
        ended_at=_ended(about, zone),
        experiment_id=about.get("experiment_id"),
        experiment=about.get("experiment"),
        params=_filled(table.params, cells),
        tags={**of_run, **_filled(table.tags, cells)},
    )


def _points(table: Table, line: int, cells: list[str], ended: datetime | None, source: Source) -> tuple[list[str], Points, list[Problem]]:
    """Return the metrics of one row, by name: one point each, without a step, at the end of the run."""
    import numpy as np

    values: dict[str, float] = {}
    problems = []
    for name, text in _filled(table.metrics, cells).items():
        try:
            values[name] = float(text)
        except ValueError:
            problems.append(Problem(source.name, f"line {line}", f"metric {name}: found {text[:60]!r}; expected a number"))
    names = sorted(values)
    times = np.full(len(names), NOT_KNOWN if ended is None else round(ended.timestamp() * 1000), dtype=np.int64)
    steps = np.full(len(names), NOT_KNOWN, dtype=np.int64)
    numbers = as_logged(np.array([values[name] for name in names], dtype=np.float64))
    return names, Points(np.ones(len(names), dtype=np.int64), times, numbers, steps), problems


def _filled(columns: Mapping[int, str], cells: list[str]) -> dict[str, str]:
    """Return the cells of some columns by name; an empty one says nothing: every run has a cell in every column."""
    return {name: cells[place] for place, name in columns.items() if cells[place].strip()}


def _moment(text: str, zone: str | None) -> datetime | None:
    """Return the instant of a cell; None where it is empty, or day and month could be either."""
    if text.isdecimal() and len(text) > 8:
        return instant(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=clock.zone(zone or "UTC")).astimezone(UTC)


def _ended(about: Mapping[str, str], zone: str | None) -> datetime | None:
    """Return the end, written or start plus duration (the UI writes ``233ms``, ``7.6s``, ``1.2min``)."""
    told = _moment(about.get("end", ""), zone)
    started = _moment(about.get("start", ""), zone)
    lasted = _DURATION.fullmatch(about.get("duration", ""))
    if told is not None or started is None or lasted is None:
        return told
    return started + timedelta(seconds=min(float(lasted[1]) * _SECONDS[lasted[2]], _LONGEST_S))


def _no_times(table: Table, source: Source) -> list[Problem]:
    place = table.about.get("start")
    odd = [] if place is None else [cell for cell in _column(table, place) if is_something(cell) and _moment(cell, source.zone) is None]
    what = (
        f"{len(odd)} start times such as {odd[0][:40]!r}; expected year-month-day, as MLflow writes it; kept without times" if odd else ""
    )
    return [Problem(source.name, "column of start times", what, about="clock")] if odd else []


def _clock(table: Table, zone: str | None) -> str:
    place = table.about.get("start")
    texts = [] if place is None else [cell for cell in _column(table, place) if _moment(cell, zone) is not None]
    if not texts:
        return "no times"
    if all(text.isdecimal() or re.search(r"(?:[+-]\d\d:?\d\d|Z)$", text) for text in texts):
        return "UTC, as written"
    return f"no zone written; read as {zone}, as given" if zone else "no zone written; taken as UTC"


def _column(table: Table, place: int) -> Iterable[str]:
    return (cells[place].strip() for _, cells in table.rows)


def _guessed(table: Table, source: Source) -> tuple[Event, ...]:
    if not table.guessed:
        return ()
    metrics, params = (", ".join(names.values()) or "none" for names in (table.metrics, table.params))
    message = f"its columns have no prefix; taken by name and content as metrics: {metrics}; as parameters: {params}"
    return (Event("notice", message, file=source.name),)


IMPORTER: Importer = MlflowCsv()
