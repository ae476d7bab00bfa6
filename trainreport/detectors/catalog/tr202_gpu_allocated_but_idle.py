"""TR202: a GPU that is allocated but idle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import IDLE_SHARE, Gauge, memory_used, utilization
from trainreport.detectors.instruments import training_span
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, Waste
from trainreport.stats.held import Stretch, low_stretches

if TYPE_CHECKING:
    from trainreport.model.case import Case

_HELD = "an NVIDIA driver alone holds from 1 to some tens of MiB, a process with a CUDA context some hundred"


class _Idle(NamedTuple):
    """A device that stood idle."""

    gauge: Gauge
    stretches: list[Stretch]
    total_s: float
    whole: bool
    """Whether it never worked at all."""


class GpuAllocatedButIdle(Detector):
    """A GPU is held by the run and does nothing.

    What it checks
    --------------
    The utilization of each GPU for stretches at 0 %, and its memory for whether a process holds it.

    Why it matters
    --------------
    An idle GPU costs as much as a busy one, and nobody else can use it.

    How it decides
    --------------
    Idle is at most 2 % for more than five minutes on end; all such stretches are added up. Gaps in the log are not counted. A GPU that
    never worked during the whole log is named as such, and whether memory is in use tells why:
    a process that holds it and hangs or waits, or a part of the allocation that no process ever used. Where the
    times of training are known, idle time after the last of them is left out (that is TR219).

    What to do
    ----------
    - Never used: ask for fewer GPUs, or check that the launcher starts one process for each.
    - Held but idle for a stretch: find what the run waited for (data, checkpoint, another process, a hang), and end it by a time limit.
    - Shut notebooks and debuggers that hold a GPU.

    Limits
    ------
    The log does not say to whom a GPU was allocated: one that belongs to another job on the same machine looks the same.
    Without times no duration can be told.

    References
    ----------
    - NVIDIA, nvidia-smi manual: utilization.gpu; Princeton University, Job Defense Shield (ends jobs whose GPUs stay at 0 %).
    - Gao et al., An Empirical Study on Low GPU Utilization of Deep Learning Jobs, ICSE 2024.
    """

    code = "TR202"
    name = "gpu-allocated-but-idle"
    severity = Severity.MAJOR
    needs = ("utilization of a GPU, with times",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR202."""

        idle_share: float = threshold(IDLE_SHARE, unit="share", why="Displays cause as much.", low=0, high=0.2, source="convention")
        idle_s: float = threshold(
            300, unit="s", why="Checkpoints and evaluation are shorter.", low=1, high=86400, source="convention, not validated on labels"
        )
        held_bytes: float = threshold(300 * 2**20, unit="B", why="More is a process.", low=0, high=2**40, source=_HELD)
        small: float = threshold(0.10, unit="share", why="Idle for less of the log is minor.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        gauges = [gauge for gauge in utilization(case) if gauge.timed]
        if not gauges:
            return self.not_applicable("no GPU utilization was logged with times")
        longest = max(gauge.total_s for gauge in gauges)
        if longest <= limits.idle_s:
            return self.not_applicable(
                f"the log covers {words.duration(longest)}; idle is more than {words.duration(limits.idle_s)} on end"
            )
        span = training_span(case)
        end = None if span is None else span[1]
        idle = [one for gauge in gauges if (one := _idle(gauge, end, limits)) is not None]
        if idle:
            return self.found(*together((self._finding(case, one, limits) for one in idle), len(gauges)))
        return self.clear(f"no GPU of {len(gauges)} stood idle for more than {words.duration(limits.idle_s)} on end")

    def _finding(self, case: Case, one: _Idle, limits: Thresholds) -> Finding:
        curve, share = one.gauge.curve, one.total_s / one.gauge.total_s
        memory = memory_used(case, curve)
        most = max(one.stretches, key=lambda stretch: stretch.seconds)
        stated = [
            reading.evidence(curve, "time idle", one.total_s, "stretches at 0 % added up", unit="s"),
            reading.evidence(curve, "longest time idle", most.seconds, "on end", unit="s", first=most.first, last=most.last),
        ]
        if memory is not None:
            stated.append(reading.evidence(curve, "memory in use", memory, "median over the log", unit="B"))
        return self.finding(
            _message(one, most, memory, limits),
            evidence=tuple(stated),
            action=_action(one, memory, limits),
            confidence=Confidence.HIGH if one.whole and memory is not None and len(curve) >= 30 else Confidence.MEDIUM,
            severity=Severity.MINOR if share < limits.small else None,
            limits=limits,
            waste=Waste(gpu_s=one.total_s, share_of_run=share),
            curve=curve,
        )


def _idle(gauge: Gauge, end: float | None, limits: GpuAllocatedButIdle.Thresholds) -> _Idle | None:
    values, seconds, times = gauge.curve.value, gauge.seconds, gauge.time_s
    whole = bool((values <= limits.idle_share).all())
    if end is not None and end > times[0] and not whole:
        during = times <= end
        values, seconds, times = values[during], seconds[during], times[during]
    found = [one for one in low_stretches(values, seconds, times, limits.idle_share) if one.seconds > limits.idle_s]
    return _Idle(gauge, found, sum(one.seconds for one in found), whole) if found else None


def _message(one: _Idle, most: Stretch, memory: float | None, limits: GpuAllocatedButIdle.Thresholds) -> str:
    name, total = wording.device(one.gauge.curve), words.duration(one.total_s)
    if memory is None:
        cause = ""
    elif memory > limits.held_bytes:
        cause = f"; a process held {memory / 2**30:,.1f} GiB of its memory"
    else:
        cause = f"; no process used it ({memory / 2**20:,.0f} MiB of memory in use)"
    if one.whole:
        return f"{name} was allocated but idle for the whole log of {total}{cause}."
    longest = "" if len(one.stretches) == 1 else f", {words.duration(most.seconds)} of it on end"
    return f"{name} was allocated but idle for {total}{longest} ({words.share(one.total_s / one.gauge.total_s)} of the log){cause}."


def _action(one: _Idle, memory: float | None, limits: GpuAllocatedButIdle.Thresholds) -> Action:
    if one.whole and (memory is None or memory <= limits.held_bytes):
        return Action("Ask for fewer GPUs, or check that the launcher starts a process on each.", owner="ML engineer", effort="an hour")
    return Action("Find what the run waited for, and end idle processes by a time limit.", owner="Platform team", effort="a day")


DETECTOR = GpuAllocatedButIdle()
