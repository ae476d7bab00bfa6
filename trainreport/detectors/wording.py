"""The words of findings: numbers, steps and series as people say them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trainreport.model import words
from trainreport.model.series import is_share

if TYPE_CHECKING:
    from trainreport.model.curve import Curve

__all__ = ["device", "device_words", "place", "points", "series", "values"]


def series(curve: Curve) -> str:
    """Return a curve's name in words: ``validation accuracy``."""
    return words.series_words(curve.series, curve.phase)


def device(curve: Curve) -> str:
    """Return a device's name in words: ``GPU 1 on node-a``."""
    return device_words(curve.device, curve.node)


def device_words(name: str | None, node: str | None) -> str:
    """Return a device's name in words, and the machine's where it has one."""
    name = name or "GPU"
    name = f"GPU {name[3:]}" if name.startswith("gpu") and name[3:].isdigit() else name
    return f"{name} on {node}" if node else name


def points(series: str, value: float, *, percent: bool) -> str:
    """Return a difference of two values of a series: shares in points, anything else as a number.

    Parameters
    ----------
    series : str
        Canonical name.
    value : float
        As logged.
    percent : bool
        Whether the series was logged in percent.
    """
    if not is_share(series):
        return words.number(value)
    size = value if percent else 100 * value
    return f"{words.number(size, 2)} point{'' if words.number(size, 2) == '1' else 's'}"


def place(curve: Curve, at: int) -> str:
    """Return where a point stands: ``step 2,000``, ``epoch 3``, or ``point 7 of 50``."""
    if curve.has_step:
        return f"step {int(curve.step[at]):,}"
    if math.isfinite(curve.epoch[at]):
        return f"epoch {curve.epoch[at]:g}"
    return f"point {at + 1:,} of {len(curve):,}"


def values(curve: Curve, *given: float) -> list[str]:
    """Return values of a curve in words, with as many digits as it takes to tell them apart."""
    if not curve.is_share:
        return _distinct([[words.number(value, digits) for value in given] for digits in (3, 4, 5)])
    factor = 100.0 / curve.whole
    return _distinct([[_percent(value * factor, digits) for value in given] for digits in (0, 1, 2)])


def _percent(value: float, digits: int) -> str:
    """Return percent; 100 % is all of it and never what is rounded up to that."""
    text = f"{value:.{digits}f}"
    return words.share(value / 100) if value < 100 <= float(text) else f"{text} %"


def _distinct(choices: list[list[str]]) -> list[str]:
    return next((texts for texts in choices if len(set(texts)) == len(texts)), choices[0])
