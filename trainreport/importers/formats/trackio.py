"""Databases of Trackio, Hugging Face's local tracker: one a project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError, UsageError
from trainreport.importers.mlflow_store.database import HEADER, Database, text
from trainreport.importers.params import params_of_json, seed_of
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import flat
from trainreport.importers.tables.rows import Row, recording_of_points
from trainreport.importers.tables.table import number_of
from trainreport.model.clock import parse_instant

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_NEEDED = {"run_name", "timestamp", "step", "metrics"}


class Trackio:
    """Reads the numbers of each run and of the machine beside it; the database is opened read-only, as it lies there."""

    name = "trackio"
    title = "Trackio: the database of a project, one run or more"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is a SQLite file with Trackio's table of metrics."""
        if not head.startswith(HEADER):
            return False
        try:
            with Database(path, path.name) as database:
                return set(database.tables.get("metrics", ())) >= _NEEDED
        except InputError:
            return False

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, by their name."""
        troubles = Troubles(source)
        points: dict[str, list[Row]] = {}
        names: dict[str, str] = {}
        with Database(source.path, source.name) as database:
            for table in ("metrics", "system_metrics"):
                for run_id, run_name, written, step, metrics in database.rows(
                    table, ("run_id", "run_name", "timestamp", "step", "metrics")
                ):
                    run = text(run_id) or text(run_name) or "run"
                    names.setdefault(run, text(run_name) or run)
                    rows = _rows(text(metrics) or "", _seconds(text(written)), step, prefix="system/" if table != "metrics" else "")
                    if rows is None:
                        troubles.add(f"table {table}", f"a row of run {names[run]!r} is no JSON object", kind=table)
                    else:
                        points.setdefault(run, []).extend(rows)
            given = {
                text(run_id) or text(run_name) or "run": params_of_json(text(config) or "")
                for run_id, run_name, config in database.rows("configs", ("run_id", "run_name", "config"))
            }
            problems = tuple(database.problems)
        if not points:
            raise InputError("a Trackio database without a number")
        found: list[Recording] = []
        for run, rows in sorted(points.items(), key=lambda one: names[one[0]]):
            params = {name: value for name, value in given.get(run, {}).items() if not name.startswith("_")}
            one = recording_of_points(
                self.name, source, rows, troubles if not found else Troubles(source), clock="UTC, from the offset written",
                key=f"{source.path.stem}/{names[run]}" if len({*names.values()}) == len(names) else f"{source.path.stem}/{run}",
                name=names[run], params=params, seed=seed_of(params), problems=problems if not found else (),
            )  # fmt: skip
            found.append(one)
        return tuple(found)


def _rows(written: str, time_s: float, step: Any, prefix: str) -> list[Row] | None:
    """Return the numbers of a row; not finite ones are written as text."""
    try:
        metrics = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(metrics, dict):
        return None
    at = float(step) if isinstance(step, int) else float("nan")
    numbers = ((name, number_of(cell) if isinstance(cell, str) else cell) for name, cell in flat(metrics))
    return [Row(f"{prefix}{name}", number, at, time_s=time_s) for name, number in numbers if number is not None]


def _seconds(written: str | None) -> float:
    try:
        return parse_instant(written or "").timestamp()
    except UsageError:
        return float("nan")


IMPORTER: Importer = Trackio()
