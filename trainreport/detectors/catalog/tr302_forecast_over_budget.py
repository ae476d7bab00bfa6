"""TR302: forecast over budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import spending
from trainreport.detectors.base import Detector, threshold
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.business.budget import BudgetLine
    from trainreport.detectors.spending import Ahead
    from trainreport.model.case import Case

_LIMITS = ("money", "gpu_hours", "wall_time", "energy_kwh", "carbon_kg")


class ForecastOverBudget(Detector):
    """Going on to the planned end will take more than was agreed.

    What it checks
    --------------
    A run that is not done: what it took so far and the share of its planned steps or epochs that it did, with what the runs before it
    took, beside the plan's limits on money, GPU-hours, wall time, energy and carbon.

    Why it matters
    --------------
    Before a limit is passed there is still a choice: fewer steps, fewer GPUs that wait, or a new limit asked for in time.

    How it decides
    --------------
    The estimate at completion is what was spent before, and this run's spending divided by the share that it did. The interval takes
    what remains at the pace of the quickest and of the slowest third of the run. It is a finding when the estimate passes a limit that
    is not passed yet; minor when even the quickest third would keep it. Confidence is high only where the whole interval passes the
    limit and at least a quarter of the run is done; low where the pace is not known.

    What to do
    ----------
    - Decide now: shorten the run, take waste out of it, or ask for more with the figure at hand.
    - Judge the best checkpoint so far; it may be enough.

    Limits
    ------
    The estimate takes start-up as if it came again, so that it is high early on. Limits that are passed already are the matter of
    TR301 and TR306. A run that ended early and was followed by another is not taken to go on.

    References
    ----------
    - PMI, Practice Standard for Earned Value Management: estimate at completion = actual cost / share done.
    """

    code = "TR302"
    name = "forecast-over-budget"
    severity = Severity.MAJOR
    needs = ("a budget in the plan", "the planned steps or epochs", "what the run took")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR302."""

        done: float = threshold(
            0.05, unit="share", why="Less of the planned length foretells nothing.", low=0.01, high=0.9, source="convention: a twentieth"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        ahead = spending.ahead(case, limits.done)
        if isinstance(ahead, str):
            return self.not_applicable(ahead)
        now = spending.lines(case, _LIMITS)
        if not now:
            return self.not_applicable("the plan sets no limit on what is known of the spending")
        open_limits = [line.name for line in now if not line.over]
        if not open_limits:
            return self.not_applicable(f"every limit is passed already: {spending.said(now)}")
        at_end = spending.lines(case, open_limits, ahead.whole)
        over = [line for line in at_end if line.over]
        if not over:
            return self.clear(f"{ahead.done.words}; at the end {spending.said(at_end)}")
        return self.found(self._finding(case, max(over, key=lambda line: line.share or 0.0), ahead, limits))

    def _finding(self, case: Case, line: BudgetLine, ahead: Ahead, limits: Thresholds) -> Finding:
        low, high = (spending.lines(case, (line.name,), factor)[0] for factor in (ahead.low, ahead.high))
        between = f" ({low.spent} to {high.spent})" if ahead.paced and low.spent != high.spent else ""
        sure = ahead.paced and low.over and ahead.done.share >= 0.25
        return self.finding(
            f"At {ahead.done.words} the run is on course to end with {spending.standing(line)}{between}, {line.excess}.",
            evidence=(
                spending.evidence(
                    case,
                    line,
                    "share of the limit at completion",
                    low=low.share if ahead.paced else None,
                    high=high.share if ahead.paced else None,
                ),
            ),
            action=Action("Decide before the limit is passed: shorten the run, take out waste, or ask for more.", "Data lead", "an hour"),
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM if ahead.paced else Confidence.LOW,
            limits=limits,
            severity=None if low.over else Severity.MINOR,
        )


DETECTOR = ForecastOverBudget()
