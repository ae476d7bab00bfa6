"""The hparams plugin: the configuration of a session, its metrics, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trainreport.importers.tfevents.messages import SESSION_END, message_class

__all__ = ["Session", "session_of"]


@dataclass(frozen=True, slots=True)
class Session:
    """What one record of the plugin says."""

    params: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    is_start: bool = False
    end: str | None = None
    """``finished`` or ``failed``."""


def session_of(content: bytes) -> Session:
    """Return what the plugin's content says.

    Raises
    ------
    DecodeError
        If the bytes are no message of the plugin.
    """
    data = message_class("HParams").FromString(content)
    params = {_utf8(entry.key): _param(entry.value) for entry in data.session_start_info.hparams}
    told = {
        "hparams.experiment": _utf8(data.experiment.name),
        "hparams.description": _utf8(data.experiment.description),
        "hparams.user": _utf8(data.experiment.user),
        "hparams.metrics": ", ".join(_metric(metric.name) for metric in data.experiment.metric_infos),
        "hparams.group": _utf8(data.session_start_info.group_name),
        "hparams.model": _utf8(data.session_start_info.model_uri),
    }
    tags = {key: text for key, text in told.items() if text}
    return Session(params, tags, data.HasField("session_start_info"), SESSION_END.get(data.session_end_info.status))


def _metric(name: Any) -> str:
    return "/".join(part for part in (_utf8(name.group), _utf8(name.tag)) if part)


def _param(value: Any) -> str:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return _utf8(value.string_value)
    if kind == "bool_value":
        return str(value.bool_value)
    if kind == "number_value":
        number = value.number_value
        return str(int(number)) if number.is_integer() else repr(number)
    return ""


def _utf8(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
