"""The parts of TensorBoard's messages that are read here, declared in code.

Field numbers and types are those of ``tensorboard/compat/proto`` and ``tensorboard/plugins/hparams``; what is not
declared (images, sounds) is passed over by the parser; of graphs it is only told that they are there. Strings are
declared as bytes: a tag that is no valid UTF-8 must not cost the record.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from trainreport.importers.protobuf import declared

__all__ = ["GRAPHS", "SESSION_END", "SESSION_START_LOG", "message_class"]

SESSION_START_LOG = 1
"""``SessionLog.status`` of a (re)start."""
SESSION_END = {1: "finished", 2: "failed"}
"""``SessionEndInfo.status`` in the words of the model."""

GRAPHS = {4: "graph_def", 8: "run_metadata", 9: "meta_graph_def"}
"""Fields of ``Event`` that hold a graph or a profile of it, of any size."""

# message -> {field: (number, type)}; a type in [] is repeated, one that starts with a capital is a message.
_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Event": {
        "wall_time": (1, "double"),
        "step": (2, "int64"),
        "summary": (5, "Summary"),
        "session_log": (7, "SessionLog"),
        **{name: (number, "bytes") for number, name in GRAPHS.items()},
    },
    "SessionLog": {"status": (1, "int32"), "msg": (3, "bytes")},
    "Summary": {"value": (1, "[Value]")},
    "Value": {
        "tag": (1, "bytes"),
        "simple_value": (2, "float"),
        "histo": (5, "Histogram"),
        "tensor": (8, "Tensor"),
        "metadata": (9, "Metadata"),
    },
    "Histogram": {
        "min": (1, "double"),
        "max": (2, "double"),
        "num": (3, "double"),
        "sum_squares": (5, "double"),
        "bucket_limit": (6, "[double]"),
        "bucket": (7, "[double]"),
    },
    "Metadata": {"plugin_data": (1, "PluginData"), "data_class": (4, "int32")},
    "PluginData": {"plugin_name": (1, "bytes"), "content": (2, "bytes")},
    "Tensor": {
        "dtype": (1, "int32"),
        "tensor_shape": (2, "Shape"),
        "tensor_content": (4, "bytes"),
        "float_val": (5, "[float]"),
        "double_val": (6, "[double]"),
        "int_val": (7, "[int32]"),
        "string_val": (8, "[bytes]"),
        "int64_val": (10, "[int64]"),
        "bool_val": (11, "[bool]"),
        "half_val": (13, "[int32]"),
        "uint32_val": (16, "[uint32]"),
        "uint64_val": (17, "[uint64]"),
    },
    "Shape": {"dim": (2, "[Dim]"), "unknown_rank": (3, "bool")},
    "Dim": {"size": (1, "int64")},
    "HParams": {"experiment": (2, "Experiment"), "session_start_info": (3, "SessionStart"), "session_end_info": (4, "SessionEnd")},
    "Experiment": {"description": (1, "bytes"), "user": (2, "bytes"), "metric_infos": (5, "[MetricInfo]"), "name": (6, "bytes")},
    "MetricInfo": {"name": (1, "MetricName")},
    "MetricName": {"group": (1, "bytes"), "tag": (2, "bytes")},
    "SessionStart": {"hparams": (1, "[Entry]"), "model_uri": (2, "bytes"), "group_name": (4, "bytes")},
    "SessionEnd": {"status": (1, "int32")},
    "Entry": {"key": (1, "bytes"), "value": (2, "Json")},
    "Json": {"number_value": (2, "double"), "string_value": (3, "bytes"), "bool_value": (4, "bool")},
}
# Fields of which at most one is set, so that one that is set to zero can be told from one that is not.
_ONE_OF = {
    "Event": tuple(GRAPHS.values()),
    "Value": ("simple_value", "histo", "tensor"),
    "Json": ("number_value", "string_value", "bool_value"),
}


@cache
def message_class(name: str) -> Any:
    """Return the class of a message, such as ``Event``, with ``FromString``."""
    return _classes()[name]


@cache
def _classes() -> dict[str, Any]:
    return declared("tfevents", _MESSAGES, _ONE_OF)
