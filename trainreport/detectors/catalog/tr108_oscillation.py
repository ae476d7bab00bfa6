"""TR108: oscillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.trained import step_of_points, trained_loss
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.fisher import Oscillation, oscillation

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_BENCH = "sinusoids of 5 % of the range in 800 real curves: AUC 0.99; of 1,401 healthy runs none swings by 15 % (benchmarks/accuracy)"
_MOST = 4
"""Held-out curves that are looked at: those of one model swing together."""
_SAME_PERIOD = 1.25
"""Periods within this factor are the same."""


class _Swing(NamedTuple):
    curve: Curve
    seen: Oscillation

    @property
    def steps(self) -> float:
        """Period in steps, or in points where steps were not logged."""
        return self.seen.period * step_of_points(self.curve)


class OscillationOfCurve(Detector):
    """A curve swings up and down with a steady period.

    What it checks
    --------------
    The loss on training data, and up to four curves on held-out data: those of the plan's criteria, the loss, then metrics.

    Why it matters
    --------------
    A run that swings steps over the optimum again and again: compute goes into going back and forth, and how good the last
    checkpoint is depends on the step at which the run was stopped.

    How it decides
    --------------
    The trend (a running median of 15) is taken off, and Fisher's g says what part of the rest swings with one period, of 2 to 15
    points; longer periods are sought in thinned curves. It is a finding when the part is at least 30 %, chance is
    below 0.1 %, and the swing is 5 % of the curve's range from peak to peak. Below 15 % of the range it is
    lowered to minor. A swing that follows a cyclic learning rate is meant, and is clear.

    What to do
    ----------
    - Lower the learning rate, or let it decay; larger batches or averaged weights damp the swing as well.
    - Check that data are shuffled: a period of one epoch is the order of the data.
    - Take the checkpoint by its held-out value, not the last one.

    Limits
    ------
    Noise without a period is no oscillation, however wide. Fewer than 30 points are not judged. Points are taken as
    evenly spaced. Only the last 8,192 points of each scale are looked at.

    References
    ----------
    - Fisher, Tests of significance in harmonic analysis, Proc. R. Soc. A 125 (1929).
    - Zhang et al., AUTOTRAINER, ICSE 2021 (oscillating loss).
    """

    code = "TR108"
    name = "oscillation"
    severity = Severity.MAJOR
    needs = ("a loss on training data, or a loss or metric on held-out data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR108."""

        amplitude: float = threshold(0.05, unit="share", why="Of the range; smaller swings do no harm.", low=0, high=1, source=_BENCH)
        grave: float = threshold(0.15, unit="share", why="Of the range; less is minor.", low=0, high=1, source=_BENCH)
        share: float = threshold(0.3, unit="share", why="Of the variation, in one period.", low=0.05, high=1, source=_BENCH)
        p: float = threshold(
            0.001, unit="1", why="Chance in white noise.", low=0, high=0.5, source="Fisher's test; several curves are tried"
        )
        points: float = threshold(30, unit="points", why="Two windows of the trend.", low=30, high=1e6, source="the method's window")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        trained = trained_loss(case)
        curves = [*([trained] if trained is not None else []), *reading.held_out_first(case)[:_MOST]]
        long = [curve for curve in curves if len(curve) >= limits.points]
        if not long:
            return self.not_applicable(f"no loss or metric has {limits.points:g} finite points, which a period needs")
        swings = sorted((_Swing(curve, oscillation(curve.value)) for curve in long), key=lambda one: -one.seen.score)
        found = [one for one in swings if _swings(one.seen, limits)]
        meant = [one for one in found if _follows_rate(case, one, limits)]
        if meant:
            return self.clear(f"{wording.series(meant[0].curve)} swings every {_period(meant[0])}, as the learning rate does")
        if found:
            return self.found(self._finding(found[0], limits))
        return self.clear(
            f"the widest swing is {words.share(swings[0].seen.amplitude)} of the range of {wording.series(swings[0].curve)}, "
            f"and makes {words.share(swings[0].seen.share)} of its variation"
        )

    def _finding(self, one: _Swing, limits: Thresholds) -> Finding:
        curve, seen = one.curve, one.seen
        small = seen.amplitude < limits.grave
        return self.finding(
            f"{words.capital(wording.series(curve))} swings up and down every {_period(one)} "
            f"by {words.share(seen.amplitude)} of its range; {words.share(seen.share)} of its variation around the trend is this swing.",
            evidence=(
                reading.evidence(curve, "swing from peak to peak", seen.amplitude, "periodogram, of the range", unit="1", first=seen.first),
                reading.evidence(curve, "part of the variation in one period", seen.share, "Fisher's g", unit="1", first=seen.first),
                reading.evidence(curve, "chance in white noise", seen.p, "Fisher's test", unit="1", first=seen.first),
            ),
            action=Action(
                "Lower the learning rate or let it decay, and check that data are shuffled.", owner="ML engineer", effort="an hour"
            ),
            confidence=Confidence.HIGH if seen.p < 1e-6 and not small else Confidence.MEDIUM,
            severity=Severity.MINOR if small else None,
            limits=limits,
            curve=curve,
        )


def _swings(seen: Oscillation, limits: OscillationOfCurve.Thresholds) -> bool:
    return seen.amplitude >= limits.amplitude and seen.share >= limits.share and seen.p <= limits.p


def _follows_rate(case: Case, one: _Swing, limits: OscillationOfCurve.Thresholds) -> bool:
    rate = case.curve("learning_rate", "train")
    if rate is None or not (rate.has_step and one.curve.has_step) or len(rate := reading.finite(rate)) < limits.points:
        return False
    swing = _Swing(rate, oscillation(rate.value))
    return swing.seen.p <= limits.p and 1 / _SAME_PERIOD <= swing.steps / one.steps <= _SAME_PERIOD


def _period(one: _Swing) -> str:
    return f"{words.number(one.steps, 2)} {'steps' if one.curve.has_step else 'points'}"


DETECTOR = OscillationOfCurve()
