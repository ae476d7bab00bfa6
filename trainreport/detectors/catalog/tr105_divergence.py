"""TR105: divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.breaks import share_at_end
from trainreport.detectors.course import SURE, gain_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.stats.gain import Gain

_BENCH = "DeepOBS, 675 runs: no run that lost a tenth or more had reached the target, none at the best rate lost as much"
_BLOWN_UP = 100.0
"""Overfitting does not take a held-out loss to so many times its start."""


class _Fall(NamedTuple):
    """A curve that had learned, and what became of it."""

    curve: Curve
    gain: Gain

    @property
    def lost(self) -> float:
        """Share of the best gain that is gone at the end; above 1 the end is worse than the start."""
        return (self.gain.last - self.gain.best) / self.gain.most

    @property
    def best_at(self) -> int:
        return int(reading.turned(self.curve).argmin())

    @property
    def since(self) -> int:
        """Position from which on more than half of the gain was gone for good."""
        import numpy as np

        kept = np.flatnonzero(reading.turned(self.curve) <= self.gain.start - self.gain.most / 2)
        return min(int(kept[-1]) + 1, len(self.curve) - 1) if len(kept) else 0


class Divergence(Detector):
    """The run had learned, and then lost it again on the very data that it trains on.

    What it checks
    --------------
    The loss on training data; rewards where they were logged; metrics where no loss was.

    Why it matters
    --------------
    From where the loss breaks away, all compute is lost: the weights get worse with each step, and do not come back by themselves.

    How it decides
    --------------
    The start is the worse of the first value and the median of the first three, the best is that of a running median over a tenth of
    the curve, the end is the median of the last 5 %. A run diverged when it had clearly learned (5 % of the start, and beyond the
    noise that it had before its best) and at the end at least half of that gain is gone. Where less than four fifths are gone, or
    where only a metric or a reward tells, it is lowered to major.

    Three troubles are told apart, so that a run is told one of them: a run that never learned is TR103, one that
    ends in values that are not finite is TR106, and one that gets worse on held-out data only is TR101.

    What to do
    ----------
    - Go back to the checkpoint before it broke away.
    - Cheapest first: lower the learning rate by a factor of three to ten, clip gradients, warm up for longer.
    - Look at the batches around that step; in half precision use loss scaling, or bfloat16.

    Limits
    ------
    Where only a loss on held-out data was logged, a rise may as well be overfitting: only one to a hundred times its start
    counts. A run that was stopped in the first steps of breaking away shows as a spike at its end (TR107).

    References
    ----------
    - Schneider, Balles, Hennig, DeepOBS: A Deep Learning Optimizer Benchmark Suite, ICLR 2019.
    - Chowdhery et al., PaLM: Scaling Language Modeling with Pathways (2022), section 5.1: going back and skipping batches.
    """

    code = "TR105"
    name = "divergence"
    severity = Severity.CRITICAL
    needs = ("a loss, reward or metric on training data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR105."""

        learned: float = threshold(0.05, unit="share", why="Of the start; a smaller gain cannot be lost.", low=0, high=1, source=_BENCH)
        lost: float = threshold(0.5, unit="share", why="Of the gain; half is no noise.", low=0.05, high=10, source=_BENCH)
        grave: float = threshold(0.8, unit="share", why="Of the gain; less is major.", low=0.05, high=10, source="convention")
        points: float = threshold(10, unit="points", why="Fewer show no course.", low=5, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        curves = [curve for curve in _judged(case) if len(curve) >= limits.points]
        if not curves:
            return self.not_applicable(f"no loss, reward or metric has {limits.points:g} finite points that show what training did")
        broken = next((curve for curve in curves if _ends_broken(case, curve)), None)
        if broken is not None:
            return self.clear(f"{wording.series(broken)} ends in values that are not finite: that is TR106")
        courses = [_Fall(curve, gain_of(curve)) for curve in curves]
        fallen = [one for one in courses if _diverged(one, limits)]
        if fallen:
            return self.found(self._finding(case, max(fallen, key=lambda one: one.lost), limits))
        return self.clear(_why_clear(courses[0], limits))

    def _finding(self, case: Case, one: _Fall, limits: Thresholds) -> Finding:
        curve, gain, at = one.curve, one.gain, one.best_at
        method = "first values, optimum of a running median over a tenth of the curve, median of the last 5 %"
        loss = reading.is_loss(curve.series)
        grave = loss and one.lost >= limits.grave
        return self.finding(
            _message(one),
            evidence=(
                reading.evidence(curve, f"part of the gain in {wording.series(curve)} lost again", one.lost, method, unit="1", first=at),
                reading.evidence(curve, f"end of {wording.series(curve)}", -curve.direction * gain.last, "median of the last 5 %"),
            ),
            action=Action(
                "Go back to the checkpoint before it broke away; lower the learning rate and clip gradients.",
                owner="ML engineer",
                effort="an hour",
            ),
            confidence=Confidence.HIGH if grave and len(curve) >= 20 else Confidence.MEDIUM,
            severity=Severity.CRITICAL if grave else Severity.MAJOR,
            limits=limits,
            waste=reading.waste_after(case, curve, at),
            curve=curve,
        )


def _judged(case: Case) -> list[Curve]:
    """Return the curves that tell what training did: rewards, else the loss, else metrics, else the loss on held-out data."""
    trained = reading.training(case)
    rewards = [curve for curve in trained if curve.series.startswith("reward")]
    losses = [curve for curve in trained if reading.is_loss(curve.series)]
    unseen = [] if trained else reading.held_out_first(case)
    return rewards or losses[:1] or trained or unseen[:1]


def _ends_broken(case: Case, curve: Curve) -> bool:
    whole = case.curve(curve.series, curve.phase)
    return whole is not None and share_at_end(whole) >= 0.5


def _diverged(one: _Fall, limits: Divergence.Thresholds) -> bool:
    gain = one.gain
    if not _gained(one, limits) or gain.most <= SURE * gain.error:
        return False
    if one.curve.phase != "train":  # there a rise may be overfitting
        return gain.last > _BLOWN_UP * abs(gain.start)
    return one.lost >= limits.lost


def _gained(one: _Fall, limits: Divergence.Thresholds) -> bool:
    """Return whether there was enough to lose."""
    gain = one.gain
    scale = abs(gain.start) if reading.is_loss(one.curve.series) else max(abs(gain.start), abs(gain.best))
    return gain.most > 0 and gain.most >= limits.learned * scale


def _message(one: _Fall) -> str:
    curve, gain = one.curve, one.gain
    sign = -curve.direction
    start, best, last = wording.values(curve, sign * gain.start, float(curve.value[one.best_at]), sign * gain.last)
    went, then = ("fell", "rose") if curve.direction < 0 else ("rose", "fell")
    share = "all" if one.lost >= 1 else words.share(one.lost)
    return (
        f"{words.capital(wording.series(curve))} {went} from {start} to {best} at {wording.place(curve, one.best_at)}, "
        f"then {then} to {last}: {share} of the gain is lost, most of it since {wording.place(curve, one.since)}."
    )


def _why_clear(one: _Fall, limits: Divergence.Thresholds) -> str:
    name, sign = wording.series(one.curve), -one.curve.direction
    if not _gained(one, limits):
        return f"{name} had gained too little to lose: see TR103"
    if one.gain.most <= SURE * one.gain.error:
        return f"what {name} gained, {words.number(one.gain.most)}, does not stand out of the noise it had until then"
    best, last = wording.values(one.curve, sign * one.gain.best, sign * one.gain.last)
    held_out = "" if one.curve.phase == "train" or one.lost < limits.lost else "; on held-out data that may be overfitting"
    return f"{name} ended at {last}, its smoothed best was {best}: {words.share(max(0.0, one.lost))} of the gain is lost{held_out}"


DETECTOR = Divergence()
