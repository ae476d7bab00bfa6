"""The course of a run's losses and metrics: from where to where each went, and how much of a gain that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.model.memo import remembered
from trainreport.stats.gain import Gain, net_gain

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["SURE", "Course", "courses", "criterion_met", "gain_of", "way"]

SURE = 4.0
"""Standard errors by which a gain must stand out of the noise to be one, where no trend shows it."""


class Course(NamedTuple):
    """A finite curve and what it gained; of a broken curve the part before it broke."""

    curve: Curve
    gain: Gain
    share: float
    """Net gain: of the start for losses, of what is left to perfect for shares, of the larger end for other metrics.

    Where the plan says what guessing gives, only what goes beyond that is gained.
    """
    chance: float | None = None
    """What guessing gives by the plan, in the unit of the curve."""

    @property
    def is_loss(self) -> bool:
        """Whether it is what training minimises."""
        return reading.is_loss(self.curve.series)

    @property
    def moved(self) -> str:
        """Start and end in words."""
        sign = -self.curve.direction
        start, end = wording.values(self.curve, sign * self.gain.start, sign * self.gain.last)
        return f"stayed at {start}" if start == end else f"went from {start} to {end}"


@remembered
def courses(case: Case, points: float) -> list[Course]:
    """Return the courses with enough points, the loss first, then metrics."""
    return [one for curve in _curves(case) if (one := _course(case, curve, points)) is not None]


@remembered
def gain_of(curve: Curve) -> Gain:
    """Return how much a finite curve with a direction improved."""
    return net_gain(reading.turned(curve))


def criterion_met(case: Case) -> str | None:
    """Return in words which criterion of the plan is met at best, or None."""
    for one in case.plan.criteria:
        curve = case.curve(one.series, one.phase)
        curve = None if curve is None else reading.finite(curve)
        if curve is not None and len(curve) and curve.direction:
            best = reading.best(curve)
            if reading.meets(one, curve, best):
                return f"{wording.series(curve)} meets the plan's criterion with {wording.values(curve, best)[0]}"
    return None


def _curves(case: Case) -> list[Curve]:
    """Return the loss that was trained on, else that on held-out data, then all metrics; no loss where there are rewards."""
    trained = [case.curve(name, "train") for name in case.training_series()]
    unseen = [case.held_out(name) for name in case.quality_series()]
    every = [curve for curve in (*trained, *unseen) if curve is not None]
    losses = [curve for curve in every if reading.is_loss(curve.series)]
    if any(curve.series.startswith("reward") for curve in every):
        losses = []  # in reinforcement learning the loss follows a target that moves
    return losses[:1] + [curve for curve in every if not reading.is_loss(curve.series)]


def way(curve: Curve, level: float) -> float:
    """Return how far it is from a level, sign turned so that lower is better, to perfect for shares; else its size."""
    if not curve.is_share:
        return abs(level)
    return (curve.whole if curve.direction > 0 else 0.0) + level


def _course(case: Case, curve: Curve, points: float) -> Course | None:
    curve = reading.sound_part(curve)
    if len(curve) < points:
        return None
    gain = gain_of(curve)
    chance = reading.chance_of(case, curve)
    level = gain.start if chance is None else min(gain.start, -curve.direction * chance)
    reach = way(curve, level)
    if not curve.is_share and not reading.is_loss(curve.series):
        reach = max(reach, abs(gain.last))
    return Course(curve, gain, (level - gain.last) / reach if reach > 0 else 0.0, chance)
