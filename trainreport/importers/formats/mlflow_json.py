"""Runs as JSON: mlflow-export-import's ``run.json`` of every version, and what MLflow's REST API answers for a run."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.mlflow_store.facts import CLOCK, Told, instant, last_only, recording_of
from trainreport.importers.mlflow_store.frames import as_logged
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, Points
from trainreport.importers.recording import FileRead, Importer, Recording, Source
from trainreport.importers.tables.records import object_of
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

LONGEST = 256 * 1024 * 1024
_INFO = re.compile(rb'"info"\s*:\s*\{[^{}]*"run_(?:id|uuid)"\s*:')

Point = tuple[int, float, int]


class MlflowJson:
    """Reads one run from JSON, with the whole history of its metrics where the export has it."""

    name = "mlflow-json"
    title = "MLflow runs as JSON: run.json of mlflow-export-import (folders too), answers of the REST API"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the JSON begins with the info of a run."""
        return head.lstrip().startswith(b"{") and _INFO.search(head) is not None

    def read(self, source: Source) -> Recording:
        """Read the run that the file describes."""
        run = _run_in(_load(source.path, source.name), source.name)
        info, data = run["info"], object_of(run.get("data")) or run
        names, points, problems = _points(data.get("metrics"), source.name)
        experiment, beside = _experiment(source)
        return recording_of(
            Told(
                run_id=_text(info, "run_id") or _text(info, "run_uuid") or "",
                name=_text(info, "run_name") or _text(info, "name"),
                status=_text(info, "status"),
                started_at=instant(_text(info, "start_time")),
                ended_at=instant(_text(info, "end_time")),
                deleted="the run was deleted in MLflow before it was exported" if _text(info, "lifecycle_stage") == "deleted" else "",
                experiment_id=_text(info, "experiment_id"),
                experiment=experiment,
                params=_texts(data.get("params")),
                tags=_texts(data.get("tags")),
                datasets=_datasets(run),
                source_version=_text(info, "source_version"),
            ),
            source,
            names,
            points,
            files=(FileRead(source.path, source.name, len(points.values), len(problems), CLOCK), *beside),
            covers=(source.name, *(read.name for read in beside)),
            problems=problems,
            events=last_only(points, source),
        )


def _load(path: Path, name: str) -> Any:
    if path.stat().st_size > LONGEST:
        raise InputError(f"{name}: longer than {LONGEST} bytes; expected the export of one run")
    try:
        return json.loads(path.read_text(encoding="utf-8-sig", errors="replace"), strict=False)  # exports have line ends within texts
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: no JSON ({error}); expected the export of one run") from None


def _run_in(loaded: Any, name: str) -> dict[str, Any]:
    """Return the object that holds ``info``: at the top, or under ``mlflow`` (exports) or ``run`` (REST)."""
    top = object_of(loaded)
    for candidate in (object_of(top.get("mlflow")), object_of(top.get("run")), top):
        info = object_of(candidate.get("info"))
        if _text(info, "run_id") or _text(info, "run_uuid"):
            return {**candidate, "info": info}
    raise InputError(f"{name}: no run in it; expected an object 'info' with a run_id")


def _points(metrics: Any, file: str) -> tuple[list[str], Points, list[Problem]]:
    """Return the metrics by name, their points, and what could not be read."""
    import numpy as np

    problems: list[Problem] = []
    found: dict[str, list[Point]] = {}
    for name, entry in _entries(metrics):
        point = _point(entry)
        if point is None:
            problems.append(Problem(file, f"metric {name}", f"found {str(entry)[:60]}; expected a number, or value, timestamp and step"))
        else:
            found.setdefault(name, []).append(point)
    names = sorted(found)
    rows = [point for name in names for point in found[name]]
    return (
        names,
        Points(
            np.array([len(found[name]) for name in names], dtype=np.int64),
            np.array([row[0] for row in rows], dtype=np.int64),
            as_logged(np.array([row[1] for row in rows], dtype=np.float64)),
            np.array([row[2] for row in rows], dtype=np.int64),
        ),
        problems,
    )


def _entries(metrics: Any) -> Iterable[tuple[str, Any]]:
    """Yield each point with its metric: of a mapping by name (exports), or of a list of objects with a key (REST)."""
    if isinstance(metrics, list):
        yield from ((str(one.get("key")), one) for one in metrics if isinstance(one, dict))
    for name, value in object_of(metrics).items():
        yield from ((name, one) for one in (value if isinstance(value, list) else [value]))


def _point(entry: Any) -> Point | None:
    """Return (milliseconds, value, step), None where there is no number."""
    parts = entry if isinstance(entry, dict) else {"value": entry}
    try:
        value = float(parts["value"])  # MLflow's REST API writes NaN and infinities as texts
        millis, step = (_whole(parts.get(key)) for key in ("timestamp", "step"))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return millis, value, step


def _whole(value: Any) -> int:
    if value is None:
        return NOT_KNOWN
    number = int(value)
    if (isinstance(value, float) and number != value) or abs(number) >= 2**63:
        raise ValueError
    return number


def _texts(given: Any) -> dict[str, str]:
    """Return params or tags: a mapping (exports), or a list of key and value (REST)."""
    pairs = (
        [(one.get("key"), one.get("value")) for one in given if isinstance(one, dict)]
        if isinstance(given, list)
        else object_of(given).items()
    )
    return {str(key): "" if value is None else str(value) for key, value in pairs}


def _datasets(run: Mapping[str, Any]) -> frozenset[str]:
    inputs = object_of(run.get("inputs")).get("dataset_inputs")
    datasets = [object_of(object_of(one).get("dataset")) for one in inputs] if isinstance(inputs, list) else []
    return frozenset(f"{_text(one, 'name')}@{digest}" for one in datasets if (digest := _text(one, "digest")))


def _experiment(source: Source) -> tuple[str | None, tuple[FileRead, ...]]:
    """Return the name of the experiment from the export's folder: beside the run's folder, or beside ``runs``."""
    parts = source.name.split("/")[:-1]
    for up in (1, 2):
        if len(parts) < up:
            break
        name = "/".join([*parts[:-up], "experiment.json"])
        path = source.path.parents[up] / "experiment.json"
        if path.is_file() and not path.is_symlink():
            with suppress(InputError):  # then it is listed as what it is, a file that cannot be read
                top = object_of(_load(path, name))
                told = object_of(object_of(top.get("mlflow")).get("experiment")) or object_of(top.get("experiment"))
                return _text(told, "name"), (FileRead(path, name, 0, clock=""),)
    return None, ()


def _text(values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    return None if value is None or isinstance(value, dict | list) else str(value).strip() or None


IMPORTER: Importer = MlflowJson()
