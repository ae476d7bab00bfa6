"""Rows of a W&B history: numbers as they were logged, nested tables to flat names, histograms reduced."""

from __future__ import annotations

import json
from collections import Counter
from math import nan
from typing import TYPE_CHECKING, Any

from trainreport.importers.layers import layer_meaning
from trainreport.importers.points import NO_STEP, Points
from trainreport.importers.tfevents.reductions import HOW, buckets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["History", "loaded", "numbers_of", "text_of"]

_GLOBAL_STEPS = frozenset({b"trainer/global_step", b"train/global_step", b"global_step"})
"""The optimizer's step, as Lightning and Hugging Face log it; ``_step`` only counts calls of ``log``."""
_LARGEST_JSON = 1 << 20
_LARGEST_INT = 2.0**62
_SPELLED = {"NaN": nan, "Infinity": float("inf"), "-Infinity": float("-inf"), "true": 1.0, "false": 0.0}
_DEPTH = 8
_NOWHERE = -1
_ABOUT = {b"_step": -2, b"_timestamp": -3, b"_runtime": -4}
"""Names about the row, with codes that are none of a series."""


class History:
    """Takes records of history and of system metrics."""

    def __init__(self) -> None:
        self.points = Points()
        self.passed_over: Counter[str] = Counter()
        """Names whose values are no numbers: texts, media, lists."""
        self.steps_of: Counter[str] = Counter()
        """How many rows took their step from which name."""
        self._codes: dict[bytes, int] = {}

    def add(self, record: Any, started_s: float) -> None:
        """Take one row; `started_s` is when the run began, for rows that hold their runtime only."""
        about: dict[bytes, float] = {}
        nested: dict[bytes, dict[bytes, bytes]] = {}
        own: float | None = None
        epoch = nan
        codes, take_code, take_value = self._codes, self.points.append_code, self.points.append_value
        for item in record.item:
            path = item.nested_key
            key = path[0] if len(path) == 1 else item.key or _waiting(item, path, nested)
            try:
                value = float(item.value_json)
            except ValueError:
                found = self._other(key, item) if key else None
                if found is None:
                    continue
                value = found
            code = codes.get(key)
            if code is None:
                code = codes[key] = _ABOUT.get(key) or (self.points.code(text_of(key)) if key else _NOWHERE)
            if code >= 0:
                take_code(code)
                take_value(value)
                if key == b"epoch":
                    epoch = value
                elif key in _GLOBAL_STEPS and 0 <= value < _LARGEST_INT:
                    own = value
                    self.steps_of[text_of(key)] += 1
            elif code != _NOWHERE:
                about[key] = value
        for key, parts in nested.items():
            self._nested(text_of(key), {text_of(name): loaded(text) for name, text in parts.items()})
        self.points.end_row(self._step(record, own, about), _time(about, started_s), epoch)

    def add_system(self, stats: Any) -> None:
        """Take one sample of system metrics."""
        for item in stats.item:
            name = text_of(item.key)
            for key, value in numbers_of({f"system.{name}": loaded(item.value_json)}):
                self.points.put(self.points.code(key), value)
        self.points.end_row(NO_STEP, stats.timestamp.seconds + stats.timestamp.nanos / 1e9)

    def _step(self, record: Any, own: float | None, about: Mapping[bytes, float]) -> int:
        told = own if own is not None else about.get(b"_step")
        if told is not None and abs(told) < _LARGEST_INT:
            return int(told)
        return int(record.step.num) if record.HasField("step") else NO_STEP

    def _other(self, key: bytes, item: Any) -> float | None:
        """Return the number of a value that is not written as one; what holds none is taken apart or passed over."""
        kind = item.WhichOneof("kind")
        if kind in ("boolean", "integer", "number"):
            return float(getattr(item, kind))
        value = loaded(item.json if kind == "json" else item.value_json)
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, dict):
            self._nested(text_of(key), value)
        elif isinstance(value, str) and value in _SPELLED:
            return _SPELLED[value]
        elif value is not None or kind == "text":
            self.passed_over[text_of(key)] += 1
        return None

    def _nested(self, key: str, table: dict[str, Any]) -> None:
        """Take the numbers of a table, the statistics of a histogram; other media are passed over."""
        if "_type" not in table:
            for name, value in numbers_of(table, f"{key}."):
                self.points.put(self.points.code(name), value)
            return
        statistics = _statistics(table) if table["_type"] == "histogram" else {}
        if not statistics:
            self.passed_over[f"{key} ({str(table['_type'])[:30]})"] += 1
        for statistic, value in statistics.items():
            meaning = layer_meaning(key, statistic, None, HOW["buckets", statistic])
            self.points.put(self.points.code(f"{key}/{statistic}", meaning), value)


def _waiting(item: Any, path: Any, nested: dict[bytes, dict[bytes, bytes]]) -> bytes:
    """Keep a part of a nested value until its siblings are there; return no name."""
    if len(path):
        nested.setdefault(b".".join(path[:-1]), {})[path[-1]] = item.value_json
    return b""


def numbers_of(table: Mapping[str, Any], prefix: str = "", depth: int = _DEPTH) -> Iterator[tuple[str, float]]:
    """Yield the numbers of nested tables, names joined by dots; truth values are 1 and 0."""
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            if depth and "_type" not in value:
                yield from numbers_of(value, f"{key}.", depth - 1)
        elif isinstance(value, bool | int | float):
            yield key, _float(value)
        elif isinstance(value, str) and value in _SPELLED:
            yield key, _SPELLED[value]


def text_of(name: bytes) -> str:
    """Return a name as text, whatever its bytes."""
    return name.decode("utf-8", "replace")


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number with more digits than a float holds
        return float("inf") if value > 0 else float("-inf")


def loaded(text: bytes) -> Any:
    """Return a value as JSON; a long text counts as a text."""
    if len(text) > _LARGEST_JSON:
        return ""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None if not text else text.decode("utf-8", "replace")


def _time(about: Mapping[bytes, float], started_s: float) -> float:
    return about.get(b"_timestamp", started_s + about.get(b"_runtime", nan))


def _statistics(table: Mapping[str, Any]) -> dict[str, float]:
    """Return the statistics of a histogram: counts, and edges of which there is one more, or a first edge with size and count."""
    import numpy as np

    try:
        counts = np.array(table.get("values"), dtype=np.float64)
        packed = table.get("packedBins")
        edges = packed["min"] + packed["size"] * np.arange(len(counts) + 1) if packed else np.array(table.get("bins"), dtype=np.float64)
    except (TypeError, ValueError, KeyError, OverflowError):
        return {}
    if counts.ndim != 1 or edges.shape != (len(counts) + 1,):
        return {}
    return buckets(np.stack([edges[:-1], edges[1:], counts], axis=1)) if len(counts) > 1 else {}
