"""TR104: plateau."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.plateau import Plateau, plateau

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

_BENCH = "chosen on DeepOBS (F1 0.91) and AlgoPerf (0.82) for no gain in the next half of the budget; 0.4 to 0.7 % do alike"


class PlateauReached(Detector):
    """The run has stopped improving.

    What it checks
    --------------
    The held-out curve of the plan's first criterion; without one the held-out loss, else a held-out metric, else the training loss.

    Why it matters
    --------------
    Training that no longer improves the model can stop: what it costs from there on is free to be spent elsewhere.

    How it decides
    --------------
    The last third of the curve is compared with what came before. It is a plateau when its best goes beyond the best before by less
    than 0.5 % of the curve's range, or when its Theil-Sen trend adds up to less than that and Mann-Kendall finds no trend
    (p > 0.05). The finding says from where on the curve stayed within that distance of its best.

    What to do
    ----------
    - Target met: stop and evaluate.
    - Target missed: lower the learning rate once, the usual cause of a late gain; else see TR101 and TR102 for what holds it back.

    Limits
    ------
    A learning rate that is lowered later can end a plateau; no curve foretells it. Fewer than ten points in the last third give low
    confidence. A curve that got worse has stopped improving too, and says so.

    References
    ----------
    - Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968).
    - Dahl et al., Benchmarking Neural Network Training Algorithms (AlgoPerf), arXiv 2306.07179.
    """

    code = "TR104"
    name = "plateau"
    severity = Severity.NOTE
    needs = ("a loss or metric, best on held-out data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR104."""

        flat: float = threshold(0.005, unit="share", why="Less, of the curve's range, is no gain.", low=0, high=0.5, source=_BENCH)
        points: float = threshold(4, unit="points", why="In the last third; fewer show no trend.", low=3, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        curve = next(iter(reading.held_out_first(case) + reading.training(case)), None)
        if curve is None:
            return self.not_applicable("no loss or metric with a known direction was logged")
        if len(curve) < 3 * limits.points:
            return self.not_applicable(f"{wording.series(curve)} has {len(curve)} finite points; {3 * limits.points:g} are needed")
        seen = plateau(curve.step.astype(float), reading.turned(curve), limits.flat)
        if seen.flat(limits.flat):
            return self.found(self._finding(case, curve, seen, limits))
        return self.clear(f"{wording.series(curve)} still gained {words.share(seen.gain)} of its range in the last third")

    def _finding(self, case: Case, curve: Curve, seen: Plateau, limits: Thresholds) -> Finding:
        (level,) = wording.values(curve, reading.best(curve))
        worse = " and has got worse since" if seen.trend < -0.05 and seen.p < 0.05 else ""
        basis = " (training data; nothing was logged on held-out data)" if curve.phase == "train" else ""
        method = "best of the last third against the best before it, as a share of the range"
        third = len(curve) - seen.tail
        return self.finding(
            f"{words.capital(wording.series(curve))}{basis} has not improved on {level} "
            f"by more than {words.share(limits.flat)} of its range since {wording.place(curve, seen.since)}{worse}.",
            evidence=(
                reading.evidence(curve, "gain of the last third", seen.gain, method, unit="1", first=third),
                reading.evidence(curve, "trend of the last third", seen.trend, "Theil-Sen, as a share of the range", unit="1", first=third),
            ),
            action=Action("Stop if the target is met; else lower the learning rate once before changing more.", "ML engineer", "an hour"),
            # never high: on AlgoPerf a fifth of the longest plateaus, 2 of 10, were left again later (benchmarks/accuracy)
            confidence=Confidence.LOW if seen.tail < 10 or curve.phase == "train" else Confidence.MEDIUM,
            limits=limits,
            waste=reading.waste_after(case, curve, seen.since),
            curve=curve,
        )


DETECTOR = PlateauReached()
