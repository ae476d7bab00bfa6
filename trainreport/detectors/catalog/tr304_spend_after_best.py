"""TR304: spend after best."""

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


class SpendAfterBest(Detector):
    """A good part of the run's GPU time was spent after its best checkpoint.

    What it checks
    --------------
    The held-out curve of the plan's first criterion, else the held-out loss or a metric, beside the GPU-hours of the run: how much of
    them came after the best checkpoint.

    Why it matters
    --------------
    This is the amount that a rule to stop early would have saved. It shows whether such a rule is worth the work.

    How it decides
    --------------
    It is a finding when more than a fifth of the run and at least one GPU-hour came after the best checkpoint. So that a single lucky
    value early on does not count, the optimum of a running median over a tenth of the curve must lie as far back. The run begins before
    its first evaluation. Where nothing was learned (see TR101) no checkpoint is the best.

    What to do
    ----------
    - Stop early by rule next time: when the best of the last fifth of a run is no better than the best before.
    - Keep the best checkpoint; what came after it adds nothing to its price.

    Limits
    ------
    In hindsight only: to know that a value was the best, some training after it is needed. The fifth allows for that. GPU time is
    taken to be spent evenly over the run. What the curve did is the matter of TR112, what this one adds is the amount.

    References
    ----------
    - Prechelt, Early Stopping - But When? (1998).
    """

    code = "TR304"
    name = "spend-after-best"
    severity = Severity.MINOR
    needs = ("a loss or metric on held-out data", "GPU-hours")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR304."""

        past: float = threshold(
            0.20, unit="share", why="Part of the run that patience explains.", low=0, high=1, source="convention: patience"
        )
        hours: float = threshold(1.0, unit="h", why="Less GPU time is worth no rule.", low=0, high=1e6, source="convention")
        evaluations: float = threshold(10, unit="evaluations", why="Fewer show no best.", low=5, high=1000, source="convention, as TR112")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = after_best(self, case, limits.evaluations)
        if isinstance(seen, Outcome):
            return seen
        hours = case.ledger.gpu_hours
        if not hours:
            return self.not_applicable(f"no GPU-hours: {case.ledger.basis.get('hours', 'not known')}")
        if seen.unlearned:
            return self.clear(seen.unlearned)
        past, where = seen.past, wording.place(seen.curve, seen.best)
        if min(past, seen.agreed) > limits.past and past * hours >= limits.hours:
            return self.found(self._finding(case, seen, limits))
        lucky = "; a single value, for the curve went on improving" if seen.agreed <= limits.past < past else ""
        return self.clear(f"{words.hours(past * hours)} of GPU time, {words.share(past)}, after the best checkpoint at {where}{lucky}")

    def _finding(self, case: Case, seen: AfterBest, limits: Thresholds) -> Finding:
        curve, at = seen.curve, seen.best
        waste = reading.waste_after(case, curve, at)
        hours, past = (waste.gpu_s or 0.0) / 3600, waste.share_of_run or 0.0
        where = wording.place(curve, at)
        method = "time from the best value to the end, times the GPU-hours of the run"
        return self.finding(
            f"{words.hours(hours)} of GPU time, {words.share(past)} of the run, came after the best checkpoint at {where}.",
            evidence=(
                reading.evidence(curve, "GPU time after the best checkpoint", hours * 3600, method, unit="s", first=at),
                reading.evidence(curve, "share of the run after the best checkpoint", past, method, unit="1", first=at),
            ),
            action=Action("Stop early by rule next time, and keep the best checkpoint of this run.", "ML engineer", "an hour"),
            confidence=Confidence.MEDIUM,
            limits=limits,
            waste=waste,
            curve=curve,
        )


DETECTOR = SpendAfterBest()
