"""TR113: stopped while improving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.course import criterion_met
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.plateau import Plateau, plateau

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_SOURCE = "four times the limit of TR104, so that between a plateau and this there is neither"


class StoppedWhileImproving(Detector):
    """The run ended although the model was still getting better.

    What it checks
    --------------
    The held-out curve of the plan's first criterion; without one the held-out loss, else a held-out metric.

    Why it matters
    --------------
    What the run could reach is not known yet. When the target was missed, going on from the last checkpoint may be the
    cheapest way to it.

    How it decides
    --------------
    The last third of the curve still gained 2 % of its whole range over the best before, its Theil-Sen trend adds up to as much,
    Mann-Kendall finds it real (p < 0.01), and the best value lies in the last tenth. A run that is still going, that
    met its criterion, or whose learning rate had come down to a twentieth of its highest (the schedule was over: going on needs
    a new one) is not told so.

    What to do
    ----------
    - Target missed: resume from the last checkpoint, with the schedule set to the new length.
    - Look first at what the next tenth costs, and whether the budget allows it.

    Limits
    ------
    A curve that improves need not go on to do so; of 700 half runs that looked so, 98 % went on in their second half. Part of a late
    gain comes from a decaying learning rate; where no rate was logged, this cannot be told.

    References
    ----------
    - Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968).
    - Hoffmann et al., Training Compute-Optimal Large Language Models (2022): the schedule must fit the length of the run.
    """

    code = "TR113"
    name = "stopped-while-improving"
    severity = Severity.NOTE
    needs = ("a loss or metric on held-out data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR113."""

        gain: float = threshold(0.02, unit="share", why="Of the range, in the last third.", low=0.001, high=1, source=_SOURCE)
        p: float = threshold(0.01, unit="1", why="A trend less likely by chance is real.", low=0, high=0.5, source="usual level")
        late: float = threshold(0.1, unit="share", why="The best lies in the last tenth.", low=0.01, high=1, source="convention")
        decayed: float = threshold(0.05, unit="share", why="Of the highest rate: schedule over.", low=0, high=1, source="convention")
        points: float = threshold(12, unit="points", why="4 in the last third.", low=9, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if case.log.run.status == "running":
            return self.not_applicable("the run is still going")
        curve = next(iter(reading.held_out_first(case)), None)
        if curve is None:
            return self.not_applicable("no loss or metric was logged on held-out data")
        if len(curve) < limits.points:
            return self.not_applicable(f"{wording.series(curve)} has {len(curve)} finite points; {limits.points:g} are needed")
        values = reading.turned(curve)
        seen = plateau(curve.step.astype(float), values, limits.gain)
        late = int(values.argmin()) >= (1 - limits.late) * (len(curve) - 1)
        if min(seen.gain, seen.trend) < limits.gain or seen.p > limits.p or not late:
            return self.clear(_why_clear(curve, seen, late=late, limits=limits))
        if met := criterion_met(case):
            return self.clear(f"it was still improving, but {met}")
        left = _rate_left(case)
        if left is not None and left <= limits.decayed:
            return self.clear(f"it was still improving, but the learning rate was down to {words.share(left)} of its highest")
        return self.found(self._finding(case, curve, seen, left, limits))

    def _finding(self, case: Case, curve: Curve, seen: Plateau, left: float | None, limits: Thresholds) -> Finding:
        best = int(reading.turned(curve).argmin())
        (level,) = wording.values(curve, float(curve.value[best]))
        planned = case.plan.training.steps
        short = curve.has_step and planned and int(curve.step[-1]) < 0.95 * planned
        of = f" of {planned:,} planned" if short else ""
        third = len(curve) - seen.tail
        rate = "" if left is not None else "; no learning rate tells how much of that is due to its decay"
        return self.finding(
            f"The run ended at {wording.place(curve, len(curve) - 1)}{of} with {wording.series(curve)} at {level} and still improving: "
            f"the last third brought {words.share(seen.gain)} of its range{rate}.",
            evidence=(
                reading.evidence(curve, "gain of the last third", seen.gain, "best against the best before", unit="1", first=third),
                reading.evidence(curve, "trend of the last third", seen.trend, "Theil-Sen, of the range", unit="1", first=third),
                reading.evidence(curve, "chance of such a trend without gain", seen.p, "Mann-Kendall", unit="1", first=third),
            ),
            action=Action(
                "Resume from the last checkpoint if the target is missed and the budget allows it.", owner="ML engineer", effort="an hour"
            ),
            confidence=Confidence.HIGH if seen.tail >= 10 else Confidence.MEDIUM,
            limits=limits,
            curve=curve,
        )


def _why_clear(curve: Curve, seen: Plateau, *, late: bool, limits: StoppedWhileImproving.Thresholds) -> str:
    text = f"{wording.series(curve)} gained {words.share(max(0.0, seen.gain))} of its range in the last third"
    if min(seen.gain, seen.trend) < limits.gain:
        return text
    return (
        f"{text}, which noise explains"
        if late
        else f"{text}, but its best lies at {wording.place(curve, int(reading.turned(curve).argmin()))}"
    )


def _rate_left(case: Case) -> float | None:
    """Return the last learning rate as a share of its highest; None where none was logged."""
    rate = case.curve("learning_rate", "train")
    if rate is None or not len(rate := reading.finite(rate)):
        return None
    highest = float(rate.value.max())
    return float(rate.value[-1]) / highest if highest > 0 else None


DETECTOR = StoppedWhileImproving()
