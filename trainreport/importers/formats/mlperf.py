"""MLPerf training logs: lines that begin with ``:::MLLOG``, alone or among others."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.params import seed_of
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import first_object, flat
from trainreport.importers.tables.rows import Row, recording_of_points
from trainreport.importers.tables.table import number_of
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MARK = b":::MLLOG"
_STEPS = ("step", "step_num", "iteration", "samples_count")
_STATUS = {"success": "finished", "aborted": "failed"}


class MlPerf:
    """Reads events with a step or an epoch as numbers of the run, those without as what it was given."""

    name = "mlperf"
    title = "MLPerf training logs (:::MLLOG lines)"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a line of the beginning has the mark and an event behind it."""
        del path
        return re.search(rb"^.{0,100}:::MLLOG \{", head, re.MULTILINE) is not None

    def read(self, source: Source) -> Recording:
        """Read all marked lines; others are the run's own output and are passed over."""
        troubles = Troubles(source)
        rows: list[Row] = []
        params: dict[str, str] = {}
        events: list[Event] = []
        ends: dict[str, tuple[float, str]] = {}
        for line, event in _events(source, troubles):
            key, meta = str(event.get("key")), event.get("metadata")
            meta = meta if isinstance(meta, dict) else {}
            time_s = _number(event.get("time_ms")) / 1000
            step = next((_number(meta[name]) for name in _STEPS if name in meta), float("nan"))
            epoch = _number(meta.get("epoch_num"))
            if key in ("run_start", "run_stop"):
                ends[key] = time_s, str(meta.get("status"))
            if event.get("event_type") != "POINT_IN_TIME":
                if key in ("init_start", "init_stop", "run_start", "run_stop"):
                    events.append(Event("stage", key, time_s, file=source.name, line=line))
            elif isfinite(step) or isfinite(epoch):
                rows += [Row(name, value, step, epoch, time_s) for name, value in _values(key, event.get("value"))]
            elif event.get("value") is not None and not isinstance(event["value"], dict | list):
                params.setdefault(key, str(event["value"]))
        if not rows and not params:
            raise InputError("no event of MLPerf that is whole")
        return recording_of_points(
            self.name, source, rows, troubles, clock="UTC, written as epoch milliseconds", params=params, seed=seed_of(params),
            status=_STATUS.get(ends.get("run_stop", (0.0, ""))[1], "unknown"), events=tuple(events),
            **_span(ends),
        )  # fmt: skip


def _span(ends: dict[str, tuple[float, str]]) -> dict[str, Any]:
    """Return the beginning and the end of the run, where they were logged."""
    moments = {
        field: from_epoch_seconds(ends[key][0]) for field, key in (("started_at", "run_start"), ("ended_at", "run_stop")) if key in ends
    }
    return {field: moment for field, moment in moments.items() if moment is not None}


def _events(source: Source, troubles: Troubles) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(content_of(source).split(b"\n"), 1):
        place = line.find(_MARK)
        if place < 0:
            continue
        found = first_object(line[place + len(_MARK) :])
        if found is None:
            troubles.add(
                f"line {number}", f"found {line[place : place + 60].decode('utf-8', 'replace')!r}; expected an event", kind="events"
            )
        else:
            yield number, found


def _values(key: str, value: Any) -> list[tuple[str, float]]:
    """Return the numbers of an event: one, or several by name."""
    cells = flat({key: value})
    numbers = [(name, number_of(cell) if isinstance(cell, str) else cell) for name, cell in cells]
    return [(name, number) for name, number in numbers if number is not None]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


IMPORTER: Importer = MlPerf()
