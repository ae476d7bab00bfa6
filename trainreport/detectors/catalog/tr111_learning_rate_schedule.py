"""TR111: the learning-rate schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.course import criterion_met
from trainreport.detectors.trained import loss_gained, trained_loss
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.changepoints import Schedule, Step, schedule
from trainreport.stats.plateau import plateau
from trainreport.stats.smooth import noise, thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

    Array = npt.NDArray[np.float64]

_CONVENTION = "convention, not validated on labels"
_AROUND = 0.05
"""Share of the run that is looked at before and after a change of the rate."""


class _Seen(NamedTuple):
    """The rate and the loss of a run, on one axis."""

    rate: Curve
    loss: Curve | None
    course: Schedule


class LearningRateSchedule(Detector):
    """The schedule of the learning rate does not fit the run.

    What it checks
    --------------
    The learning rate as it was logged, and beside it the loss on training data.

    Why it matters
    --------------
    The learning rate is the setting that decides most. Steps at a rate of zero are paid for and change nothing; a rate that
    is never lowered leaves the last and cheapest gain untaken.

    How it decides
    --------------
    Four things are findings, each by itself. The rate is zero (a millionth of its highest) for 5 % of the run or more, or became
    zero although the plan has 5 % of its steps still to go. The loss jumps up at the end of the warm-up by 20 % of all that had been
    gained until then, and beyond noise: the warm-up is too short or its end too high. The rate was constant to the end
    while the loss stood at a plateau (as in TR104): it was never lowered, or lowered for the last time long before. A step
    down brought nothing: the level of the loss changed by less than 1 % of its range.

    What to do
    ----------
    - Zero too early: set the length of the schedule to the steps that are really trained.
    - A jump at the end of the warm-up: warm up two to four times as long, or to a lower rate.
    - A plateau at a constant rate: lower it tenfold once, or let it decay, before anything else is changed.

    Limits
    ------
    Where no rate was logged nothing can be told. Where parts of the model have rates of their own, one of them is looked at. With
    adaptive methods the rate that is logged is not the length of the step.

    References
    ----------
    - Goyal et al., Accurate, Large Minibatch SGD (2017): warm-up.
    - Loshchilov and Hutter, SGDR, ICLR 2017; Smith et al., Don't Decay the Learning Rate, Increase the Batch Size, ICLR 2018.
    """

    code = "TR111"
    name = "learning-rate-schedule"
    severity = Severity.MINOR
    needs = ("the learning rate", "the loss on training data, for its effect")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR111."""

        idle: float = threshold(0.05, unit="share", why="Of the run or the plan at a rate of zero.", low=0, high=1, source=_CONVENTION)
        jump: float = threshold(0.20, unit="share", why="Of the gain so far; less passes.", low=0, high=10, source=_CONVENTION)
        flat: float = threshold(0.005, unit="share", why="As in TR104.", low=0, high=0.5, source="benchmark of TR104")
        constant: float = threshold(
            0.4, unit="share", why="Of the run; the plateau's third lies in it.", low=0.34, high=1, source=_CONVENTION
        )
        drop: float = threshold(
            0.3, unit="share", why="Of the rate; usual steps take half or more.", low=0.05, high=0.99, source=_CONVENTION
        )
        learned: float = threshold(0.05, unit="share", why="Of the loss's start; else it is TR103.", low=0, high=1, source="limit of TR103")
        effect: float = threshold(0.01, unit="share", why="Of the loss's range.", low=0, high=1, source=_CONVENTION)
        points: float = threshold(10, unit="points", why="Fewer show no schedule.", low=4, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        rate = case.curve("learning_rate", "train")
        if rate is None:
            return self.not_applicable("no learning rate was logged")
        rate = reading.finite(rate)
        if len(rate) < limits.points:
            return self.not_applicable(f"the learning rate has {len(rate)} finite points; {limits.points:g} are needed")
        if not (rate.value > 0).any():
            return self.found(self._finding(case, rate, "The learning rate is zero from the first point to the last", 0, limits))
        loss = trained_loss(case)
        loss = loss if loss is not None and len(loss) >= 3 * limits.points and loss.has_step and rate.has_step else None
        seen = _Seen(rate, loss, schedule(rate.value, limits.drop))
        checks = (_zero(case, seen, limits), _warm_up(seen, limits), _without_effect(seen, limits), _plateau(case, seen, limits))
        told = [one for one in checks if one is not None]
        if told:
            return self.found(*(self._finding(case, rate, text, at, limits) for text, at in told))
        first, last = words.number(float(rate.value.max())), words.number(float(rate.value[-1]))
        beside = "" if loss is not None else "; no loss to see its effect by"
        return self.clear(f"the learning rate reached {first} and ended at {last}{beside}")

    def _finding(self, case: Case, rate: Curve, text: str, at: int, limits: Thresholds) -> Finding:
        idle = "zero" in text
        return self.finding(
            f"{text}.",
            evidence=(
                reading.evidence(rate, "highest learning rate", float(rate.value.max()), "as logged", unit="1"),
                reading.evidence(rate, "learning rate from there on", float(rate.value[at]), "as logged", unit="1", first=at),
            ),
            action=Action(
                "Set the length and the end of the schedule to the steps that are trained; warm up longer or decay where it says so.",
                owner="ML engineer",
                effort="an hour",
            ),
            confidence=Confidence.HIGH if idle else Confidence.MEDIUM,
            limits=limits,
            waste=reading.waste_after(case, rate, at) if idle else None,
            curve=rate,
        )


Told = tuple[str, int] | None
"""What is wrong, and the position in the rate from which on."""


def _zero(case: Case, seen: _Seen, limits: LearningRateSchedule.Thresholds) -> Told:
    rate, at = seen.rate, seen.course.zero_from
    if at is None:
        return None
    planned, where = case.plan.training.steps, wording.place(rate, at)
    if planned and rate.has_step and planned - int(rate.step[at]) > limits.idle * planned:
        return f"The learning rate is zero from {where} on, with {planned - int(rate.step[at]):,} of {planned:,} planned steps to go", at
    share = reading.waste_after(case, rate, at).share_of_run or 0.0
    return (f"The learning rate is zero from {where} on, for {words.share(share)} of the run", at) if share > limits.idle else None


def _warm_up(seen: _Seen, limits: LearningRateSchedule.Thresholds) -> Told:
    """Compare the loss after the end of the warm-up with its lowest level before."""
    import numpy as np

    loss, at = seen.loss, seen.course.peak_at
    if loss is None or not seen.course.warm_up:
        return None
    split = int(np.searchsorted(loss.step, seen.rate.step[at]))
    reach = max(4, split // 2, round(_AROUND * len(loss)))
    if split < 4 or split > len(loss) // 2 or len(loss) - split < reach:
        return None
    values = reading.turned(loss)
    width = max(1, min(split // 4, 25))
    (before,), (after,) = (thin(part, most=max(2, len(part) // width)) for part in (values[:split], values[split : split + reach]))
    low, high, start = float(before.min()), float(after.max()), max(float(values[0]), float(np.median(values[:3])))
    spread = noise(values[: split + reach])
    if start - low <= 0 or high - low < limits.jump * (start - low) or high - low < 4 * spread:
        return None
    bottom, top = wording.values(loss, -loss.direction * low, -loss.direction * high)
    verb = "rose" if loss.direction < 0 else "fell"
    return (
        f"{words.capital(wording.series(loss))} {verb} from {bottom} to {top} around the end of the warm-up, "
        f"at {wording.place(seen.rate, at)}: it is too short, or its highest rate too high"
    ), at


def _without_effect(seen: _Seen, limits: LearningRateSchedule.Thresholds) -> Told:
    """Return the steps down after which the level of the loss did not change."""
    import numpy as np

    if seen.loss is None:
        return None
    extent = float(np.ptp(thin(seen.loss.value, most=1000)[0]))
    gains = [(step, _gain(seen, step)) for step in seen.course.steps]
    none = [step for step, gain in gains if gain is not None and extent > 0 and gain < limits.effect * extent]
    if not none:
        return None
    last = none[-1]
    many = f", the last of {len(none)} without effect," if len(none) > 1 else ""
    return (
        f"The step of the learning rate from {words.number(last.before)} to {words.number(last.after)} "
        f"at {wording.place(seen.rate, last.at)}{many} brought less than {words.share(limits.effect)} of the loss's range"
    ), last.at


def _gain(seen: _Seen, step: Step) -> float | None:
    """Return by how much the loss is better after a step than before it; None where too few points lie on a side."""
    import numpy as np

    assert seen.loss is not None
    others = [int(seen.rate.step[one.at]) for one in seen.course.steps if one.at != step.at]
    at = int(seen.rate.step[step.at])
    steps, values = seen.loss.step, reading.turned(seen.loss)
    reach = max(4, round(_AROUND * len(values)))
    before = values[(steps < at) & (steps >= max([one for one in others if one < at], default=steps[0]))][-reach:]
    after = values[(steps > at) & (steps < min([one for one in others if one > at], default=steps[-1] + 1))][:reach]
    if min(len(before), len(after)) < 4:
        return None
    return float(np.median(before) - np.median(after))


def _plateau(case: Case, seen: _Seen, limits: LearningRateSchedule.Thresholds) -> Told:
    """Return a rate that is constant to the end although the loss stands still; none where the target is met."""
    rate, loss, at = seen.rate, seen.loss, seen.course.constant_from
    share = reading.waste_after(case, rate, at).share_of_run or 0.0
    if loss is None or share < limits.constant or rate.value[-1] <= 0 or criterion_met(case):
        return None
    flat = plateau(loss.step.astype(float), reading.turned(loss), limits.flat)
    if not flat.flat(limits.flat) or (loss_gained(case) or 0.0) < limits.learned:
        return None
    level = words.number(float(rate.value[-1]))
    since = "for the whole run" if at == 0 else f"since {wording.place(rate, at)}"
    place = wording.place(loss, flat.since)
    return f"The learning rate stayed at {level} {since}, while {wording.series(loss)} has not improved since {place}", at


DETECTOR = LearningRateSchedule()
