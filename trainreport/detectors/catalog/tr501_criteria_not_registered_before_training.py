"""TR501: criteria not registered before training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class CriteriaNotRegisteredBeforeTraining(Detector):
    """Nothing shows that the acceptance criteria were agreed on before the run began.

    What it checks
    --------------
    The time at which the plan was registered beside the start of the run, where the plan has criteria.

    Why it matters
    --------------
    A target that was set after the result was seen is met by construction. An auditor asks for criteria that stood before.

    How it decides
    --------------
    Registered after the start is major. A plan without a time of registration is minor: it cannot be shown that the criteria stood
    before, nor that they did not. Confidence is medium where the difference is less than a day, for a clock without a zone may be off by
    that much.

    What to do
    ----------
    - Write the time of agreement into the plan (registered) and commit it, signed, before training.
    - Have the criteria of this run confirmed by somebody who has not seen its result.

    Limits
    ------
    The time is what the plan says; whether it is true is shown by version control, not by this file. When training started is the first
    time in the logs.

    References
    ----------
    - Regulation (EU) 2024/1689, Annex IV 2(g): testing against metrics and thresholds set beforehand.
    - Nosek et al., The preregistration revolution, PNAS 2018.
    """

    code = "TR501"
    name = "criteria-not-registered-before-training"
    severity = Severity.MAJOR
    needs = ("acceptance criteria in a plan", "a start time")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR501."""

        sure: float = threshold(
            86_400, unit="s", why="A clock without a zone may be off by less than this.", low=0, high=1e7, source="zones span 26 hours"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        plan, started = case.plan, case.log.run.started_at
        if not plan.criteria:
            return self.not_applicable("the plan has no acceptance criteria" if plan.given else "no plan was given")
        if plan.registered is None:
            return self.found(self._unknown(len(plan.criteria), limits))
        if started is None:
            return self.not_applicable("nothing in the logs says when the run began")
        late = (plan.registered - started).total_seconds()
        if late <= 0:
            return self.clear(f"the criteria were registered {words.duration(-late)} before the run began")
        return self.found(self._late(late, limits))

    def _unknown(self, criteria: int, limits: Thresholds) -> Finding:
        return self.finding(
            f"The plan has {words.plural(criteria, 'criterion', 'criteria')} and no time of registration, so that it cannot be shown "
            "that they stood before training.",
            evidence=(Evidence("criteria without a time of registration", float(criteria), "1", "counted in the plan", criteria),),
            action=_ACTION,
            confidence=Confidence.HIGH,
            limits=limits,
            severity=Severity.MINOR,
        )

    def _late(self, late: float, limits: Thresholds) -> Finding:
        return self.finding(
            f"The acceptance criteria were registered {words.duration(late)} after the run began.",
            evidence=(Evidence("time from the start of the run to the registration", late, "s", "the plan against the logs", 1),),
            action=_ACTION,
            confidence=Confidence.HIGH if late >= limits.sure else Confidence.MEDIUM,
            limits=limits,
        )


_ACTION = Action("Register the criteria with their time before the next run, and have these confirmed.", "Data lead", "an hour")


DETECTOR = CriteriaNotRegisteredBeforeTraining()
