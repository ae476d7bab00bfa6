"""TR301: over budget."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trainreport.detectors import spending
from trainreport.detectors.base import Detector, threshold
from trainreport.model.finding import Action, Confidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.business.budget import BudgetLine
    from trainreport.model.case import Case

_LIMITS = ("money", "gpu_hours", "wall_time")


class OverBudget(Detector):
    """More money, GPU-hours or time was spent than was agreed.

    What it checks
    --------------
    What this run and all runs before it took together, beside the plan's limits on money, GPU-hours and wall time.

    Why it matters
    --------------
    A limit that is passed without a decision is no limit. Who agreed to it has to be asked before more is spent.

    How it decides
    --------------
    The budget covers all runs of the assessment together. It is a finding on the run with which a limit was passed, and on each that
    began after that. Up to a twentieth over is minor.

    What to do
    ----------
    - Ask the sponsor for a decision: end here with the best checkpoint, or agree on a new limit with a reason.
    - Hold further runs until then.

    Limits
    ------
    A run whose cost is not known adds nothing, so that the true sum may be higher. Spending that is in no log, such as storage and
    people, is not seen. A run that began earlier counts in full, though part of it may have come after this one began.

    References
    ----------
    - PMI, A Guide to the Project Management Body of Knowledge, 7th edition: cost variance.
    """

    code = "TR301"
    name = "over-budget"
    severity = Severity.MAJOR
    needs = ("a limit on money, GPU-hours or wall time in the plan", "what the run took")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR301."""

        over: float = threshold(1.0, unit="share", why="What was agreed is the limit.", low=0.5, high=2, source="the plan itself")
        slight: float = threshold(
            0.05, unit="share", why="Up to this much over the limit is a minor matter.", low=0, high=1, source="convention: a twentieth"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        budget = case.plan.budget
        if budget.money is None and budget.gpu_hours is None and budget.wall_time_s is None:
            return self.not_applicable("the plan sets no limit on money, GPU-hours or wall time")
        found = spending.lines(case, _LIMITS)
        if not found:
            return self.not_applicable(f"what was spent is not known: cost {case.ledger.basis.get('cost', 'not known')}")
        action = Action("Ask the sponsor to end here or to agree on a new limit; hold further runs until then.", "Data lead", "an hour")
        how = partial(_when, case, limits)
        return spending.outcome(self, case, limits, found, how=how, action=action, confidence=Confidence.HIGH)


def _when(case: Case, limits: OverBudget.Thresholds, over: list[BudgetLine]) -> str:
    """Return whether the run began when the limits were passed already."""
    if not spending.earlier(case):
        return ""
    passed = {line.name for line in spending.lines(case, _LIMITS, factor=0) if (line.share or 0.0) > limits.over}
    before = {line.name for line in over} <= passed
    return f"; the limit was passed {'before this run began' if before else 'during this run'}"


DETECTOR = OverBudget()
