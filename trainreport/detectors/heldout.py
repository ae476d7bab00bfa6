"""Held-out curves beside their training curves: where the best lies, and what training did after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.model.memo import remembered
from trainreport.stats.rise import Rise, rise_from_minimum
from trainreport.stats.smooth import noise, span
from trainreport.stats.trend import theil_sen

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["HeldOut", "deciding_of", "held_out", "training_course"]

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
    def best_at(self) -> int:
        """Position of the best checkpoint: the best value as logged, as criteria are judged too."""
        return int(reading.turned(self.curve).argmin())

    @property
    def best_and_last(self) -> tuple[float, float]:
        """Value of the best checkpoint and median of the end, in the curve's own unit and sign, for messages."""
        return float(self.curve.value[self.best_at]), -self.curve.direction * self.rise.last

    def worse(self, relative_rise: float, drop: float, lost_gain: float, sigmas: float) -> bool:
        """Return whether the end is worse than the best by size, by what had been gained, and beyond noise."""
        rise = self.rise
        if wording.is_share(self.curve):
            large = rise.rise > drop * (100 if wording.is_percent(self.curve) else 1)
        else:
            large = rise.rise > relative_rise * abs(rise.best)
        return large and rise.share_of_gain > lost_gain and rise.sigmas > sigmas


@remembered
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
            return HeldOut(curve, rise, after, _held(reading.finite(whole), after))
    return HeldOut(curve, rise, None, True)


def _held(whole: Curve, after: Curve) -> bool:
    """Return whether training improved after a point, or held its level; measured by what it had gained before."""
    import numpy as np

    values = reading.turned(after)
    before = whole.value[: len(whole) - len(after)]
    level = _LEVEL * span(before if len(before) >= 4 else whole.value)
    trend = theil_sen(after.step.astype(float), values).change
    ended_worse = float(np.median(values[-max(3, len(values) // 20) :]) - np.median(values[:3]))
    return bool(trend <= level and ended_worse <= level + 4 * noise(values))


def deciding_of(case: Case, seen: list[HeldOut]) -> list[HeldOut]:
    """Return the series that decide: those of the plan's criteria, else metrics, else the loss."""
    planned = [one for one in seen if case.criterion_for(one.curve.series, one.curve.phase)]
    metrics = [one for one in seen if not one.is_loss]
    plain = [one for one in metrics if one.curve.series not in ("precision", "recall")]
    losses = reading.losses_of([one.curve.series for one in seen])
    return planned or plain or metrics or [one for one in seen if one.curve.series in losses]


def training_course(training: Curve) -> str:
    """Return in words where training went after a point."""
    import numpy as np

    start, end = float(np.median(training.value[:3])), float(np.median(training.value[-3:]))
    _, word = wording.values(training, start, end)
    if training.direction * (end - start) <= 0:
        return f"stayed near {word}"
    return f"went on {'falling' if training.direction < 0 else 'rising'} to {word}"
