"""Neptune as neptune-exporter writes it: one parquet of attributes for each run, in parts."""

from __future__ import annotations

from datetime import UTC
from math import nan
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.params import code_version_of, data_version_of, seed_of
from trainreport.importers.points import NO_STEP, Points
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.tables.parquet import parquet_names
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from trainreport.model.run import Status

_NEEDED = frozenset({"project_id", "run_id", "attribute_path", "attribute_type", "step", "timestamp", "float_value", "string_value"})
_CONFIG = {"float": "float_value", "int": "int_value", "string": "string_value", "bool": "bool_value", "datetime": "datetime_value"}
_COLUMNS = ("run_id", "project_id", "attribute_path", "attribute_type", "step", "timestamp", *_CONFIG.values(), "string_set_value")
_MOST_TEXTS, _LONGEST_TEXT, _AT_ONCE = 500, 1000, 1 << 16
_STATUS: dict[str, Status] = {"idle": "finished", "inactive": "finished", "running": "running", "active": "running"}


class Neptune:
    """Reads series and configs; files and histograms are passed over."""

    name = "neptune"
    title = "Neptune (parquet of neptune-exporter): series and configs of each run"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a parquet with the exporter's columns."""
        return head.startswith(b"PAR1") and frozenset(parquet_names(path)) >= _NEEDED

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs; the exporter writes one a file."""
        import pyarrow as pa

        runs: dict[str, _Run] = {}
        problems: list[Problem] = []
        try:
            for batch in _batches(source.path):
                for row in batch:
                    run_id = row["run_id"]
                    if run_id is not None:
                        runs.setdefault(run_id, _Run()).take(row)
        except (pa.ArrowException, OSError, ValueError) as error:
            problems.append(Problem(source.name, "", f"not read to its end: {str(error)[:200]}"))
        if not runs:
            raise InputError(problems[0].what if problems else "no attribute of a run in it")
        return tuple(one.recording(source, run_id, problems) for run_id, one in runs.items())


def _batches(path: Path) -> Iterator[list[dict[str, Any]]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        for batch in file.iter_batches(_AT_ONCE, columns=columns):
            yield batch.to_pylist()


class _Run:
    """Gathers one run."""

    def __init__(self) -> None:
        self.points = Points()
        self.config: dict[str, Any] = {}
        self.events: list[Event] = []
        self.project = ""
        self.passed_over = 0
        self.not_whole = 0

    def take(self, row: dict[str, Any]) -> None:
        """Take one attribute, or one point of a series."""
        path, kind = row["attribute_path"] or "", row["attribute_type"]
        self.project = self.project or row.get("project_id") or ""
        moment = row["timestamp"]
        time_s = nan if moment is None else moment.timestamp()
        if kind == "float_series" and row["float_value"] is not None:
            self.points.put(self.points.code(path), row["float_value"])
            self.points.end_row(self._step(row["step"]), time_s)
        elif kind == "string_series" and row["string_value"] is not None and len(self.events) < _MOST_TEXTS:
            text = f"{path}: {row['string_value']}"[:_LONGEST_TEXT]
            level = "warning" if path.endswith("stderr") else "info"
            self.events.append(Event("text", text, None if moment is None else time_s, level=level))
        elif kind in _CONFIG:
            self.config[path] = row.get(_CONFIG[kind])
        elif kind == "string_set":
            self.config[path] = ", ".join(row.get("string_set_value") or [])
        else:
            self.passed_over += 1

    def _step(self, step: Any) -> int:
        """Return a whole step; Neptune's may have decimals, and then it is not the step of an optimizer."""
        if step is None or step != int(step):
            self.not_whole += step is not None
            return NO_STEP
        return int(step)

    def recording(self, source: Source, run_id: str, problems: list[Problem]) -> Recording:
        """Return the recording."""
        started, ended = self.points.span()
        own = {key: value for key, value in self.config.items() if key.startswith("sys/") and value is not None}
        params = {
            key: str(value) for key, value in self.config.items() if not key.startswith(("sys/", "source_code/")) and value is not None
        }
        created: datetime | None = own.get("sys/creation_time")
        if created is not None and created.tzinfo is not None:
            started = min(one for one in (created.astimezone(UTC), started) if one is not None)
        failed = str(own.get("sys/failed", "")).lower() == "true"
        name = str(own.get("sys/name") or own.get("sys/custom_run_id") or run_id)
        told = [f"{self.not_whole:,} points have steps with decimals; kept without a step"] if self.not_whole else []
        told += [f"{self.passed_over:,} files and histograms passed over"] if self.passed_over else []
        notices = [Event("notice", one, file=source.name) for one in told]
        return Recording(
            importer="neptune",
            kind="training",
            key=run_id,
            name=name,
            frame=self.points.frame(source.name),
            files=(FileRead(source.path, source.name, len(self.points), clock="UTC, as written"),),
            folder=source.folder,
            mappings=mappings_of(*self.points.meanings),
            problems=tuple(problems),
            events=(*self.events, *notices),
            started_at=started,
            ended_at=ended,
            status="failed" if failed else _STATUS.get(str(own.get("sys/state", "")).lower(), "unknown"),
            params=params,
            tags={"neptune.project": self.project, **{f"neptune.{key}": str(value) for key, value in own.items()}},
            code_version=str(self.config.get("source_code/git/commit_id") or "") or code_version_of(params),
            data_version=data_version_of(params),
            seed=seed_of(params),
        )


IMPORTER: Importer = Neptune()
