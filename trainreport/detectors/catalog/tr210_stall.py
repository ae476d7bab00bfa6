"""TR210: stall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.machine import Meanwhile, meanwhile
from trainreport.business.pace import LEAST_MOVES, last_sign
from trainreport.business.pauses import STALL_S, STALL_TIMES, Intervals, hung_s, intervals_of
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.timing import during, paid_s, waste_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_CHOSEN = "chosen so that real logs of TensorBoard and MLflow stay silent; recall measured on simulated runs"


class _Stall(NamedTuple):
    """A stretch without progress."""

    from_s: float
    to_s: float
    lost_s: float
    where: str
    """In words: after which step."""


class StallFound(Detector):
    """Training stood still in the middle of the run, and nothing in the log says why.

    What it checks
    --------------
    The time between logged steps, and what was logged and what the GPUs did meanwhile.

    Why it matters
    --------------
    The machine is paid for while nothing is learned. What hangs once (a data store, a lock, a process that waits for another) mostly
    hangs again, and at worst until somebody looks.

    How it decides
    --------------
    An interval between logged steps is a stall when it lasts five times what its steps usually take, and twice as long for its steps as
    nine of ten others, and costs at least five minutes more than usual. Pauses that are told apart and are none: an evaluation (a
    held-out value was logged in it), a routine pause (it comes back after the same number of steps, as checkpoints do), the start
    of a new process. An evaluation is a stall when it costs three times what its like
    cost, and five minutes more. In a run that failed or was killed the time after its last sign counts too.

    Idle GPUs meanwhile make it sure. Where they worked at 20 to 95 % something went on that logged nothing, and it is no stall. Where they
    showed more, a process may have waited inside a collective operation, or worked: confidence is low then, and the severity
    minor, as it is for stalls that take less than 5 % of the run.

    What to do
    ----------
    - Look at the logs of that time: data store, file system, other processes, the node.
    - Set a time limit on collective operations and on data loading, so that a hang ends itself and the job restarts.

    Limits
    ------
    With fewer than eight intervals nothing is usual. A run that logs once an epoch shows only stalls of several epochs. A person who
    stops a notebook for lunch looks the same.

    References
    ----------
    - Amazon SageMaker Debugger, rule StalledTrainingRule (30 minutes); PyTorch, timeout of process groups (10 minutes with NCCL).
    - Jiang et al., MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs, NSDI 2024, section 4 (hangs).
    """

    code = "TR210"
    name = "stall"
    severity = Severity.MAJOR
    needs = ("steps of training with times", "utilization of the GPUs, to be sure")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR210."""

        times: float = threshold(STALL_TIMES, unit="times the usual", why="Shorter is jitter.", low=2, high=1000, source=_CHOSEN)
        seconds: float = threshold(
            STALL_S, unit="s", why="Checkpoints and evaluations are mostly shorter.", low=1, high=86400, source=_CHOSEN
        )
        small: float = threshold(0.05, unit="share", why="Less of the run is minor.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        both = intervals_of(case.log, limits.times, limits.seconds)
        if both is None:
            return self.not_applicable("no steps of training were logged with times")
        seen, between = both
        count = int(between.within.sum())
        if count < LEAST_MOVES:
            return self.not_applicable(f"{count} intervals between logged steps; what is usual shows from {LEAST_MOVES} on")
        usual = between.usual_interval_s
        stalls = [_inside(between, at, int(seen.step[at])) for at in between.stall.nonzero()[0].tolist()]
        stalls += _at_the_end(case, max(limits.seconds, limits.times * usual))
        if stalls:
            return self.found(self._finding(case, stalls, usual, count, limits))
        longest = float(between.seconds[between.within].max())
        return self.clear(f"a step was logged every {words.duration(usual)}, at most {words.duration(longest)} apart, pauses included")

    def _finding(self, case: Case, stalls: list[_Stall], usual: float, count: int, limits: Thresholds) -> Finding:
        worst = max(stalls, key=lambda one: one.lost_s)
        total = sum(one.lost_s for one in stalls)
        whole = paid_s(case)
        gpus = meanwhile(case.log, worst.from_s, worst.to_s)
        minor = _confidence(gpus) is Confidence.LOW or (whole > 0 and total < limits.small * whole)
        lasted = words.duration(worst.to_s - worst.from_s)
        text = f"no step was logged for {lasted} {worst.where}, where one usually comes every {words.duration(usual)}{gpus.words}"
        share = f" ({words.share(total / whole)} of the run)" if whole > 0 else ""
        several = f"{len(stalls)} stalls cost {words.duration(total)}{share}: at the longest, "
        return self.finding(
            f"{words.capital(text) if len(stalls) == 1 else several + text}.",
            evidence=(
                during("time lost in stalls", total, "s", "intervals beyond the usual, added up", count),
                during(
                    "longest stall", worst.to_s - worst.from_s, "s", "between two signs of life", count, span=(worst.from_s, worst.to_s)
                ),
                during("usual interval", usual, "s", "median between logged steps", count),
            ),
            action=Action("Look at the logs of that time, and set a time limit on what can hang.", owner="Platform team", effort="a day"),
            confidence=_confidence(gpus),
            severity=Severity.MINOR if minor else None,
            limits=limits,
            waste=waste_of(case, total),
        )


def _inside(between: Intervals, at: int, step: int) -> _Stall:
    start, lasted = float(between.start_s[at]), float(between.seconds[at])
    return _Stall(start, start + lasted, float(between.excess_s[at]), f"after step {step:,}")


def _at_the_end(case: Case, least_s: float) -> list[_Stall]:
    """Return the time after the last sign of life of a run that did not end well."""
    lost, last = hung_s(case.log, least_s), last_sign(case.log)
    if lost <= 0 or last is None:
        return []
    return [_Stall(last, last + lost, lost, "before the run failed" if case.log.run.status == "failed" else "before the run was killed")]


def _confidence(gpus: Meanwhile) -> Confidence:
    if gpus.idle:
        return Confidence.HIGH
    return Confidence.LOW if gpus.logged else Confidence.MEDIUM


DETECTOR = StallFound()
