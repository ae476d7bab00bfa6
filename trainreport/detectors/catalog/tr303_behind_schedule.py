"""TR303: behind schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import last_sign
from trainreport.detectors import spending
from trainreport.detectors.base import Detector, threshold
from trainreport.model import clock, words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.detectors.spending import Ahead
    from trainreport.model.case import Case


class BehindSchedule(Detector):
    """The run ended, or will end, after the deadline.

    What it checks
    --------------
    The deadline of the plan beside the end of a run that is done; of one that is not done, beside the end that its pace foretells.

    Why it matters
    --------------
    What comes after the deadline serves nobody who waited for it. Known early, it can still be shortened or the date be moved.

    How it decides
    --------------
    What remains is the planned steps or epochs still to do, at the pace of the run so far, evaluations and pauses included; it begins
    at the last sign of the run, or now where that is later. The interval takes the pace of the quickest and the slowest third. It is
    minor where the quickest third would keep the deadline, or it is missed by less than a twentieth of the run.

    What to do
    ----------
    - Shorten the schedule of the run now, rather than cutting it off at the deadline: the learning rate must still come down.
    - Tell those who wait for the model the date that is foretold.

    Limits
    ------
    Time in a queue, and what follows training, such as evaluation and release, are not in it. A run that ended early and was followed
    by another is not taken to go on.

    References
    ----------
    - PMI, Practice Standard for Scheduling: forecast from the rate of progress.
    """

    code = "TR303"
    name = "behind-schedule"
    severity = Severity.MAJOR
    needs = ("a deadline in the plan", "the planned steps or epochs, or the end of the run", "times in the logs")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR303."""

        done: float = threshold(
            0.05, unit="share", why="Less of the planned length foretells nothing.", low=0.01, high=0.9, source="convention: a twentieth"
        )
        slight: float = threshold(
            0.05, unit="share", why="A delay of less than this part of the run is a minor matter.", low=0, high=1, source="convention"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        deadline, run = case.plan.budget.deadline, case.log.run
        if deadline is None:
            return self.not_applicable("the plan has no deadline")
        last = last_sign(case.log)
        if last is None or run.started_at is None or last <= run.started_at.timestamp():
            return self.not_applicable("the logs of the training have no times")
        took = last - run.started_at.timestamp()
        ahead = spending.ahead(case, limits.done)
        if spending.done(case) or (isinstance(ahead, str) and last > deadline.timestamp()):
            return self._ended(case, last - deadline.timestamp(), limits.slight * took, limits)
        if isinstance(ahead, str):
            return self.not_applicable(ahead)
        begin = max(last, case.as_of.timestamp() if case.as_of is not None else last)
        low, mid, high = (begin + took * (factor - 1) - deadline.timestamp() for factor in (ahead.low, ahead.whole, ahead.high))
        if mid <= 0:
            return self.clear(f"{ahead.done.words}; at this pace it ends {words.duration(-mid)} before the deadline")
        slight = low <= 0 or mid < limits.slight * took * ahead.whole
        return self.found(self._foretold(case, ahead, _Delay(low, mid, high, slight), limits))

    def _ended(self, case: Case, late: float, slight: float, limits: Thresholds) -> Outcome:
        if late <= 0:
            return self.clear(f"it ended {words.duration(-late)} before the deadline")
        return self.found(
            self.finding(
                f"The run ended {words.duration(late)} after the deadline of {_day(case, 0)}.",
                evidence=(Evidence("time after the deadline", late, "s", "last logged value against the deadline", 1),),
                action=_ACTION,
                confidence=Confidence.HIGH,
                limits=limits,
                severity=Severity.MINOR if late < slight else None,
            )
        )

    def _foretold(self, case: Case, ahead: Ahead, delay: _Delay, limits: Thresholds) -> Finding:
        low, high = (delay.low, delay.high) if ahead.paced else (None, None)
        method = "what remains at the pace so far; interval from the quickest and the slowest third"
        sure = ahead.paced and delay.low > 0 and ahead.done.share >= 0.25
        late = words.duration(delay.mid)
        return self.finding(
            f"At {ahead.done.words} the run is on course to end on {_day(case, delay.mid)}, {late} after the deadline.",
            evidence=(Evidence("time after the deadline", delay.mid, "s", method, 1, low=low, high=high),),
            action=_ACTION,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM if ahead.paced else Confidence.LOW,
            limits=limits,
            severity=Severity.MINOR if delay.slight else None,
        )


class _Delay(NamedTuple):
    """Seconds after the deadline at which a run is foretold to end."""

    low: float
    mid: float
    high: float
    slight: bool


_ACTION = Action("Shorten the schedule of the run or agree on another date, and tell those who wait for it.", "Data lead", "an hour")


def _day(case: Case, late: float) -> str:
    """Return the day that lies some seconds after the deadline, where the plan lives."""
    deadline = case.plan.budget.deadline
    moment = None if deadline is None else clock.from_epoch_seconds(deadline.timestamp() + late)
    return "a day far off" if moment is None else moment.astimezone(clock.zone(case.plan.display_zone)).date().isoformat()


DETECTOR = BehindSchedule()
