"""The words of findings: numbers, steps and series as people say them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trainreport.model.series import SHARES

if TYPE_CHECKING:
    from trainreport.model.curve import Curve

__all__ = ["device", "duration", "is_percent", "is_share", "place", "series", "share", "values"]


def series(curve: Curve) -> str:
    """Return a curve's name in words: ``validation accuracy``."""
    phase = "training" if curve.phase == "train" else curve.phase
    return f"{phase} {curve.series.replace('/', ' ').replace('_', ' ')}"


def device(curve: Curve) -> str:
    """Return a device's name in words: ``GPU 1 on node-a``."""
    name = curve.device or "GPU"
    name = f"GPU {name[3:]}" if name.startswith("gpu") and name[3:].isdigit() else name
    return f"{name} on {curve.node}" if curve.node else name


def place(curve: Curve, at: int) -> str:
    """Return where a point stands: ``step 2,000``, ``epoch 3``, or ``point 7 of 50``."""
    if curve.has_step:
        return f"step {int(curve.step[at]):,}"
    if math.isfinite(curve.epoch[at]):
        return f"epoch {curve.epoch[at]:g}"
    return f"point {at + 1:,} of {len(curve):,}"


def share(value: float) -> str:
    """Return a share as percent, never 0 % where it is more: ``85 %``, ``0.4 %``, ``< 0.1 %``."""
    percent = value * 100
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if abs(percent) < 1 and percent else f"{percent:,.0f} %"


def duration(seconds: float) -> str:
    """Return a duration in the unit of its size: ``40 s``, ``12 min``, ``3.5 h``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def is_share(curve: Curve) -> bool:
    """Return whether a curve is a share by nature, such as accuracy."""
    return curve.series.split("/", maxsplit=1)[0] in SHARES


def is_percent(curve: Curve) -> bool:
    """Return whether a curve is a share that was written in percent: above 1.5 it cannot be anything else."""
    import numpy as np

    finite = curve.value[np.isfinite(curve.value)]
    return is_share(curve) and len(finite) > 0 and float(finite.max()) > 1.5


def values(curve: Curve, *given: float) -> list[str]:
    """Return values of a curve in words, with as many digits as it takes to tell them apart."""
    if not is_share(curve):
        return _distinct([[_plain(value, digits) for value in given] for digits in (3, 4, 5)])
    factor = 1.0 if is_percent(curve) else 100.0
    return _distinct([[f"{value * factor:.{digits}f} %" for value in given] for digits in (0, 1, 2)])


def _distinct(choices: list[list[str]]) -> list[str]:
    return next((words for words in choices if len(set(words)) == len(words)), choices[0])


def _plain(value: float, digits: int) -> str:
    value += 0.0  # no "-0"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.{digits}g}"
