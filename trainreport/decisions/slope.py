"""How many more steps a run that still improves would need at its present slope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.detectors.reading import finite, in_unit_of
from trainreport.stats.smooth import thin
from trainreport.stats.trend import theil_sen

if TYPE_CHECKING:
    from trainreport.decisions.facts import Facts

__all__ = ["steps_to_target"]

_TAIL = 3
"""The present slope is that of the last third, as a plateau is judged."""
_FEWEST = 3
"""Evaluations that a slope is taken from at least."""
_MOST = 300
"""Points that a slope is taken from; all pairs of them are looked at."""
_FURTHEST = 10.0
"""Further than ten times what was done, no slope holds."""


def steps_to_target(facts: Facts) -> int | None:
    """Return the further steps to the first missed criterion, to two digits; None where no slope leads there."""
    import numpy as np

    missed = next((one for one in facts.missed if one.value is not None), None)
    if missed is None or not facts.still_improving:
        return None
    criterion = facts.criterion(missed)
    curve = facts.case.curve(criterion.series, criterion.phase)
    if curve is None or not curve.has_step:
        return None
    curve = finite(curve)
    if len(curve) < 2 * _FEWEST:
        return None
    third = max(len(curve) // _TAIL, _FEWEST)
    step, value = curve.step[-third:].astype(float), curve.value[-third:]
    slope = criterion.sign * theil_sen(*thin(step, value, most=_MOST)).slope
    now = criterion.sign * float(np.median(value[-_FEWEST:])) + slope * float(step[-1] - np.median(step[-_FEWEST:]))
    target = in_unit_of(curve, criterion, criterion.threshold - criterion.sign * criterion.tolerance)
    steps = (criterion.sign * target - now) / slope if slope > 0 else 0.0
    return _two_digits(steps) if 0 < steps <= _FURTHEST * float(curve.step[-1]) else None


def _two_digits(steps: float) -> int:
    return max(1, int(float(f"{steps:.1e}")))
