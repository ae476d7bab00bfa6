"""TR218: queue wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.business.queue import Wait, queue_wait
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class QueueWait(Detector):
    """The job waited long in the queue before it ran.

    What it checks
    --------------
    When the job was handed in and when it started, as the scheduler or the run's own parameters and tags say.

    Why it matters
    --------------
    Waiting is not billed, but it moves the date of the result, and a plan with a deadline must count it in.

    How it decides
    --------------
    A wait of at least an hour, or of at least ten minutes that is longer than the run itself.

    What to do
    ----------
    - Ask for what the job needs and no more: fewer GPUs and a tighter time limit start earlier.
    - Move runs that can be interrupted to a queue for them; start long ones before the weekend.

    Limits
    ------
    Only where both times are written down. Times without a zone are compared only with each other.

    References
    ----------
    - SchedMD, Slurm: sacct fields Submit and Start; variables SLURM_JOB_START_TIME.
    """

    code = "TR218"
    name = "queue-wait"
    severity = Severity.NOTE
    needs = ("times of submission and start, in the run's parameters or tags",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR218."""

        seconds: float = threshold(3600, unit="s", why="An hour is felt in a working day.", low=0, high=1e7, source="convention")
        short_s: float = threshold(600, unit="s", why="Less is no wait, however short the run.", low=0, high=1e7, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        wait = queue_wait(case.log.run)
        if wait is None:
            return self.not_applicable("nothing says when the job was handed in and when it started")
        wall = case.ledger.wall_s
        longer = wall is not None and wall > 0 and wait.seconds > wall
        if wait.seconds >= limits.seconds or (longer and wait.seconds >= limits.short_s):
            return self.found(self._finding(wait, wall, limits))
        return self.clear(f"the job waited {words.duration(wait.seconds)} in the queue")

    def _finding(self, wait: Wait, wall: float | None, limits: Thresholds) -> Finding:
        beside = f"; the run itself took {words.duration(wall)}" if wall else ""
        return self.finding(
            f"The job waited {words.duration(wait.seconds)} in the queue{beside}.",
            evidence=(Evidence("time in the queue", wait.seconds, "s", wait.basis, 1),),
            action=Action("Ask for what the job needs and no more, so that it starts earlier.", owner="Platform team", effort="an hour"),
            confidence=Confidence.HIGH,
            limits=limits,
        )


DETECTOR = QueueWait()
