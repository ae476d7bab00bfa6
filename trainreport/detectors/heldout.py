"""Held-out curves beside their training curves: where the best lies, and what training did after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.breaks import share_at_end
from trainreport.detectors.course import SURE, gain_of, way
from trainreport.model.memo import remembered
from trainreport.stats.rise import Rise, rise_from_minimum
from trainreport.stats.smooth import noise, span
from trainreport.stats.trend import theil_sen

if TYPE_CHECKING:
    from trainreport.detectors.base import Detector
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.finding import Outcome

__all__ = ["AfterBest", "HeldOut", "after_best", "deciding_of", "held_out", "training_course"]

_LEVEL = 0.02
"""A training curve that worsens by less than this share of its own range has held its level."""
_CLEAR_OF_CHANCE = 0.05
"""Of the way from guessing to perfect: a single class predicted for all lies nearer to guessing than this."""
_LEAST_SHARE = 0.02
"""Of the way from the start to perfect, as in TR103; less is no gain."""
_LEAST = 0.01
"""Of the start of a loss, as in TR103; less is no gain."""
_TRAINED = 0.05
"""Of the start of the training curve, as in TR105: from there on something was learned, if only before the first evaluation."""
_GUESSING = 0.5
"""A share further than this from perfect may be guessing, as in TR103."""


_BROKEN = 0.5
"""Share of the last training values that are not finite from which on what comes after is no overfitting: the run broke."""


class HeldOut(NamedTuple):
    """A held-out curve, finite, with the way back from its best value."""

    curve: Curve
    rise: Rise
    training: Curve | None
    """The training curve from the best point on: same series, else loss; None where there is none to compare."""
    training_held: bool
    """Whether training went on improving, or held its level, after the best point; True where it is not known."""
    unlearned: str | None
    """In words, that nothing had been learned that could be lost; None where something had."""

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
        """Return whether the end is worse than the best by size, by what had been gained, and beyond noise.

        What was never learned cannot be lost: a curve that wanders about guessing has not got worse.
        """
        rise = self.rise
        if self.unlearned is not None:
            return False
        large = rise.rise > (drop * self.curve.whole if self.curve.is_share else relative_rise * abs(rise.best))
        return large and rise.share_of_gain > lost_gain and rise.sigmas > sigmas


class AfterBest(NamedTuple):
    """A held-out curve and what of the run came after its best checkpoint."""

    curve: Curve
    rise: Rise
    best: int
    """Position of the best value."""
    past: float
    """Share of the run after it."""
    agreed: float
    """Share of the run after the smoothed best: a single lucky value has little of it."""
    unlearned: str | None
    """As in `HeldOut`."""


def after_best(judge: Detector, case: Case, evaluations: float) -> AfterBest | Outcome:
    """Return what came after the best of the curve that decides, or what a detector says where there is too little of it."""
    curve = next(iter(reading.held_out_first(case)), None)
    if curve is None:
        return judge.not_applicable("no loss or metric was logged on held-out data, so there is no best checkpoint")
    if len(curve) < evaluations:
        return judge.not_applicable(f"{wording.series(curve)} has {len(curve)} finite evaluations; {evaluations:g} are needed")
    turned = reading.turned(curve)
    rise, best = rise_from_minimum(turned), int(turned.argmin())
    # rounded, so that how a clock was written decides nothing
    past, agreed = (round(reading.waste_after(case, curve, at).share_of_run or 0.0, 4) for at in (best, rise.best_at))
    return AfterBest(curve, rise, best, past, agreed, _unlearned(case, curve))


@remembered
def held_out(case: Case, series: str, points: float) -> HeldOut | None:
    """Return the held-out curve of a series beside its training curve, or None where it has fewer finite points."""
    curve = case.held_out(series)
    if curve is None:
        return None
    curve = reading.finite(curve)
    if len(curve) < points:
        return None
    rise, nothing = rise_from_minimum(reading.turned(curve)), _unlearned(case, curve)
    for name in (series, "loss"):
        whole = case.curve(name, "train")
        if whole is not None and share_at_end(whole) >= _BROKEN:
            return HeldOut(curve, rise, None, False, nothing)
        after = None if whole is None else reading.since(reading.finite(whole), curve, rise.best_at)
        if whole is not None and after is not None and len(after) >= 4:
            return HeldOut(curve, rise, after, _held(reading.finite(whole), after), nothing)
    return HeldOut(curve, rise, None, True, nothing)


def _unlearned(case: Case, curve: Curve) -> str | None:
    """Return in words that a finite held-out curve shows nothing learned, so that no best stands out; None where it does.

    By the plan's level of guessing where it is given; else by the gain since the start, or, since much may be
    learned before the first evaluation, by that of the training curve. A share that may be guessing needs a gain of its own.
    """
    gain, chance = gain_of(curve), reading.chance_of(case, curve)
    name, sign = wording.series(curve), -curve.direction
    if chance is not None:
        reach = _CLEAR_OF_CHANCE * way(curve, sign * chance)
        if sign * chance - gain.best > max(min(reach, abs(chance) or reach), SURE * gain.best_error):
            return None
        best, guess = wording.values(curve, sign * gain.best, chance)
        return f"{name} was never clear of guessing: {best} at its smoothed best, guessing gives {guess}; nothing had been learned"
    share = curve.is_share
    sure = gain.most > SURE * gain.error or gain.p_better <= 0.01
    if sure and gain.most > (_LEAST_SHARE if share else _LEAST) * way(curve, gain.start):
        return None
    if _trained(case) and not (share and way(curve, gain.best) >= _GUESSING * curve.whole):
        return None
    start, best = wording.values(curve, sign * gain.start, sign * gain.best)
    return f"{name} went from {start} to {best} at its smoothed best, no gain beyond noise and next to nothing; nothing had been learned"


@remembered
def _trained(case: Case) -> bool:
    """Return whether training plainly improved: the loss, else the first metric on training data."""
    curve = next(iter(reading.training(case)), None)
    if curve is None or len(curve := reading.sound_part(curve)) < 4:
        return False
    gain = gain_of(curve)
    return gain.most > max(_TRAINED * way(curve, gain.start), SURE * gain.error)


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
