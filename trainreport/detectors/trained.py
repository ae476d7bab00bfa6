"""What detectors read from training curves: the loss that was trained on, and curves matched by their axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.detectors.course import courses

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

__all__ = ["Matched", "loss_gained", "matched", "rewarded", "step_of_points", "trained_loss"]


_POINTS = 10
"""Fewer show no course."""


class Matched(NamedTuple):
    """Values of two curves at the places that both have."""

    one: Array
    two: Array
    at: npt.NDArray[np.intp]
    """Positions in the first curve."""


def rewarded(case: Case) -> bool:
    """Return whether rewards were logged: in reinforcement learning the loss follows a target that moves, and need not fall."""
    return any(name.startswith("reward") for name in case.training_series() + case.quality_series())


def trained_loss(case: Case) -> Curve | None:
    """Return the finite curve of the loss on training data, or of what says the same; None without one, or where rewards were logged."""
    if rewarded(case):
        return None
    return next((curve for curve in reading.training(case) if reading.is_loss(curve.series)), None)


def loss_gained(case: Case) -> float | None:
    """Return the net gain of the loss as a share of its start; None where no loss tells."""
    return next((one.share for one in courses(case, _POINTS) if one.is_loss), None)


def matched(one: Curve, two: Curve) -> Matched:
    """Return the values that two finite curves have at the same step; by epoch or time where a step is missing."""
    import numpy as np

    for name in ("step", "epoch", "time_s"):
        if name == "step" and not (one.has_step and two.has_step):
            continue
        mine, theirs = getattr(one, name), getattr(two, name)
        if np.isfinite(mine).all() and np.isfinite(theirs).all():
            if np.array_equal(mine, theirs) and (mine[1:] > mine[:-1]).all():
                return Matched(one.value, two.value, np.arange(len(mine)))
            _, at, other = np.intersect1d(mine, theirs, return_indices=True)
            if len(at):
                return Matched(one.value[at], two.value[other], at)
    return Matched(one.value[:0], two.value[:0], np.zeros(0, dtype=np.intp))


def step_of_points(curve: Curve) -> float:
    """Return how many steps lie between two points of a curve, usually; 1 where steps were not logged."""
    import numpy as np

    gaps = np.diff(curve.step)
    return float(np.median(gaps)) if curve.has_step and len(gaps) else 1.0
