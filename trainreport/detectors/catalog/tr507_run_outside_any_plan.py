"""TR507: run outside any plan."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class RunOutsideAnyPlan(Detector):
    """The run belongs to no plan with a purpose, a target and a budget.

    What it checks
    --------------
    Whether a plan was given, and whether it has acceptance criteria or a budget.

    Why it matters
    --------------
    A run that nobody agreed on a target for cannot be judged, only admired: there is no point at which it has succeeded or should stop.

    How it decides
    --------------
    It is a finding when no plan was given, or when the plan has neither a criterion nor a budget.

    What to do
    ----------
    - Write a plan before training: trainreport plan new makes one to start from.
    - Agree on it with the sponsor.

    Limits
    ------
    A plan elsewhere, in a document, is not seen. When a plan was agreed on is the matter of TR501.

    References
    ----------
    - ISO/IEC 42001:2023, A.6: objectives for responsible development, documented.
    - CRISP-DM 1.0 (2000): business success criteria come first.
    """

    code = "TR507"
    name = "run-outside-any-plan"
    severity = Severity.MINOR
    needs = ("a plan",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR507."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        plan = case.plan
        limited = any(getattr(plan.budget, item.name) is not None for item in fields(plan.budget))
        if plan.criteria or limited:
            budget = "a budget" if limited else "no budget"
            return self.clear(f"the plan has {words.plural(len(plan.criteria), 'criterion', 'criteria')} and {budget}")
        what = "No plan was given" if plan.source is None else "The plan has neither a criterion nor a budget"
        return self.found(
            self.finding(
                f"{what}: what this run was for, and when it should have stopped, was not agreed on.",
                evidence=(Evidence("criteria in the plan", 0.0, "1", "counted", 0),),
                action=Action("Agree on a target and a budget, and write them into plan.toml.", "Data lead", "an hour"),
                confidence=Confidence.HIGH,
                limits=limits,
            )
        )


DETECTOR = RunOutsideAnyPlan()
