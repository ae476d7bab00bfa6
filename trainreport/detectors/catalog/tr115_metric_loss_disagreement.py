"""TR115: loss and metric disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.heldout import HeldOut, held_out
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_AS_TR101 = "as in TR101, fitted on OverfitGuard's simulated histories"
_TRADED = ("precision", "recall")
"""Traded for each other, so that one of them may fall without harm."""


class MetricLossDisagreement(Detector):
    """On held-out data the loss goes one way and the metric the other.

    What it checks
    --------------
    The loss on held-out data beside every metric on held-out data.

    Why it matters
    --------------
    When the loss rises while accuracy holds, the model is as often right as before but too sure of itself: thresholds and
    risks that are computed from its probabilities are off. When the metric falls while the loss still improves, training
    works towards something other than what is wanted. Either way the choice of the checkpoint depends on which is asked.

    How it decides
    --------------
    One has got worse since its best by size, by part of the gain and beyond noise, with the limits of TR101; the other has not, and is
    at the end within half of these limits of its best. Precision and recall are left out, as they are traded for each other, and so are
    rewards. What never learned anything (see TR101) neither holds nor gets worse.

    What to do
    ----------
    - Choose the checkpoint by the metric that the plan names.
    - Loss worse: calibrate (temperature scaling on validation data), smooth labels, or stop earlier, where probabilities are used.
    - Metric worse: train on a loss that stands for the metric, or weigh classes.

    Limits
    ------
    Where loss and metric both got worse it is overfitting (TR101); a metric that got worse while training improved is told there as well.

    References
    ----------
    - Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
    """

    code = "TR115"
    name = "metric-loss-disagreement"
    severity = Severity.MINOR
    needs = ("a loss on held-out data", "a metric on held-out data")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR115."""

        relative_rise: float = threshold(0.04, unit="share", why="A loss must rise by this to matter.", low=0, high=10, source=_AS_TR101)
        drop: float = threshold(0.02, unit="share", why="A share such as accuracy must fall by this.", low=0, high=1, source="as in TR101")
        lost_gain: float = threshold(0.04, unit="share", why="Part of all gains.", low=0, high=1, source=_AS_TR101)
        sigmas: float = threshold(4, unit="standard errors", why="Out of the noise.", low=0, high=50, source=_AS_TR101)
        evaluations: float = threshold(10, unit="evaluations", why="Fewer show no turn.", low=5, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        names = [name for name in case.quality_series() if not name.startswith("reward") and name not in _TRADED]
        losses = reading.losses_of(names)
        metrics = [name for name in names if not reading.is_loss(name)]
        if not losses or not metrics:
            return self.not_applicable(f"no {'metric' if losses else 'loss'} was logged on held-out data to compare with")
        loss = held_out(case, losses[0], limits.evaluations)
        seen = [one for name in metrics if (one := held_out(case, name, limits.evaluations)) is not None]
        if loss is None or not seen:
            return self.not_applicable(f"fewer than {limits.evaluations:g} finite evaluations of the loss or of a metric")
        pair = _disagreement(loss, seen, limits)
        if pair is not None:
            return self.found(self._finding(case, *pair, limits))
        nothing = next((one.unlearned for one in (loss, *seen) if one.unlearned), None)
        return self.clear(nothing or f"{_course(loss)} and {_course(seen[0])}: both tell the same")

    def _finding(self, case: Case, worse: HeldOut, other: HeldOut, limits: Thresholds) -> Finding:
        name = wording.series(worse.curve)
        means = "the model got surer, not more often wrong" if worse.is_loss else "what is minimised is not what is wanted"
        way = "median of the last 5 % against the optimum of a running median"
        long = min(worse.rise.n, other.rise.n) >= 20
        return self.finding(
            f"{words.capital(_course(worse))} while {_course(other)}: {means}.",
            evidence=(
                reading.evidence(worse.curve, f"worsening of {name} since its best", worse.rise.rise, way, first=worse.best_at),
                reading.evidence(
                    other.curve, f"worsening of {wording.series(other.curve)} since its best", other.rise.rise, way, first=other.best_at
                ),
            ),
            action=Action(
                "Choose the checkpoint by the metric that the plan names, and calibrate probabilities before they are used.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=Confidence.HIGH if long and worse.rise.sigmas > 2 * limits.sigmas else Confidence.MEDIUM,
            limits=limits,
            curve=worse.curve,
        )


def _disagreement(loss: HeldOut, metrics: list[HeldOut], limits: MetricLossDisagreement.Thresholds) -> tuple[HeldOut, HeldOut] | None:
    """Return what got worse and what held; a loss beside metrics that all held, or a metric beside a loss that held."""
    gates = (limits.relative_rise, limits.drop, limits.lost_gain, limits.sigmas)
    if loss.worse(*gates):
        return (loss, metrics[0]) if all(_held(one, limits) for one in metrics) else None
    worse = [one for one in metrics if one.worse(*gates)]
    return (worse[0], loss) if worse and _held(loss, limits) else None


def _held(one: HeldOut, limits: MetricLossDisagreement.Thresholds) -> bool:
    """Return whether a curve ended near its best, whatever its noise; a share also near the best single value."""
    best, last = one.best_and_last
    near = not one.curve.is_share or abs(best - last) <= limits.drop * one.curve.whole
    return one.unlearned is None and near and not one.worse(limits.relative_rise / 2, limits.drop / 2, limits.lost_gain, 0.0)


def _course(one: HeldOut) -> str:
    best, last = wording.values(one.curve, *one.best_and_last)
    place = wording.place(one.curve, one.best_at)
    return f"{wording.series(one.curve)} was best with {best} at {place} and ended at {last}"


DETECTOR = MetricLossDisagreement()
