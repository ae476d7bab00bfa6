"""TR006: run did not finish."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.facts_of_run import PlanProgress, progress_of_plan
from trainreport.model import clock
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class RunDidNotFinish(Detector):
    """The run ended before it was done.

    What it checks
    --------------
    How the tool says that the run ended, and how many of the planned steps it did. Planned are the steps or epochs of the plan, else
    those among the logged parameters.

    Why it matters
    --------------
    The last checkpoint of a run that broke off is not the model that was planned, and what its curves would have done next is not known.

    How it decides
    --------------
    A finding is a status of failed or killed; a status of running, minor and with medium confidence, for nothing tells a run
    that still goes on from one whose process died; and less than 95 % of the planned steps without a status. The latter is
    minor too: stopping early by rule is finishing as well. A run that its tool calls finished has finished.

    What to do
    ----------
    - Look at the last lines of its output: memory, disk, time limit, pre-emption.
    - Resume from the last checkpoint where the curves still improved; else judge it as it is.

    Limits
    ------
    A tool may write finished for a process that was ended by force after its last log. Planned steps among parameters are taken by their
    usual names.

    References
    ----------
    - MLflow, RunStatus: RUNNING, SCHEDULED, FINISHED, FAILED, KILLED.
    """

    code = "TR006"
    name = "run-did-not-finish"
    severity = Severity.MAJOR
    needs = ("the status of the run, or the steps that were planned",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR006."""

        done: float = threshold(0.95, unit="share", why="Of the planned steps; less is not done.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        status, done = case.log.run.status, progress_of_plan(case)
        how_far = "" if done is None else f" at {done.words}"
        if status == "finished":
            return self.clear(f"its tool says that it finished{how_far}")
        if status in ("failed", "killed"):
            return self.found(self._finding(f"{'The run was killed' if status == 'killed' else 'The run failed'}{how_far}.", done, limits))
        if status == "running":
            since = "" if case.log.run.ended_at is None else f"; its last sign of life is from {clock.iso(case.log.run.ended_at)}"
            return self.found(_in_doubt(self._finding(f"Its tool has the run as still running{since}{how_far}.", done, limits)))
        if done is None:
            return self.not_applicable("no source says how the run ended or how long it was meant to be")
        if done.share >= limits.done:
            return self.clear(f"it did {done.words}")
        return self.found(_in_doubt(self._finding(f"The run stopped{how_far}.", done, limits)))

    def _finding(self, message: str, done: PlanProgress | None, limits: Thresholds) -> Finding:
        share = float("nan") if done is None else done.share
        method = "no length planned" if done is None else f"last against planned, {done.source}"
        return self.finding(
            message,
            evidence=(Evidence("share of the planned length that was done", share, "1", method, 0 if done is None else 1),),
            action=Action("Read the end of its output for the cause, then resume it or judge it as it is.", "ML engineer", "an hour"),
            confidence=Confidence.HIGH,
            limits=limits,
        )


def _in_doubt(finding: Finding) -> Finding:
    return replace(finding, confidence=Confidence.MEDIUM, severity=Severity.MINOR)


DETECTOR = RunDidNotFinish()
