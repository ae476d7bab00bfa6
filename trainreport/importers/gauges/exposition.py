"""The text format of Prometheus: a sample a line, names with labels in braces."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trainreport.importers.tables.found import Troubles

__all__ = ["Sample", "is_blank", "is_exposition", "labels_of", "samples_in"]

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]{0,200}"
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]{0,100})\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?')
_VALUE = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[iI]nf|[nN]a[nN])"
_LINE = re.compile(rf"({_NAME})\s*(\{{.*\}})?\s+({_VALUE})(?:\s+(-?\d{{1,19}}))?\s*")
_TYPE = re.compile(rf"^# (?:TYPE|HELP|UNIT) {_NAME} ?", re.MULTILINE)
_LABELLED = re.compile(rf"^{_NAME}\{{[^\n]*=\"[^\n]*\}}\s+{_VALUE}(?:\s+\d+)?\s*$", re.MULTILINE)
_NOT_EMPTY = re.compile(r"[^\n]+")
_LONGEST = 16_384
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Sample(NamedTuple):
    """A line."""

    name: str
    labels: Mapping[str, str]
    written: str
    """The labels as they stand there: a page that was taken again and again has the same ones each time."""
    value: float
    ms: int | None
    """Milliseconds since 1970, where written."""


def is_exposition(text: str) -> bool:
    """Return whether a text begins like a page of metrics: help or types of metrics and a sample, or samples with labels."""
    lines = [line for line in text.split("\n")[:-1] or [text] if line.strip()]
    samples = [line for line in lines if not line.startswith("#")]
    typed = _TYPE.search(text) is not None and (not samples or _LINE.fullmatch(samples[0].strip()) is not None)
    return typed or (bool(samples) and all(_LABELLED.fullmatch(line) for line in samples[:5]))


def samples_in(text: str, troubles: Troubles) -> Iterator[Sample]:
    """Yield the samples; exemplars behind them (``# {…}``) are passed over."""
    for line in _NOT_EMPTY.finditer(text):
        stripped = line[0].partition(" # {")[0].strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped) if len(stripped) <= _LONGEST else None
        labels = labels_of(match[2] or "") if match else None
        if match is None or labels is None:
            number = text.count("\n", 0, line.start()) + 1
            troubles.add(f"line {number}", f"found {stripped[:60]!r}; expected a metric with its value", kind="lines")
            continue
        yield Sample(match[1], labels, match[2] or "", float(match[3]), int(match[4]) if match[4] else None)


def is_blank(name: str, value: float) -> bool:
    """Return whether a value of DCGM stands for none: not supported, not found, not permitted (dcgm_structs.h)."""
    blank = value == 2.0**63 or 0x7FFFFFF0 <= value <= 0x7FFFFFFF or 2.0**47 <= value <= 2.0**47 + 15
    return blank and name.upper().startswith("DCGM")


@lru_cache(maxsize=1024)
def labels_of(written: str) -> Mapping[str, str] | None:
    """Return the labels in braces, None where they are torn."""
    found: dict[str, str] = {}
    inside, at = written[1:-1].strip(), 0
    while at < len(inside):
        match = _LABEL.match(inside, at)
        if match is None:
            return None
        found[match[1]] = re.sub(r'\\[\\"n]', lambda one: _ESCAPES[one[0]], match[2])
        at = match.end()
    return found
