"""The parts of W&B's records that are read here: ``wandb/proto/wandb_internal.proto``, versions 0.10 to 0.31.

Strings are declared as bytes: a name that is no valid UTF-8 must not cost the record. What is not declared is passed over.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from trainreport.importers.protobuf import declared

__all__ = ["record_class"]

_ITEM = {"key": (1, "bytes"), "nested_key": (2, "[bytes]"), "value_json": (16, "bytes")}
_TYPED = {"boolean": (4, "bool"), "integer": (5, "sint64"), "number": (6, "double"), "text": (7, "bytes"), "json": (8, "bytes")}

_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Record": {
        "history": (2, "History"),
        "summary": (3, "Items"),
        "output": (4, "Output"),
        "config": (5, "Items"),
        "stats": (7, "Stats"),
        "alert": (10, "Alert"),
        "telemetry": (11, "Telemetry"),
        "output_raw": (13, "Output"),
        "run": (17, "Run"),
        "exit": (18, "Exit"),
        "preempting": (23, "Nothing"),
        "environment": (26, "Environment"),
    },
    "Nothing": {},
    "History": {"item": (1, "[HistoryItem]"), "step": (2, "Step")},
    "HistoryItem": {**_ITEM, **_TYPED},
    "Step": {"num": (1, "int64")},
    "Items": {"update": (1, "[Item]")},
    "Item": _ITEM,
    "Time": {"seconds": (1, "int64"), "nanos": (2, "int32")},
    "Output": {"output_type": (1, "int32"), "timestamp": (2, "Time"), "line": (3, "bytes")},
    "Stats": {"timestamp": (2, "Time"), "item": (3, "[Item]")},
    "Alert": {"title": (1, "bytes"), "text": (2, "bytes"), "level": (3, "bytes")},
    "Telemetry": {"cli_version": (4, "bytes")},
    "Run": {
        "run_id": (1, "bytes"),
        "entity": (2, "bytes"),
        "project": (3, "bytes"),
        "config": (4, "Items"),
        "run_group": (6, "bytes"),
        "job_type": (7, "bytes"),
        "display_name": (8, "bytes"),
        "notes": (9, "bytes"),
        "tags": (10, "[bytes]"),
        "sweep_id": (12, "bytes"),
        "host": (13, "bytes"),
        "start_time": (17, "Time"),
        "resumed": (18, "bool"),
        "git": (21, "Git"),
    },
    "Git": {"remote_url": (1, "bytes"), "commit": (2, "bytes")},
    "Exit": {"exit_code": (1, "int32"), "runtime": (2, "int32"), "not_complete": (3, "bool")},
    "Environment": {
        "os": (1, "bytes"),
        "python": (2, "bytes"),
        "program": (6, "bytes"),
        "git": (9, "Git"),
        "host": (12, "bytes"),
        "cpu_count": (16, "uint32"),
        "gpu_type": (18, "bytes"),
        "gpu_count": (19, "uint32"),
        "gpu_nvidia": (24, "[Gpu]"),
        "tpu": (29, "Tpu"),
    },
    "Gpu": {"name": (1, "bytes"), "memory_total": (2, "uint64")},
    "Tpu": {"name": (1, "bytes"), "count": (4, "uint32")},
}
_ONE_OF = {"Record": tuple(_MESSAGES["Record"]), "HistoryItem": tuple(_TYPED)}


@cache
def record_class() -> Any:
    """Return the class of a record, with ``FromString``."""
    return declared("wandb", _MESSAGES, _ONE_OF)["Record"]
