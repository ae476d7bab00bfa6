"""Makes one RunLog of the recordings that belong together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from trainreport.importers.apart import gauges_apart, told_apart
from trainreport.importers.params import code_version_of, data_version_of
from trainreport.importers.restarts import mark_restarts
from trainreport.importers.scale import as_shares
from trainreport.model import schema
from trainreport.model.clock import nanoseconds
from trainreport.model.digest import sha256_of_file
from trainreport.model.run import Hardware, Problem, Run, RunLog, SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import pandas as pd

    from trainreport.importers.groups import Group, MachinePart
    from trainreport.importers.recording import Event, Recording

__all__ = ["LISTED_PROBLEMS", "run_log"]

LISTED_PROBLEMS = 100
"""Problems listed for each file; the rest is counted."""

T = TypeVar("T")


def run_log(group: Group, run_id: str, name: str, hashes: dict[Path, str]) -> RunLog:
    """Return the log of one run.

    Parameters
    ----------
    group : Group
    run_id, name : str
    hashes : dict
        SHA-256 of files already hashed; filled up here, for a file may belong to several runs.
    """
    sources = gauges_apart([*told_apart(group.training), *(replace(part.recording, frame=_sliced(part)) for part in group.machine)])
    frame = schema.concat([one.frame for one in sources])
    frame = mark_restarts(as_shares(frame.assign(run=schema.one_label(run_id, len(frame)))))
    started, ended = _span(group, frame)
    params, tags = _merged(one.params for one in sources), _merged(one.tags for one in sources)
    run = Run(
        id=run_id,
        name=name,
        started_at=started,
        ended_at=ended,
        status=next((one.status for one in _latest(group) if one.status != "unknown"), "unknown"),
        params=params,
        tags=tags,
        hardware=_hardware([one.hardware for one in sources]),
        code_version=_first(one.code_version for one in sources) or code_version_of({**params, **tags}),
        data_version=_first(one.data_version for one in sources) or data_version_of({**params, **tags}),
        seed=_first(one.seed for one in sources),
        parent=_first(one.parent for one in sources),
        files=tuple(dict.fromkeys(_files(sources, hashes))),  # an hparams.yaml is read with each file beside it
        mappings=tuple(dict.fromkeys(mapping for one in sources for mapping in one.mappings)),
        joins=tuple(group.reasons),
    )
    problems = dict.fromkeys(problem for one in sources for problem in _folded(one.problems))
    return RunLog(run, frame, _events([*(event for one in sources for event in one.events), *group.events], run_id), tuple(problems))


def _latest(group: Group) -> list[Recording]:
    """Return what may say how the run ended: its own logs, then the jobs of a scheduler, the last first."""
    jobs = [part.recording for part in group.machine if part.recording.kind == "job"]
    return [*group.training, *sorted(jobs, key=lambda job: job.started_at.timestamp() if job.started_at else 0.0, reverse=True)]


def _folded(problems: Sequence[Problem]) -> list[Problem]:
    """Return the first problems of each file, and one that counts the rest: a file of garbage has one a record."""
    kept: list[Problem] = []
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem.file] += 1
        if seen[problem.file] <= LISTED_PROBLEMS:
            kept.append(problem)
    rest = [(file, count - LISTED_PROBLEMS) for file, count in seen.items() if count > LISTED_PROBLEMS]
    return kept + [Problem(file, "", f"and {more:,} more places like these could not be read") for file, more in rest]


def _sliced(part: MachinePart) -> pd.DataFrame:
    """Return the rows of a hardware log that belong to the run; rows without a time stay."""
    import numpy as np

    frame = part.recording.frame
    if part.from_s is None and part.to_s is None:
        return frame
    time = frame["time"].to_numpy(dtype="datetime64[ns]")
    seconds = np.where(np.isnat(time), np.nan, time.astype(np.int64) / 1e9)
    keep = ~(seconds < (-np.inf if part.from_s is None else part.from_s)) & ~(seconds >= (np.inf if part.to_s is None else part.to_s))
    return frame[keep]


def _span(group: Group, frame: pd.DataFrame) -> tuple[datetime | None, datetime | None]:
    """Return the first and last sign of life of the training; of the hardware log where there is no other."""
    if group.training:
        known = [moment for one in group.training for moment in (one.started_at, one.ended_at) if moment is not None]
    else:
        times = frame["time"].dropna()
        known = [moment.to_pydatetime(warn=False) for moment in (times.min(), times.max())] if len(times) else []
    return min(known, default=None), max(known, default=None)


def _files(sources: Iterable[Recording], hashes: dict[Path, str]) -> Iterable[SourceFile]:
    for one in sources:
        for file in one.files:
            if file.path not in hashes:
                hashes[file.path] = sha256_of_file(file.path)
            yield SourceFile(
                file.name, hashes[file.path], file.path.stat().st_size, one.importer, file.rows_read, file.rows_skipped, file.clock
            )


def _events(events: Sequence[Event], run_id: str) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    if not events:
        return _no_events().copy(deep=False)
    seconds = np.array([np.nan if event.time_s is None else event.time_s for event in events], dtype=np.float64)
    columns: dict[str, Any] = {
        "run": [run_id] * len(events),
        "time": nanoseconds(seconds).view("datetime64[ns]"),
        "step": [event.step for event in events],
        "level": [event.level for event in events],
        "kind": [event.kind for event in events],
        "message": [event.message for event in events],
        "file": [event.file for event in events],
        "line": [event.line for event in events],
    }
    return pd.DataFrame({name: pd.array(columns[name], dtype=dtype) for name, dtype in schema.EVENT_COLUMNS.items()}, copy=False)


@cache
def _no_events() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: pd.array([], dtype=dtype) for name, dtype in schema.EVENT_COLUMNS.items()}, copy=False)


def _hardware(known: list[Hardware]) -> Hardware:
    return Hardware(
        gpu_model=_first(one.gpu_model for one in known),
        gpu_count=_first(one.gpu_count for one in known),
        node_count=_first(one.node_count for one in known),
        gpu_memory_bytes=_first(one.gpu_memory_bytes for one in known),
    )


def _merged(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return all entries; of two with one key the first stays."""
    merged: dict[str, str] = {}
    for table in tables:
        for key, value in table.items():
            merged.setdefault(key, value)
    return merged


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)
