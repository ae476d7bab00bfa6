"""What every MLflow source tells of a run, and the recording that it makes."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainreport.errors import StrictError
from trainreport.importers.mlflow_store.frames import frame_of_points
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN
from trainreport.importers.params import seed_of
from trainreport.importers.recording import Event, Recording, mappings_of
from trainreport.model import clock
from trainreport.model.series import interpret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import pandas as pd

    from trainreport.importers.mlflow_store.metrics import Points
    from trainreport.importers.recording import FileRead, Source
    from trainreport.model.run import Problem, Status

__all__ = ["CLOCK", "Told", "instant", "last_only", "recording_of"]

CLOCK = "UTC, written as epoch milliseconds"

# RunStatus of mlflow/protos/service.proto, as a number (file store) or as its name.
_STATUS: dict[str, Status] = {
    "1": "running", "2": "unknown", "3": "finished", "4": "failed", "5": "killed",
    "RUNNING": "running", "SCHEDULED": "unknown", "FINISHED": "finished", "FAILED": "failed", "KILLED": "killed",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one source says of a run besides its numbers; None where it says nothing."""

    run_id: str
    name: str | None = None
    status: str | None = None
    """As written: a number or a word of MLflow's RunStatus."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    deleted: str = ""
    """Why the run does not count, in words; empty where it was not deleted."""
    deleted_at: datetime | None = None
    experiment_id: str | None = None
    experiment: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    datasets: frozenset[str] = frozenset()
    """``name@digest`` of what the run read."""
    source_version: str | None = None


def recording_of(
    told: Told,
    source: Source,
    names: Sequence[str],
    points: Points,
    *,
    metric_files: Sequence[str] = (),
    files: tuple[FileRead, ...],
    covers: tuple[str, ...] = (),
    problems: Sequence[Problem] = (),
    events: tuple[Event, ...] = (),
) -> Recording:
    """Return the recording of one run.

    Parameters
    ----------
    told : Told
    source : Source
    names : sequence of str
        The metrics, each once.
    points : Points
        The points of each metric, one after the other.
    metric_files : sequence of str, optional
        The file of each metric; without it all lie in `source`.
    files, covers, problems, events
        As in `Recording`.

    Raises
    ------
    StrictError
        If there is a problem and ``source.strict``.
    """
    frame, odd = frame_of_points(names, metric_files or source.name, points)
    everything = (*problems, *points.problems, *odd)
    if source.strict and everything:
        first = everything[0]
        raise StrictError(f"{first.file}: {first.place + ': ' if first.place else ''}{first.what}")
    started_at, ended_at = _span(told, frame)
    tags = _tags(told)
    return Recording(
        importer="mlflow",  # of whatever source: `join` never takes two MLflow runs for one run of two tools
        kind="training",
        key=told.run_id,
        name=told.name or tags.get("mlflow.runName", "").strip() or told.run_id,
        frame=frame,
        files=files,
        folder=source.folder,
        covers=covers,
        mappings=mappings_of(names, [interpret(name) for name in names]),
        problems=everything,
        events=(*events, *_deleted(told, source)),
        started_at=started_at,
        ended_at=ended_at,
        status=_STATUS.get((told.status or "").upper(), "unknown"),
        params=told.params,
        tags=tags,
        code_version=_text(tags, "mlflow.source.git.commit") or told.source_version,
        data_version=_data_version(told.datasets or points.digests, tags),
        seed=seed_of(told.params),
        parent=_text(tags, "mlflow.parentRunId"),
    )


def instant(millis: str | int | None) -> datetime | None:
    """Return the instant of epoch milliseconds, None where nothing plausible is written."""
    with suppress(ValueError, OverflowError):
        return clock.from_epoch_seconds(int(millis or "") / 1000)
    return None


def last_only(points: Points, source: Source) -> tuple[Event, ...]:
    """Return the notice that an export without steps holds no curves; nothing where there are steps or no points."""
    if not len(points.steps) or (points.steps != NOT_KNOWN).any():
        return ()
    return (Event("notice", "the export holds the last value of each metric only; curves need the store itself", file=source.name),)


def _span(told: Told, frame: pd.DataFrame) -> tuple[datetime | None, datetime | None]:
    """Return start and end as told; the last point stands for the end of a run that never said that it ended."""
    if told.started_at is not None and told.ended_at is not None:
        return told.started_at, told.ended_at
    times = frame["time"].dropna()
    if not len(times):
        return told.started_at, told.ended_at
    first, last = (moment.to_pydatetime(warn=False) for moment in (times.min(), times.max()))
    return told.started_at or first, told.ended_at or last


def _tags(told: Told) -> dict[str, str]:
    """Return the tags, and as tags what experiment the run belongs to and whether it was deleted."""
    own = {"mlflow.experiment": told.experiment, "mlflow.experiment_id": told.experiment_id, "lifecycle_stage": told.deleted and "deleted"}
    return {**told.tags, **{key: text for key, text in own.items() if text}}


def _deleted(told: Told, source: Source) -> tuple[Event, ...]:
    if not told.deleted:
        return ()
    moment = told.deleted_at.timestamp() if told.deleted_at else None
    return (Event("deleted", told.deleted, moment, level="warning", file=source.name),)


def _data_version(datasets: frozenset[str], tags: Mapping[str, str]) -> str | None:
    if datasets:
        return ", ".join(sorted(datasets))
    told = (text.strip() for key, text in sorted(tags.items()) if re.fullmatch(r"mlflow\.data(?:set)?s?\.(?:digest|version)", key))
    return next((text for text in told if text), None)


def _text(texts: Mapping[str, str], key: str) -> str | None:
    return texts.get(key, "").strip() or None
