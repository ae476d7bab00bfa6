"""TR221: memory that ran out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import instruments, messages, reading
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.occupancy import Memory, gpu_memory, host_memory
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.detectors.messages import Told
    from trainreport.model.case import Case

_KILLED = "exit code 137 or an allocation error after more than 97 % (cause table of trainreport's study)"
_ENDED = ("failed", "killed")
_GPU = Action("Use a smaller batch with gradient accumulation, half precision or activation checkpointing.", "ML engineer", "an hour")
_HOST = Action("Use fewer loader processes, or map data from files instead of holding them in memory.", "ML engineer", "an hour")


class _AtEnd(NamedTuple):
    memory: Memory
    peak: float
    """Highest share in the last minute."""
    usual: float
    """Share of the time before at that height."""


class OutOfMemory(Detector):
    """Memory ran out.

    What it checks
    --------------
    Messages of failed allocations on GPUs and of processes that the system ended for want of memory. Without such a message: whether the
    run failed or was killed right after memory had filled up.

    Why it matters
    --------------
    The run ends, and the work since its last checkpoint is lost. It will end again at the same place when started again as it is.

    How it decides
    --------------
    Any such message is a finding; where the run went on for more than a minute after it, or finished, it is lowered to major.
    Without a message, a run that failed or was killed is one when memory stood above 97 % in its last minute, as it had for less than
    half of the time before; medium confidence. The gauge must reach to the end of the run.

    What to do
    ----------
    - GPU: smaller batch with gradient accumulation, half precision, activation checkpointing; limit the length of inputs.
    - Main memory: fewer loader processes, data mapped from files.
    - Look for growth over time (TR205): then a smaller batch only delays it.

    Limits
    ------
    A sampler misses a peak shorter than its interval. A run that a person stopped with full memory looks the same without a message.

    References
    ----------
    - PyTorch, CUDA memory management (OutOfMemoryError); Linux, out-of-memory killer (exit code 137 is 128 plus signal 9).
    """

    code = "TR221"
    name = "out-of-memory"
    severity = Severity.CRITICAL
    needs = ("messages of the run; or its status and memory in use with its size",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR221."""

        full: float = threshold(0.97, unit="share", why="From here on an allocation may fail.", low=0.5, high=1, source=_KILLED)
        usual: float = threshold(
            0.50,
            unit="share",
            why="Of the time before: a run that lived with full memory did not end by it.",
            low=0,
            high=1,
            source="convention",
        )
        seconds: float = threshold(60, unit="s", why="Before the end: right after.", low=1, high=3600, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        told = messages.out_of_memory(case)
        if told:
            return self.found(*(self._told(case, one, limits) for one in told))
        status = case.log.run.status
        memories = [one for one in (*gpu_memory(case), *host_memory(case)) if one.gauge.timed]
        if status == "finished":
            return self.clear("the run finished, and no message speaks of memory that ran out")
        ends = [one for memory in memories if (one := _at_end(case, memory, limits)) is not None]
        full = [one for one in ends if one.peak >= limits.full and one.usual < limits.usual]
        if status in _ENDED and full:
            return self.found(self._filled(max(full, key=lambda one: one.peak), status, limits))
        if ends:
            peak = max(ends, key=lambda one: one.peak)
            return self.clear(
                f"{peak.memory.name} was {words.share(peak.peak)} full at the end, and no message speaks of memory that ran out"
            )
        if messages.has_messages(case):
            return self.clear("no message speaks of memory that ran out")
        return self.not_applicable("neither messages of the run nor memory in use up to its end were logged")

    def _told(self, case: Case, one: Told, limits: Thresholds) -> Finding:
        went_on = _went_on(case, one, limits.seconds)
        often = f", {one.number:,} times" if one.number > 1 else ""
        where = f" at step {one.step:,}" if one.step is not None else ""
        what = "A GPU ran out of memory" if one.subject == "gpu" else "The machine ran out of main memory"
        after = "; the run went on" if went_on else ""
        return self.finding(
            f"{what}{where}{often}{after}: {messages.quoted(one.message, 140)}",
            evidence=(
                Evidence(
                    "messages",
                    float(one.number),
                    "1",
                    "count" + (f"; first in line {one.line}" if one.line is not None else ""),
                    one.number,
                    from_step=one.step,
                    from_time_s=one.time_s,
                    file=one.file,
                ),
            ),
            action=_GPU if one.subject == "gpu" else _HOST,
            confidence=Confidence.HIGH,
            severity=Severity.MAJOR if went_on else None,
            limits=limits,
        )

    def _filled(self, one: _AtEnd, status: str, limits: Thresholds) -> Finding:
        curve = one.memory.gauge.curve
        gpu = curve.series.startswith("gpu")
        return self.finding(
            f"The run {'failed' if status == 'failed' else 'was killed'} while {one.memory.name} was {words.share(one.peak)} full "
            f"(for {words.share(one.usual)} of the time before): most likely it ran out of memory.",
            evidence=(
                reading.evidence(curve, "memory in use in the last minute", one.peak, "largest sample", unit="1"),
                reading.evidence(curve, "share of the time before at that height", one.usual, "over samples", unit="1"),
            ),
            action=_GPU if gpu else _HOST,
            confidence=Confidence.MEDIUM,
            limits=limits,
            curve=curve,
        )


def _went_on(case: Case, one: Told, seconds: float) -> bool:
    status = case.log.run.status
    if status in _ENDED:
        return False
    span = instruments.training_span(case)
    after = span is not None and one.time_s is not None and span[1] > one.time_s + seconds
    return status == "finished" or after


def _at_end(case: Case, memory: Memory, limits: OutOfMemory.Thresholds) -> _AtEnd | None:
    """Return how full a memory was when the run ended; None where the gauge ended before."""
    import numpy as np

    times, values = memory.gauge.time_s, memory.gauge.curve.value
    run, span = case.log.run, instruments.training_span(case)
    known = [span[1]] if span is not None else []
    end = run.ended_at.timestamp() if run.ended_at is not None else max(known, default=float(times[-1]))
    interval = float(np.median(np.diff(times)))
    if times[-1] < end - 2 * interval - 1:
        return None
    last = (times <= end + interval) & (times >= end - max(limits.seconds, 2 * interval))
    before = times < end - max(limits.seconds, 2 * interval)
    if not last.any() or not before.any():
        return None
    return _AtEnd(memory, float(values[last].max()), float((values[before] >= limits.full).mean()))


DETECTOR = OutOfMemory()
