"""TR204: memory that is nearly full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.occupancy import Memory, gpu_memory, host_memory
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.held import weighted_mean, weighted_quantile

if TYPE_CHECKING:
    from trainreport.model.case import Case

_PRACTICE = "practice: fragmentation and the largest batch need a few per cent; not validated on labelled runs"
_POOL = "TensorFlow takes nearly all memory at its start and keeps it, JAX three quarters (their documentation)"


class _Full(NamedTuple):
    """A memory that was nearly full for some time."""

    memory: Memory
    share: float
    """Of the time, nearly full."""
    peak: float
    flat: bool
    """Whether it stood at one level from the start, as a pool that a framework takes as a whole."""


class MemoryNearLimit(Detector):
    """Memory is nearly full.

    What it checks
    --------------
    Memory in use of each GPU, and of the machine, as a share of its size.

    Why it matters
    --------------
    The next larger batch, longer text or evaluation ends the run, and work since the last checkpoint is lost.

    How it decides
    --------------
    Nearly full is 95 % or above, for at least 2 % of the time and in five samples. A GPU's memory that stood there at one level
    from the first work on is lowered to a note: a framework that takes all memory at its start looks like this, and the log does not
    say how much of it is used.

    What to do
    ----------
    - Leave room: a smaller batch with accumulation, activation checkpointing, half precision.
    - Keep checkpoints often enough that a failure costs little.
    - Main memory: fewer loader processes, or data that are mapped from files.

    Limits
    ------
    What a framework holds in its pool counts as used. Peaks between two samples are not seen.

    References
    ----------
    - NVIDIA, nvidia-smi manual: memory.used; PyTorch, CUDA memory management.
    - TensorFlow, Limiting GPU memory growth; JAX, GPU memory allocation.
    """

    code = "TR204"
    name = "memory-near-limit"
    severity = Severity.MINOR
    needs = ("memory in use of a GPU and its size, or of the machine as a share",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR204."""

        full: float = threshold(0.95, unit="share", why="From here on little is left.", low=0.5, high=1, source=_PRACTICE)
        time_share: float = threshold(0.02, unit="share", why="Shorter may be one batch.", low=0, high=1, source="convention")
        flat: float = threshold(0.005, unit="share", why="A pool moves less than this.", low=0, high=0.1, source=_POOL)
        samples: float = threshold(5, unit="samples", why="Fewer may be an accident of sampling.", low=1, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        memories = [*gpu_memory(case), *host_memory(case)]
        if not memories:
            return self.not_applicable("no memory in use was logged together with its size")
        seen = [_look(one, limits) for one in memories]
        found = [one for one in seen if one.share >= limits.time_share and one.share * len(one.memory.gauge.curve) >= limits.samples]
        if found:
            return self.found(
                *together((self._finding(one, limits) for one in found), sum(one.gauge.curve.series.startswith("gpu") for one in memories))
            )
        fullest = max(seen, key=lambda one: one.peak)
        return self.clear(f"{fullest.memory.name}, the fullest of {len(seen)}, peaked at {words.share(fullest.peak)}")

    def _finding(self, one: _Full, limits: Thresholds) -> Finding:
        curve = one.memory.gauge.curve
        size = f" of {words.memory(one.memory.total)}" if one.memory.total else ""
        pool = ", at one level from the start, as when a framework takes it all at once" if one.flat else ""
        return self.finding(
            f"{words.capital(one.memory.name)} was {words.share(limits.full)} full or more for {words.share(one.share)} of the time, "
            f"at most {words.share(one.peak)}{size}{pool}.",
            evidence=(
                reading.evidence(curve, "share of time nearly full", one.share, f"at {words.share(limits.full)} or above", unit="1"),
                reading.evidence(curve, "peak", one.peak, "largest sample", unit="1"),
                reading.evidence(curve, "median in use", weighted_quantile(curve.value, _weights(one.memory), 0.5), "over time", unit="1"),
            ),
            action=Action("Leave room: a smaller batch with accumulation, or activation checkpointing.", "ML engineer", "an hour"),
            confidence=Confidence.LOW if one.flat else Confidence.MEDIUM,
            severity=Severity.NOTE if one.flat else None,
            limits=limits,
            curve=curve,
        )


def _weights(memory: Memory) -> reading.Array:
    import numpy as np

    return memory.gauge.seconds if memory.gauge.timed else np.ones(len(memory.gauge.curve))


def _look(memory: Memory, limits: MemoryNearLimit.Thresholds) -> _Full:
    import numpy as np

    values = memory.gauge.curve.value
    full = values >= limits.full
    held = values[int(np.argmax(values > 0.5 * values.max())) :]
    settled = held[len(held) // 20 :]
    flat = memory.gauge.curve.series.startswith("gpu") and float(np.ptp(np.quantile(settled, [0.02, 0.98]))) < limits.flat
    return _Full(memory, weighted_mean(full.astype(float), _weights(memory)), float(values.max()), bool(full.any() and flat))


DETECTOR = MemoryNearLimit()
