"""W&B's table of runs as CSV, from its pages or from ``wandb.Api().runs``: config and the last value of each metric."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.runs_table import is_measured
from trainreport.importers.params import code_version_of, data_version_of, seed_of
from trainreport.importers.points import NO_STEP, Points
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.tables.cells import Cells, number_text, rows_of
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.wandb_store.exported import span_of_row, table_of
from trainreport.importers.wandb_store.facts import flat
from trainreport.importers.wandb_store.history import numbers_of
from trainreport.importers.wandb_store.identity import keys_of, latest, named

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.model.run import Status

_UI = frozenset({"Name", "Runtime"})
_UI_MORE = frozenset({"State", "Created", "ID", "Tags", "Notes"})
_API = (
    {"_wandb", "name"},
    {"_wandb", "run_name"},
    {"_step", "_runtime", "_timestamp"},
    {"summary", "config", "name"},
    {"run_name", "wandb_project"},
)
_ABOUT = frozenset({
    "Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep", "End Time", "ID", "Updated", "Group", "Job Type", "Commit",
    "GitHub", "Hostname", "Description", "GPU Type", "GPU Count", "OS", "Python Version", "name", "state", "tags", "createdAt",
    "created_at", "id", "run_id", "run_name", "url", "group", "job_type", "_wandb", "_step", "_runtime", "_timestamp", "summary", "config",
    "notes", "user", "", "column 1", "Unnamed: 0",
})  # fmt: skip
_STATUS: dict[str, Status] = {
    "finished": "finished", "failed": "failed", "crashed": "failed", "killed": "killed", "preempted": "killed", "running": "running",
}  # fmt: skip


class WandbCsv:
    """Reads one run a row."""

    name = "wandb-csv"
    title = "Weights & Biases table of runs as CSV, from its pages or its API (last values only)"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is that of W&B's table of runs."""
        header = header_of(head)
        if header is None:
            return False
        names = frozenset(header.names)
        return (names >= _UI and bool(_UI_MORE & names)) or any(wanted <= names for wanted in _API)

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, in the order of the file."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles, multiline=True)
        rows = latest(rows_of(table))
        if not rows:
            raise InputError("a table of W&B runs without a row")
        measured = {name for name in table.columns if name not in _ABOUT and is_measured(name) and table.columns[name].is_numeric}
        found = [_recording(source, row, measured, key) for row, key in zip(rows, keys_of(source, rows), strict=True)]
        told = (
            f"W&B's table does not tell metrics from config; taken as metrics by name and content: {', '.join(sorted(measured)) or 'none'}"
        )
        first = found[0]
        notices = (*events, Event("notice", told, file=source.name), Event("notice", _LAST_ONLY, file=source.name))
        return (replace(first, events=(*notices, *first.events), problems=troubles.all()), *found[1:])


_LAST_ONLY = "the table holds the last value of each metric only; curves need run-*.wandb or a CSV export of a panel"


def _recording(source: Source, row: Cells, measured: set[str], key: str) -> Recording:
    values = {name: value for name, value in row.numbers.items() if name in measured}
    summary, config = (table_of(row.texts.get(name, "")) for name in ("summary", "config"))
    values.update({name: value for name, value in numbers_of(summary) if not name.startswith("_")})
    params = _params(row, measured) | flat(config)
    started, ended = span_of_row(row)
    step = row.number("_step")
    points = Points()
    points.row(values, NO_STEP if step is None or abs(step) > 2**62 else int(step), nan if ended is None else ended.timestamp())
    tags = {
        f"wandb.{name.lower()}": text
        for name in ("Group", "group", "Sweep", "Tags", "tags", "Notes", "User", "url")
        if (text := row.text(name))
    }
    return Recording(
        importer="wandb",
        kind="training",
        key=key,
        name=named(row),
        frame=points.frame(source.name),
        files=(FileRead(source.path, source.name, len(values), clock="UTC, as written" if started else "no times"),),
        folder=source.folder,
        mappings=mappings_of(*points.meanings),
        started_at=started,
        ended_at=ended,
        status=_STATUS.get(row.text("State", "state").lower(), "unknown"),
        params=params,
        tags=tags,
        code_version=row.text("Commit") or code_version_of(params),
        data_version=data_version_of(params),
        seed=seed_of(params),
    )


def _params(row: Cells, measured: set[str]) -> dict[str, str]:
    """Return what is neither a metric nor about the run: config, and what the process could not be told from it."""
    texts = {key: text for key, text in row.texts.items() if key not in _ABOUT and not text.startswith("{'_type'")}
    return texts | {key: number_text(value) for key, value in row.numbers.items() if key not in _ABOUT and key not in measured}


IMPORTER: Importer = WandbCsv()
