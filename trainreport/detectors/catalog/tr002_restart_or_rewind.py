"""TR002: restart or rewind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.business.pace import progress
from trainreport.detectors.base import Detector
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.business.pace import Progress
    from trainreport.model.case import Case


class RestartOrRewind(Detector):
    """The run was started again, or went back to an earlier step.

    What it checks
    --------------
    The steps of the training series that was logged most often, in the order in which they were written.

    Why it matters
    --------------
    A run that was restarted may have lost work (TR220), changed its data order or its code in between, and holds steps twice. Which of
    them a curve uses must be known before two numbers are compared.

    How it decides
    --------------
    A step below the one before it, written later, begins a new attempt. Curves use the later attempt from the step that it went
    back to; the frame keeps all rows with the number of their attempt. A new process that goes on without repeating a step is counted too.

    What to do
    ----------
    - Find out why the run ended: pre-emption, an error, a person.
    - Check that data order, seed and code were the same after it.

    Limits
    ------
    A step counter that is set back on purpose at each epoch looks alike. Where several names restart at different steps, the one
    logged most often decides.

    References
    ----------
    - TensorFlow, SessionLog START: how a writer says that it started again.
    """

    code = "TR002"
    name = "restart-or-rewind"
    severity = Severity.MINOR
    needs = ("steps of the training",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR002."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        import numpy as np

        course = progress(case.log)
        if course is None:
            return self.not_applicable("no step of training was logged")
        back = np.flatnonzero(np.diff(course.attempt) > 0) + 1
        starts = int(course.begins.sum()) - 1
        if not len(back) and starts < 1:
            return self.clear(f"{words.count(len(course.step))} entries of {course.logged}, each step once and in one go")
        repeated = int(np.unique(course.step[course.void]).size)
        times = max(len(back), starts)
        method = "steps below the one before, written later"
        return self.found(
            self.finding(
                f"The run was started again {words.plural(times, 'time')}{_where(course, back)}{_twice(repeated)}.",
                evidence=(
                    Evidence("restarts", float(times), "1", method, len(course.step)),
                    Evidence("logged steps that were done again", float(repeated), "1", method, len(course.step)),
                ),
                action=Action(
                    "Find out why it was started again, and check that data, seed and code stayed the same.", "ML engineer", "an hour"
                ),
                confidence=Confidence.HIGH if len(back) and course.begins[back].all() else Confidence.MEDIUM,
                limits=limits,
            )
        )


def _where(course: Progress, back: npt.NDArray[np.intp]) -> str:
    if not len(back):
        return ""
    at = int(back[0])
    first = "first " if len(back) > 1 else ""
    return f", {first}from step {words.count(int(course.step[at - 1]))} back to {words.count(int(course.step[at]))}"


def _twice(repeated: int) -> str:
    return f"; {words.plural(repeated, 'logged step was', 'logged steps were')} done twice" if repeated else ""


DETECTOR = RestartOrRewind()
