"""Offline sessions of ClearML: a zip, or the folder that it is made of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.params import params_of_json, seed_of
from trainreport.importers.recording import FileRead, Importer, Recording, Source
from trainreport.importers.tables.archive import member, members
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.records import object_of, objects_in_lines
from trainreport.importers.tables.rows import Row, file_key, recording_of_points

if TYPE_CHECKING:
    from pathlib import Path

_METRICS, _TASK, _LOG = "metrics.jsonl", "task.json", "log.jsonl"
_SCALAR = "training_stats_scalar"
_STATUS = {"completed": "finished", "published": "finished", "failed": "failed", "stopped": "killed", "in_progress": "running"}


class ClearMl:
    """Reads the scalars that were reported: each has a metric, a variant, an iteration and a time."""

    name = "clearml"
    title = "ClearML offline sessions, zipped or not"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is a session's archive, or its events."""
        if head.lstrip().startswith(b"[{") and f'"{_SCALAR}"'.encode() in head:
            return True
        return {_METRICS, _TASK} <= members(path, head)

    def read(self, source: Source) -> Recording:
        """Read the events and what the task says of itself."""
        troubles = Troubles(source)
        zipped = source.path.read_bytes()[:2] == b"PK"
        content = member(source.path, _METRICS) if zipped else content_of(source)
        told, files = (member(source.path, _TASK), ()) if zipped else _beside(source)
        task = _object(told)
        rows = []
        for line, event in objects_in_lines(content, troubles):
            if event.get("type") != _SCALAR:
                continue
            row = _row(event)
            if row is None:
                troubles.add(f"line {line}", f"found {str(event)[:80]}; expected a value and an iteration", kind="events")
            else:
                rows.append(row)
        if not rows:
            raise InputError("a ClearML session that reported no scalar")
        params = _params(task)
        script = object_of(task.get("script"))
        key, name = file_key(source) if zipped else (source.folder, source.path.absolute().parent.name)
        return recording_of_points(
            self.name, source, rows, troubles, key=key, name=str(task.get("name") or name), params=params, seed=seed_of(params),
            tags={"clearml.project": str(task.get("project_name") or "")} if task.get("project_name") else {},
            status=_STATUS.get(str(task.get("status")), "unknown"), code_version=str(script.get("version_num") or "") or None,
            files=files, covers=tuple(file.name for file in files),
        )  # fmt: skip


def _row(event: dict[str, Any]) -> Row | None:
    """Return a scalar; its variant stands behind its metric, as ClearML shows both."""
    try:
        millis, step, value = float(event["timestamp"]), float(event["iter"]), float(event["value"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    metric, variant = str(event.get("metric") or ""), str(event.get("variant") or "")
    return Row(metric if variant in ("", metric) else f"{metric}/{variant}", value, step, time_s=millis / 1000)


def _beside(source: Source) -> tuple[bytes, tuple[FileRead, ...]]:
    """Return the task of a folder, and the files that are read with it."""
    found = []
    for name in (_TASK, _LOG):
        path = source.path.with_name(name)
        if path.is_file() and not path.is_symlink():
            found.append(FileRead(path, name if source.folder == "." else f"{source.folder}/{name}", 0, clock=""))
    told = [content_of(Source(one.path, one.name)) for one in found if one.path.name == _TASK]
    return (told[0] if told else b"{}"), tuple(found)


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return object_of(found)


def _params(task: dict[str, Any]) -> dict[str, str]:
    """Return what was connected; what stands in the section General has no prefix."""
    sections = object_of(task.get("hyperparams"))
    values = {
        name if section == "General" else f"{section}/{name}": one.get("value")
        for section, entries in sections.items()
        if isinstance(entries, dict)
        for name, one in entries.items()
        if isinstance(one, dict)
    }
    return params_of_json(json.dumps(values))


IMPORTER: Importer = ClearMl()
