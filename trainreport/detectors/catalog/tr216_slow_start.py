"""TR216: slow start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.business.machine import meanwhile
from trainreport.business.pace import Start, started
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.timing import during, waste_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class SlowStart(Detector):
    """Much of the paid time passed before the first step of training.

    What it checks
    --------------
    The time from the start of the run, or from the first sample of the GPU log that leads up to it, to the first step.

    Why it matters
    --------------
    Loading data, building caches, compiling and waiting for other processes are paid like training, at each start again: in a search
    of many short runs, or after each interruption.

    How it decides
    --------------
    What the steps before the first logged one took, by the usual pace, is not counted. It is slow when it takes at least five minutes and
    10 % of the paid time, or at least 20 minutes and 2 % of it.

    What to do
    ----------
    - Measure the start: imports, data index, compilation, loading of weights.
    - Keep prepared data, compiled kernels and containers on local disk between runs.
    - Prepare data in a job of its own, on a machine without GPUs.

    Limits
    ------
    Not to be told where the log begins with the first step, as TensorBoard's mostly do, and no GPU log lies beside it. A GPU log that
    somebody began by hand long before the run looks like a slow start; holes of more than 15 minutes end it.

    References
    ----------
    - Amazon SageMaker Debugger, rule MaxInitializationTime (20 minutes to the first step).
    - Google Cloud, ML Goodput Measurement: time to start counts as badput.
    """

    code = "TR216"
    name = "slow-start"
    severity = Severity.MINOR
    needs = ("steps of training with times", "the start of the run: from MLflow, or a GPU log that begins before the first step")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR216."""

        seconds: float = threshold(300, unit="s", why="A start takes some minutes.", low=1, high=86400, source="convention")
        share: float = threshold(0.10, unit="share", why="Less of the paid time is little.", low=0, high=1, source="convention")
        long_s: float = threshold(
            1200, unit="s", why="Long, whatever the run's length.", low=1, high=864000, source="SageMaker Debugger, MaxInitializationTime"
        )
        long_share: float = threshold(0.02, unit="share", why="Less is lost in a long run.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        start = started(case.log)
        if start is None:
            return self.not_applicable("too few steps of training were logged with times to know when the first one was done")
        if start.before_s <= 0:
            return self.not_applicable("the log begins with the first step; when the run started is not known")
        share = start.before_s / start.paid_s
        slow = (start.before_s >= limits.seconds and share >= limits.share) or (
            start.before_s >= limits.long_s and share >= limits.long_share
        )
        if slow:
            return self.found(self._finding(case, start, share, limits))
        return self.clear(f"the first step came after {words.duration(start.before_s)}, {words.share(share)} of the paid time")

    def _finding(self, case: Case, start: Start, share: float, limits: Thresholds) -> Finding:
        gpus = meanwhile(case.log, start.from_s, start.from_s + start.before_s)
        return self.finding(
            f"{words.duration(start.before_s)} passed before the first step of training, "
            f"{words.share(share)} of the paid time of {words.duration(start.paid_s)}{gpus.words}.",
            evidence=(
                during("time to the first step", start.before_s, "s", start.basis, 1, span=(start.from_s, start.from_s + start.before_s)),
                during("share of the paid time", share, "1", start.basis, 1, span=(start.from_s, start.from_s + start.paid_s)),
            ),
            action=Action("Measure what the start spends its time on, and keep what can be prepared.", owner="ML engineer", effort="a day"),
            confidence=Confidence.HIGH if start.by_run and (gpus.idle or not gpus.logged) else Confidence.MEDIUM,
            limits=limits,
            waste=waste_of(case, start.before_s),
        )


DETECTOR = SlowStart()
