"""Offline archives of Comet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.params import code_version_of, params_of_json, seed_of
from trainreport.importers.tables.archive import member, members
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.records import objects_in_lines
from trainreport.importers.tables.rows import Row, recording_of_points
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_MESSAGES, _EXPERIMENT = "messages.json", "experiment.json"
_OF_COMET = frozenset({"curr_step", "curr_epoch"})
_NAN = float("nan")


class Comet:
    """Reads the messages that would have been sent: metrics, parameters, and what the experiment is called."""

    name = "comet"
    title = "Comet offline archives (zip with messages.json)"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is an archive with the messages of an experiment."""
        return {_MESSAGES, _EXPERIMENT} <= members(path, head)

    def read(self, source: Source) -> Recording:
        """Read all messages; a metric has no time of its own unless the version of Comet wrote one."""
        troubles = Troubles(source)
        try:
            experiment = json.loads(member(source.path, _EXPERIMENT))
        except (ValueError, RecursionError):
            experiment = {}
            troubles.add(_EXPERIMENT, "no readable JSON; the beginning and the end of the run are not known")
        experiment = experiment if isinstance(experiment, dict) else {}
        rows, params, others = _messages(source, troubles)
        if not rows:
            raise InputError("a Comet archive without a metric")
        given = params_of_json(json.dumps({name: value for name, value in params.items() if name not in _OF_COMET}))
        run = str(experiment.get("offline_id") or source.path.stem)
        told = params_of_json(json.dumps({"comet.project": experiment.get("project_name"), **others}))
        return recording_of_points(
            self.name, source, rows, troubles, key=run, name=str(others.get("Name") or run), params=given, seed=seed_of(given),
            tags=told, code_version=code_version_of(told), **_span(experiment),
        )  # fmt: skip


def _messages(source: Source, troubles: Troubles) -> tuple[list[Row], dict[str, Any], dict[str, Any]]:
    """Return metrics, parameters and other facts."""
    rows: list[Row] = []
    params: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for line, message in objects_in_lines(member(source.path, _MESSAGES), troubles):
        payload, kind = message.get("payload"), message.get("type")
        row = _row(payload) if kind == "metric_msg" and isinstance(payload, dict) else None
        if row is not None:
            rows.append(row)
        elif kind == "metric_msg" or not isinstance(payload, dict):
            troubles.add(f"{_MESSAGES}, line {line}", f"found {str(payload)[:80]}; expected a metric with a value", kind="messages")
        elif kind == "parameter_msg" and isinstance(payload.get("param"), dict):
            params[str(payload["param"].get("paramName"))] = payload["param"].get("paramValue")
        elif kind == "log_other":
            others[str(payload.get("key"))] = payload.get("value")
    return rows, params, others


def _span(experiment: dict[str, Any]) -> dict[str, Any]:
    """Return the beginning and the end of the run, where they were written."""
    written = ((field, experiment.get(key)) for field, key in (("started_at", "start_time"), ("ended_at", "stop_time")))
    moments = ((field, from_epoch_seconds(millis / 1000)) for field, millis in written if isinstance(millis, int | float))
    return {field: moment for field, moment in moments if moment is not None}


def _row(payload: dict[str, Any]) -> Row | None:
    metric = payload.get("metric")
    if not isinstance(metric, dict) or "metricName" not in metric:
        return None
    try:
        value = float(metric["metricValue"])
        step, epoch, millis = (
            _NAN if one is None else float(one) for one in (metric.get("step"), metric.get("epoch"), payload.get("local_timestamp"))
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    context = f"{payload['context']}_" if payload.get("context") in ("train", "validate", "test") else ""
    return Row(f"{context}{metric['metricName']}", value, step, epoch, millis / 1000)


IMPORTER: Importer = Comet()
