"""TR501: criteria not registered before training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.detectors.base import Detector, threshold
from trainreport.errors import InputError
from trainreport.model import clock, lock, words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from trainreport.model.case import Case
    from trainreport.model.plan import LockFile

_MOST_SHOWN = 5


class CriteriaNotRegisteredBeforeTraining(Detector):
    """Nothing shows that the acceptance criteria were agreed on before the run began.

    What it checks
    --------------
    Where the plan has criteria: its lock (trainreport plan lock), which holds every version with its time and digest, beside the start of
    the run; without a lock, the time of registration that the plan itself gives.

    Why it matters
    --------------
    A target that was set after the result was seen is met by construction. An auditor asks for criteria that stood before.

    How it decides
    --------------
    The criteria of the last version locked before the run began are compared with those of the plan as given: alike is clear, any
    difference in what judges (id, series, threshold, tolerance ...) is major, and the changes are listed. A lock that was changed
    afterwards is major: its versions no longer follow from each other. Where nothing was locked before the start, the plan's own time
    decides: registered after the start is major; no time at all is minor, for it cannot be shown that the criteria stood before, nor that
    they did not. Confidence is medium where the difference is less than a day, for a clock without a zone may be off by that much.

    What to do
    ----------
    - Write the time of agreement into the plan (registered), run trainreport plan lock, and commit both, signed, before training.
    - Have the criteria of this run confirmed by somebody who has not seen its result.

    Limits
    ------
    The times are what plan and lock say; whether they are true is shown by version control or by the signature of the lock, not by these
    files. When training started is the first time in the logs.

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
        if plan.source is not None and plan.source.lock is not None:
            shown = self._locked(plan.source.text, plan.source.lock, started, limits)
            if shown is not None:
                return shown
        if plan.registered is None:
            return self.found(self._unknown(len(plan.criteria), limits))
        if started is None:
            return self.not_applicable("nothing in the logs says when the run began")
        late = (plan.registered - started).total_seconds()
        if late <= 0:
            return self.clear(f"the criteria were registered {words.duration(-late)} before the run began")
        return self.found(self._late(late, limits))

    def _locked(self, plan: str, file: LockFile, started: datetime | None, limits: Thresholds) -> Outcome | None:
        """Judge by the lock; None where it says nothing about the time before the run."""
        try:
            versions = lock.chain(file.content, file.file)
        except InputError as error:
            return self.found(self._broken(str(error), limits))
        stood = None if started is None else lock.in_force(versions, started)
        if started is None or stood is None:
            return None
        changes = lock.criteria_changes(stood["plan"], lock.content(plan))
        if changes:
            return self.found(self._changed(stood, changes, limits))
        early = words.duration((started - clock.parse_instant(stood["locked_at"])).total_seconds())
        return self.clear(
            f"the criteria were locked {early} before the run began and stand unchanged "
            f"(version {stood['version']}, {stood['locked_at']}, SHA-256 {stood['plan_sha256']})"
        )

    def _broken(self, what: str, limits: Thresholds) -> Finding:
        return self.finding(
            f"The lock of the plan does not hold, so that it does not show when the criteria stood: {what}.",
            evidence=(Evidence("lock files that do not hold", 1.0, "1", "each version against the digest of the one before", 1),),
            action=Action("Take the lock file from version control, and find out who changed it.", "Data lead", "an hour"),
            confidence=Confidence.HIGH,
            limits=limits,
        )

    def _changed(self, stood: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], limits: Thresholds) -> Finding:
        told = "; ".join(lock.shown(one) for one in changes[:_MOST_SHOWN])
        more = f"; and {len(changes) - _MOST_SHOWN} more" if len(changes) > _MOST_SHOWN else ""
        return self.finding(
            f"The acceptance criteria are not those that were locked before the run began (version {stood['version']}, "
            f"{stood['locked_at']}): {told}{more}.",
            evidence=(Evidence("changes to the criteria since", float(len(changes)), "1", "the plan against its lock", len(changes)),),
            action=Action(
                "Judge the run by the criteria that were locked, or have the change confirmed by its owner.", "Data lead", "an hour"
            ),
            confidence=Confidence.HIGH,
            limits=limits,
        )

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
