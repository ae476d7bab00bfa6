"""A learning rate over a run: its warm-up, its steps down, and how long it stood at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

__all__ = ["Schedule", "Step", "schedule"]

_SAME = 1e-3
"""Rates within this share of each other are the same."""
_LEVEL = 0.02
"""A level lasts at least this share of the points."""
_ZERO = 1e-6
"""Of the highest rate; less moves nothing."""


class Step(NamedTuple):
    """A drop from one level to a lower one."""

    at: int
    """Position of the first value of the lower level."""
    before: float
    after: float


class Schedule(NamedTuple):
    """What a rate did."""

    peak_at: int
    """Position of the first value at the highest rate: the end of the warm-up."""
    warm_up: bool
    """Whether it began below half of the highest rate."""
    steps: list[Step]
    zero_from: int | None
    """Position from which on the rate is zero to the end."""
    constant_from: int
    """Position from which on the rate is constant to the end."""


def schedule(rate: Array, drop: float) -> Schedule:
    """Return what a learning rate did.

    Parameters
    ----------
    rate : ndarray, finite, at least 2 points
        In the order of training.
    drop : float
        Share of the rate that a step down takes at least, 0 to 1.

    Notes
    -----
    A step is a drop between two values that ends a stretch of constant rate; a rate that falls all the time (cosine, linear)
    has none.
    """
    import numpy as np

    count, top = len(rate), float(rate.max())
    peak_at = int(np.argmax(rate >= top * (1 - _SAME)))
    same = np.abs(np.diff(rate)) <= _SAME * np.maximum(np.abs(rate[:-1]), np.abs(rate[1:]))
    least = max(2, round(_LEVEL * count))
    falls = np.flatnonzero(rate[1:] <= (1 - drop) * rate[:-1])
    steps = [Step(int(at) + 1, float(rate[at]), float(rate[at + 1])) for at in falls if at >= least and same[at - least : at].all()]
    moving = np.flatnonzero(~same)
    above = np.flatnonzero(rate > _ZERO * top)
    last = int(above[-1]) + 1 if len(above) else 0
    return Schedule(peak_at, bool(rate[0] < top / 2), steps, last if last < count else None, int(moving[-1]) + 1 if len(moving) else 0)
