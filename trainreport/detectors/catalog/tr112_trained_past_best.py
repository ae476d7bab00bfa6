"""TR112: trained past the best checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.heldout import AfterBest, after_best
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_SOURCE = "convention: patience; OverfitGuard's 40 real histories need 80 to 100 epochs of it to find the best in 97 to 100 %"


class TrainedPastBest(Detector):
    """A good part of the run came after its best checkpoint and gained nothing.

    What it checks
    --------------
    The held-out curve of the plan's first criterion; without one the held-out loss, else a held-out metric.

    Why it matters
    --------------
    What was trained after the best checkpoint was paid for and is thrown away.

    How it decides
    --------------
    All that comes after the best value is counted, in steps and in GPU time, when it is more than a fifth of the run, which begins
    before its first evaluation. So that a single lucky value early on does not count, the optimum of a running median over a tenth of
    the curve must lie as far back. Where nothing was learned (see TR101) no checkpoint is the best, and TR103 is asked.

    What to do
    ----------
    - Stop early by rule: when the best of the last fifth of the run is no better than the best before.
    - Keep the best checkpoint, not only the last.

    Limits
    ------
    In hindsight only: to know that a value was the best, some training after it is needed. The fifth allows for that. Phases without
    gain that are meant (a learning-rate schedule to its end) count too.

    References
    ----------
    - Prechelt, Early Stopping - But When? (1998).
    - Li et al., Keeping Deep Learning Models in Check (OverfitGuard), IEEE Access 2024.
    """

    code = "TR112"
    name = "trained-past-best"
    severity = Severity.MINOR
    needs = ("a loss or metric on held-out data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR112."""

        past: float = threshold(0.20, unit="share", why="Part of the run that patience explains.", low=0, high=1, source=_SOURCE)
        evaluations: float = threshold(10, unit="evaluations", why="Fewer show no best.", low=5, high=1000, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = after_best(self, case, limits.evaluations)
        if isinstance(seen, Outcome):
            return seen
        if seen.unlearned:
            return self.clear(seen.unlearned)
        if min(seen.past, seen.agreed) > limits.past:
            return self.found(self._finding(case, seen, limits))
        single = seen.past > limits.past
        why = "a single value: the curve went on improving" if single else f"{words.share(seen.past)} of the run came after it"
        return self.clear(f"the best {wording.series(seen.curve)} stands at {wording.place(seen.curve, seen.best)}; {why}")

    def _finding(self, case: Case, seen: AfterBest, limits: Thresholds) -> Finding:
        curve, at, rise = seen.curve, seen.best, seen.rise
        waste = reading.waste_after(case, curve, at)
        past = waste.share_of_run or 0.0
        (best,) = wording.values(curve, float(curve.value[at]))
        worse = rise.rise > 2 * rise.error
        method = "from the best value to the end"
        where = wording.place(curve, at)
        return self.finding(
            f"The best {wording.series(curve)} ({best}) stands at {where}; the {words.share(past)} of the run after it gained nothing.",
            evidence=(reading.evidence(curve, "share of the run after the best checkpoint", past, method, unit="1", first=at),),
            action=Action("Use the best checkpoint, and stop early by rule next time.", owner="ML engineer", effort="an hour"),
            confidence=Confidence.HIGH if worse and len(curve) >= 20 else Confidence.MEDIUM,
            limits=limits,
            waste=waste,
            curve=curve,
        )


DETECTOR = TrainedPastBest()
