"""Held-out curves beside their training curves: where the best lies, and what training did after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.stats.rise import Rise, rise_from_minimum
from trainreport.stats.smooth import span
from trainreport.stats.trend import theil_sen

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["HeldOut", "held_out"]

_LEVEL = 0.02
"""A training curve that worsens by less than this share of its own range has held its level."""


class HeldOut(NamedTuple):
    """A held-out curve, finite, with the way back from its best value."""

    curve: Curve
    rise: Rise
    training: Curve | None
    """The training curve from the best point on: same series, else loss; None where there is none to compare."""
    training_held: bool
    """Whether training went on improving, or held its level, after the best point; True where it is not known."""

    @property
    def is_loss(self) -> bool:
        """Whether it says how well training minimises, not what the model is wanted for."""
        return reading.is_loss(self.curve.series)

    @property
    def best_and_last(self) -> tuple[float, float]:
        """Smoothed best and end, in the curve's own unit and sign."""
        sign = -self.curve.direction
        return sign * self.rise.best, sign * self.rise.last

    def worse(self, relative_rise: float, drop: float, lost_gain: float, sigmas: float) -> bool:
        """Return whether the end is worse than the best by size, by what had been gained, and beyond noise."""
        rise = self.rise
        if wording.is_share(self.curve):
            large = rise.rise > drop * (100 if wording.is_percent(self.curve) else 1)
        else:
            large = rise.rise > relative_rise * abs(rise.best)
        return large and rise.share_of_gain > lost_gain and rise.sigmas > sigmas


def held_out(case: Case, series: str, points: float) -> HeldOut | None:
    """Return the held-out curve of a series beside its training curve, or None where it has fewer finite points."""
    curve = case.held_out(series)
    if curve is None:
        return None
    curve = reading.finite(curve)
    if len(curve) < points:
        return None
    rise = rise_from_minimum(reading.turned(curve))
    for name in (series, "loss"):
        whole = case.curve(name, "train")
        after = None if whole is None else reading.since(reading.finite(whole), curve, rise.best_at)
        if whole is not None and after is not None and len(after) >= 4:
            change = theil_sen(after.step.astype(float), reading.turned(after)).change
            return HeldOut(curve, rise, after, bool(change <= _LEVEL * span(reading.finite(whole).value)))
    return HeldOut(curve, rise, None, True)
