"""The text of a CSV with one MLflow run a row: which columns it has, and what each row holds."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.params import is_something
from trainreport.model.run import Problem
from trainreport.model.series import direction, interpret

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Table", "is_measured", "layout_of", "read_table"]

LONGEST = 256 * 1024 * 1024

# What the columns about the run itself are called by search_runs, and by MLflow's UI.
_ABOUT = {
    "run_id": "run_id", "experiment_id": "experiment_id", "status": "status", "artifact_uri": "artifact_uri",
    "start_time": "start", "end_time": "end", "run_name": "name",
}  # fmt: skip
_ABOUT_UI = {
    "Run ID": "run_id", "Experiment ID": "experiment_id", "Experiment Name": "experiment", "Status": "status", "Name": "name",
    "Run Name": "name", "Start Time": "start", "Duration": "duration", "User": "mlflow.user", "Source Type": "mlflow.source.type",
    "Source Name": "mlflow.source.name",
}  # fmt: skip
_NEEDED = ({"run_id", "experiment_id", "status"}, {"Run ID", "Start Time", "Duration"})

# Words of names that are measured, and of names that are set although they have such a word in them.
_MEASURED = frozenset({"latency", "duration", "runtime", "elapsed", "throughput", "best", "final", "score", "time", "std"})
_CHOSEN = frozenset(
    {"weight", "weights", "coef", "coefficient", "lambda", "threshold", "patience", "smoothing", "function", "fn", "seed", "limit"}
)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table of runs, and what each column is."""

    header: list[str]
    rows: list[tuple[int, list[str]]]
    """Each with its line."""
    about: dict[str, int]
    """Place of each column about the run itself, under one name whatever the tool calls it."""
    metrics: dict[int, str]
    params: dict[int, str]
    tags: dict[int, str]
    problems: tuple[Problem, ...]
    guessed: bool
    """The names have no prefix, so that metrics and params were told apart by name and content."""


def layout_of(head: bytes) -> tuple[str, dict[str, str]] | None:
    """Return the delimiter and the names of columns about the run, from the beginning of a file; None if it is another table."""
    first = head.decode("utf-8-sig", "replace").splitlines()[:1]
    for delimiter in ",;\t":
        names = set(next(csv.reader(first, delimiter=delimiter), []))
        for needed, about in zip(_NEEDED, (_ABOUT, _ABOUT_UI), strict=True):
            if needed <= names:
                return delimiter, about
    return None


def read_table(path: Path, name: str) -> Table:
    """Read the whole table.

    Raises
    ------
    InputError
        If it is none.
    """
    if path.stat().st_size > LONGEST:
        raise InputError(f"{name}: longer than {LONGEST} bytes; expected a table with one run a row")
    content = path.read_bytes()
    layout = layout_of(content[:65_536])
    if layout is None:
        raise InputError(f"{name}: no table of MLflow runs; expected columns such as run_id, experiment_id and status")
    delimiter, known = layout
    header, rows, problems = _split(content.decode("utf-8-sig", "replace"), delimiter, name)
    about = {known[column]: place for place, column in reversed(list(enumerate(header))) if column in known}
    others = {place: column for place, column in enumerate(header) if place not in about.values() and column}
    prefixed = any(column.startswith(("metrics.", "params.", "tags.")) for column in others.values())
    metrics, params, tags = _by_prefix(others) if prefixed else _by_content(others, rows)
    return Table(header, rows, about, metrics, params, tags, tuple(problems), guessed=not prefixed and bool(metrics or params))


def _split(text: str, delimiter: str, file: str) -> tuple[list[str], list[tuple[int, list[str]]], list[Problem]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next(reader, [])
    rows, problems = [], []
    try:
        for cells in reader:
            if len(cells) == len(header):
                rows.append((reader.line_num, cells))
            elif any(cells):
                problems.append(Problem(file, f"line {reader.line_num}", f"{len(cells)} cells; expected {len(header)}"))
    except csv.Error as error:
        problems.append(Problem(file, f"line {reader.line_num}", f"{error}; the lines below it were not read"))
    return header, rows, problems


def _by_prefix(columns: dict[int, str]) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """Sort columns by their prefix; one without is something that was added, kept as a tag."""
    metrics, params, tags = (
        {place: column.removeprefix(prefix) for place, column in columns.items() if column.startswith(prefix)}
        for prefix in ("metrics.", "params.", "tags.")
    )
    added = {place: column for place, column in columns.items() if place not in {*metrics, *params, *tags}}
    return metrics, params, {**tags, **added}


def _by_content(columns: dict[int, str], rows: Sequence[tuple[int, list[str]]]) -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """Sort columns without prefixes: numbers with a name that is measured are metrics; tags come last, from MLflow's own on."""
    first_tag = min((place for place, column in columns.items() if column.startswith("mlflow.")), default=len(columns) + 100)
    metrics = {
        place: column
        for place, column in columns.items()
        if place < first_tag and is_measured(column) and all(_is_number(cells[place]) for _, cells in rows)
    }
    params = {place: column for place, column in columns.items() if place < first_tag and place not in metrics}
    return metrics, params, {place: column for place, column in columns.items() if place >= first_tag}


def is_measured(name: str) -> bool:
    """Return whether a column is something that is measured, by its name, and not something that is set."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    if words[-2:] == ["per", "second"]:
        return True
    if _CHOSEN.intersection(words):
        return False
    meanings = [interpret(word) for word in (name, *words)]
    return bool(_MEASURED.intersection(words)) or any(direction(one.series) or one.phase == "system" for one in meanings)


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number or empty."""
    if not is_something(cell):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True
