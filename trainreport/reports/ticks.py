"""Round places on an axis and how they are written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.language import numeral

if TYPE_CHECKING:
    from trainreport.reports.spec import Axis

__all__ = ["nice_step", "places"]

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


def places(axis: Axis, low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most `most` + 1 (place, label) between `low` and `high`; the unit stands on the last."""
    if axis.places:
        return [place for place in axis.places if low <= place[0] <= high]
    found = _decades(low, high) if axis.log else _round_places(low, high, most, whole=axis.form == "count")
    texts = [_text(axis, value, found) for value in found]
    if texts:
        unit = "%" if axis.form == "share" else axis.unit
        texts[-1] = f"{texts[-1]} {unit}".strip()
    return list(zip(found, texts, strict=True))


def _round_places(low: float, high: float, most: int, *, whole: bool) -> list[float]:
    span = high - low
    if not span > 0:
        return [low]
    step = nice_step(span, most)
    if whole:
        step = max(1.0, round(step)) if step >= 1 else 1.0
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def nice_step(span: float, most: int) -> float:
    """Return the smallest round step that cuts `span` into at most `most` pieces."""
    raw = span / most
    size = 10.0 ** math.floor(math.log10(raw))
    return next(size * factor for factor in _ROUND if size * factor >= raw * (1 - 1e-9))


def _decades(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, (last - first) // 5 + 1)
    return [10.0**i for i in range(first, last + 1, every)]


def _text(axis: Axis, value: float, among: list[float]) -> str:
    if axis.log:
        return numeral(f"{value:g}") if 1e-4 <= value < 1e5 else f"1e{round(math.log10(value))}"
    if axis.form == "count":
        return words.count(value)
    scale = 100.0 if axis.form == "share" else 1.0
    value *= scale
    step = (among[1] - among[0]) * scale if len(among) > 1 else abs(value) or 1.0
    if max(abs(among[0]), abs(among[-1])) * scale >= 1e7 or step < 1e-4:
        return words.number(value)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    digits += abs(step * 10**digits - round(step * 10**digits)) > 1e-6
    return numeral(f"{value + 0.0:,.{digits}f}").replace("-", "−")
