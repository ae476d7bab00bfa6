"""MLflow's SQLite store (``mlflow.db``), of every schema version, without MLflow: all its runs, read-only."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.database import HEADER, Database, text
from trainreport.importers.mlflow_store.facts import CLOCK, Told, instant, recording_of
from trainreport.importers.mlflow_store.history import History, read_history
from trainreport.importers.mlflow_store.models import model_versions
from trainreport.importers.recording import FileRead, Importer, Recording, Source
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from pathlib import Path

_TABLES = frozenset({"experiments", "runs", "metrics"})
_BESIDE = ("-wal", "-shm", "-journal")
_NAMES = frozenset({"mlflow", "mlruns"})

# Columns of the first schema (0.9) that later versions, too, write as tags.
_AS_TAGS = {"user_id": "mlflow.user", "source_name": "mlflow.source.name", "source_type": "mlflow.source.type"}
_EXPERIMENT = ("experiment_id", "name", "lifecycle_stage")
_RUN = ("run_uuid", "name", "status", "start_time", "end_time", "lifecycle_stage", "deleted_time", "experiment_id", "source_version")


class MlflowSqlite:
    """Reads every run of a SQLite store as it lies there; artifacts are never opened."""

    name = "mlflow-sqlite"
    title = "MLflow SQLite store (mlflow.db) of every schema version: all runs, datasets, registered model versions"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is a SQLite file with MLflow's tables, or one that is named like it."""
        return head.startswith(HEADER) and (path.stem.lower() in _NAMES or _has_tables(path))

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, by their id."""
        with Database(source.path, source.name) as database:
            if not set(database.tables) >= _TABLES:
                raise InputError(f"{source.name}: a SQLite database without MLflow's tables{_log_beside(source)}")
            told = _runs(database)
            history = read_history(database)
            problems = (*_unmerged(source), *database.problems, *_orphans(history, told, source))
        if not told:
            raise InputError(f"{source.name}: {problems[0].what if problems else 'an MLflow store without runs'}")
        # What holds for the whole file is told once.
        return tuple(_recording(one, history, source, () if nth else problems) for nth, one in enumerate(told))


def _recording(told: Told, history: History, source: Source, problems: tuple[Problem, ...]) -> Recording:
    names, points = history.of(told.run_id)
    read = FileRead(source.path, source.name, len(points.values), clock=CLOCK)
    covers = tuple(f"{source.name}{end}" for end in _BESIDE)
    return recording_of(told, source, names, points, files=(read,), covers=covers, problems=problems)


def _runs(database: Database) -> list[Told]:
    """Return what the store says of each run, by run id."""
    experiments = {text(id_): (text(name), text(stage)) for id_, name, stage in database.rows("experiments", _EXPERIMENT)}
    params, tags = _texts(database, "params"), _texts(database, "tags")
    datasets, models = _datasets(database), model_versions(database)
    found = []
    for cells in database.rows("runs", (*_RUN, *_AS_TAGS)):
        row = dict(zip((*_RUN, *_AS_TAGS), (text(cell) for cell in cells), strict=True))
        run_id = row["run_uuid"] or ""
        experiment, stage = experiments.get(row["experiment_id"], (None, None))
        columns = {tag: value for column, tag in _AS_TAGS.items() if (value := row[column])}
        model = {"mlflow.registered_model": models[run_id]} if run_id in models else {}
        found.append(
            Told(
                run_id=run_id,
                name=row["name"] or None,
                status=row["status"],
                started_at=instant(row["start_time"]),
                ended_at=instant(row["end_time"]),
                deleted=_deleted(row["lifecycle_stage"], stage),
                deleted_at=instant(row["deleted_time"]),
                experiment_id=row["experiment_id"],
                experiment=experiment,
                params=params.get(run_id, {}),
                tags={**columns, **tags.get(run_id, {}), **model},
                datasets=frozenset(datasets.get(run_id, ())),
                source_version=row["source_version"] or None,
            )
        )
    return sorted(found, key=lambda one: one.run_id)


def _texts(database: Database, table: str) -> dict[str, dict[str, str]]:
    """Return the params or tags of each run."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for run, key, value in database.rows(table, ("run_uuid", "key", "value")):
        found[text(run) or ""][text(key) or ""] = text(value) or ""
    return {run: dict(sorted(texts.items())) for run, texts in found.items()}


def _datasets(database: Database) -> dict[str, set[str]]:
    """Return ``name@digest`` of what each run read (MLflow from 2.4)."""
    known = {
        text(id_): f"{text(name)}@{text(digest)}" for id_, name, digest in database.rows("datasets", ("dataset_uuid", "name", "digest"))
    }
    found: dict[str, set[str]] = defaultdict(set)
    for cells in database.rows("inputs", ("source_type", "source_id", "destination_type", "destination_id")):
        kind, dataset, reader, run = (text(cell) for cell in cells)
        if kind == "DATASET" and reader == "RUN" and dataset in known:
            found[run or ""].add(known[dataset])
    return found


def _deleted(stage: str | None, stage_of_experiment: str | None) -> str:
    if stage == "deleted":
        return "the run was deleted in MLflow; the database still has it"
    return "its experiment was deleted in MLflow; the database still has it" if stage_of_experiment == "deleted" else ""


def _orphans(history: History, told: list[Told], source: Source) -> list[Problem]:
    """Return a problem for each run that has points and no row in the table of runs."""
    lost = sorted(set(history.metrics) - {one.run_id for one in told})
    return [
        Problem(
            source.name, f"run {run[:64]}", f"{history.metrics[run][-1][2] - history.metrics[run][0][1]} points of a run that is not there"
        )
        for run in lost
    ]


def _unmerged(source: Source) -> list[Problem]:
    """Say what lies beside the database and belongs to it: it is read as it lies there, and nothing is merged."""
    beside = [source.path.with_name(source.path.name + end) for end in _BESIDE if end != "-shm"]  # which is an index of the log
    return [
        Problem(f"{source.name}{one.name.removeprefix(source.path.name)}", "", "changes not yet merged into the database; not read")
        for one in beside
        if one.is_file() and one.stat().st_size
    ]


def _log_beside(source: Source) -> str:
    return "".join(f"; {problem.file} beside it has {problem.what}" for problem in _unmerged(source))


def _has_tables(path: Path) -> bool:
    try:
        with Database(path, path.name) as database:
            return set(database.tables) >= _TABLES
    except (InputError, OSError):
        return False


IMPORTER: Importer = MlflowSqlite()
