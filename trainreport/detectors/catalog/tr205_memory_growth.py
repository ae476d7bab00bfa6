"""TR205: memory that grows all the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.occupancy import Memory, gpu_memory, host_memory
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.growth import Growth, growth

if TYPE_CHECKING:
    from trainreport.model.case import Case

_SAGEMAKER = "Amazon SageMaker Debugger, rule GPUMemoryIncrease: 5 points"
_EVEN = "a straight line has 1; a pool that grows to its high-water mark, as the logarithm of time, 0.5. Checked on simulated logs"
_HELD = 0.05
"""Below this share no process holds a GPU's memory."""


class _Leak(NamedTuple):
    memory: Memory
    growth: Growth


class MemoryGrowth(Detector):
    """Memory in use grows through the run and does not stop.

    What it checks
    --------------
    Memory in use of each GPU, and of the machine, as a share of its size, over the time that it is held, without the first tenth.

    Why it matters
    --------------
    The run will end by itself when memory is full, hours or days in, and work since the last checkpoint is lost.

    How it decides
    --------------
    The trend (Theil-Sen) adds up to at least 5 points of the memory's size, cannot be chance (Mann-Kendall, p below 0.01), each third of
    the time grows by at least six tenths of an even share, and no fall takes back more than a third of it. So a pool that fills up to its
    high-water mark, and memory that is given back at each epoch, are no findings. Its level and the time until it is full are those
    of the last sample, by the trend of the last two thirds carried on. Growth that would take over ten times the time seen so far is
    lowered to minor.

    What to do
    ----------
    - Look for what is kept from step to step: losses added up with their graphs, lists of outputs, caches without a limit.
    - Main memory: loader processes that copy a large list of objects; hold such lists in arrays.
    - Until it is mended: restart from checkpoints before it is full.

    Limits
    ------
    A run that meets ever longer inputs grows too. Below eight minutes or 15 samples after the first tenth it cannot be told.

    References
    ----------
    - Amazon SageMaker Debugger, rule GPUMemoryIncrease; PyTorch FAQ, My model reports CUDA out of memory.
    - Sen, JASA 63 (1968); Mann, Econometrica 13 (1945).
    """

    code = "TR205"
    name = "memory-growth"
    severity = Severity.MAJOR
    needs = ("memory in use of a GPU and its size, or of the machine as a share; with times",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR205."""

        points: float = threshold(0.05, unit="share", why="Less of the memory's size is little.", low=0.001, high=1, source=_SAGEMAKER)
        p: float = threshold(0.01, unit="probability", why="A trend by chance.", low=1e-9, high=0.1, source="convention")
        even: float = threshold(0.6, unit="share", why="Of an even third: less is slowing down.", low=0, high=1, source=_EVEN)
        fall: float = threshold(0.33, unit="share", why="A larger fall gives memory back.", low=0, high=10, source="convention")
        warm_up: float = threshold(0.10, unit="share", why="Pools fill at the start.", low=0, high=0.9, source="convention")
        seconds: float = threshold(480, unit="s", why="Shorter shows the start only.", low=0, high=1e6, source="convention")
        samples: float = threshold(15, unit="samples", why="Fewer show no trend.", low=12, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        memories = [one for one in (*gpu_memory(case), *host_memory(case)) if one.gauge.timed]
        if not memories:
            return self.not_applicable("no memory in use was logged with its size and with times")
        seen = [one for memory in memories if (one := _look(memory, limits)) is not None]
        if not seen:
            return self.not_applicable(f"memory was held for less than {words.duration(limits.seconds)} or {limits.samples:g} samples")
        found = [one for one in seen if _leaks(one.growth, limits)]
        if found:
            return self.found(
                *together((self._finding(one, limits) for one in found), sum(one.gauge.curve.series.startswith("gpu") for one in memories))
            )
        most = max(seen, key=lambda one: one.growth.total)
        return self.clear(
            f"{most.memory.name}, the one that changed most of {len(seen)}, changed by {100 * most.growth.total:+.1f} points "
            f"and {'kept its level' if most.growth.total < limits.points else 'did not grow all the time'}"
        )

    def _finding(self, one: _Leak, limits: Thresholds) -> Finding:
        grown, curve = one.growth, one.memory.gauge.curve
        left = grown.time_to(1.0)
        far = left > 10 * grown.seconds
        return self.finding(
            f"{words.capital(one.memory.name)} grew by {100 * grown.total:.0f} points over {words.duration(grown.seconds)} "
            f"to {words.share(grown.last)} and did not stop; at this pace it is full {_after(left)}.",
            evidence=(
                reading.evidence(curve, "growth", grown.total, f"Theil-Sen, without the first {words.share(limits.warm_up)}", unit="1"),
                reading.evidence(curve, "chance of such a trend without growth", grown.p, "Mann-Kendall", unit="1"),
                reading.evidence(curve, "growth of the slowest third over an even third", grown.steadiness, "medians of tenths", unit="1"),
                reading.evidence(curve, "time until it is full", left, "trend of the last two thirds carried on", unit="s"),
            ),
            action=Action(
                "Find what is kept from step to step (losses with their graphs, lists of outputs); until then restart from checkpoints.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=Confidence.MEDIUM if grown.n >= 4 * limits.samples else Confidence.LOW,
            severity=Severity.MINOR if far else None,
            limits=limits,
            curve=curve,
        )


def _after(seconds: float) -> str:
    return "now" if seconds < 1 else f"{words.duration(seconds)} after the log ends"


def _look(memory: Memory, limits: MemoryGrowth.Thresholds) -> _Leak | None:
    """Return the growth of a memory from the first to the last sample at which a process held it."""
    import numpy as np

    times, values = memory.gauge.time_s, memory.gauge.curve.value
    held = np.flatnonzero(values >= _HELD)
    if not len(held):
        return None
    part = slice(int(held[0]), int(held[-1]) + 1)
    if (part.stop - part.start) * (1 - limits.warm_up) < limits.samples:
        return None
    found = growth(times[part], values[part], limits.warm_up)
    return None if found is None or found.seconds < limits.seconds else _Leak(memory, found)


def _leaks(grown: Growth, limits: MemoryGrowth.Thresholds) -> bool:
    return grown.total >= limits.points and grown.p < limits.p and grown.steadiness >= limits.even and grown.drawdown <= limits.fall


DETECTOR = MemoryGrowth()
