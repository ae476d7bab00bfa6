"""TR206: a GPU that is larger than the run needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import feeding, instruments, reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import Gauge, Use, gauges, in_use, utilization
from trainreport.detectors.occupancy import Memory, memory_of
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity
from trainreport.stats.held import weighted_quantile

if TYPE_CHECKING:
    from trainreport.model.case import Case

_SAGEMAKER = "Amazon SageMaker Debugger, rule BatchSize: 95th percentiles of CPU, GPU and GPU memory all below 70 %"


class _Device(NamedTuple):
    """What one GPU used at most for long."""

    use: Use
    memory: Memory
    busy: float
    """95th percentile of utilization."""
    held: float
    """95th percentile of memory in use, as a share."""


class OversizedGpu(Detector):
    """A GPU is larger than the run needs: neither its time nor its memory is used.

    What it checks
    --------------
    The 95th percentiles of utilization and memory in use of each GPU, and of the processors' utilization where it was logged, from the
    first to the last sign of work.

    Why it matters
    --------------
    A smaller GPU, or a part of one, would do the same work at the same time for a fraction of the price.

    How it decides
    --------------
    All three lie below 70 %, on every GPU of the run. Not so where something else is seen to keep the GPUs waiting (TR203, TR213, TR214,
    TR222): whether they are too large shows only when that is mended.

    What to do
    ----------
    - First try a larger batch: the memory for it is there. Keep it when validation does not suffer.
    - Else take a smaller GPU, a part of one (MIG), or share it with a second run.

    Limits
    ------
    A loader process that is too slow looks the same where neither processors nor data time were logged. A size chosen
    for a later, larger run looks the same.

    References
    ----------
    - Amazon SageMaker Debugger, rule BatchSize.
    - Weng et al., MLaaS in the Wild, NSDI 2022 (most jobs use a small part of a GPU).
    """

    code = "TR206"
    name = "oversized-gpu"
    severity = Severity.MINOR
    needs = ("utilization and memory in use of a GPU, and the size of that memory",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR206."""

        utilization: float = threshold(0.70, unit="share", why="95th percentile of time.", low=0.05, high=1, source=_SAGEMAKER)
        memory: float = threshold(0.70, unit="share", why="95th percentile of memory.", low=0.01, high=1, source=_SAGEMAKER)
        processors: float = threshold(
            0.70, unit="share", why="95th percentile; above, they may be the limit.", low=0, high=1, source=_SAGEMAKER
        )
        seconds: float = threshold(300, unit="s", why="Shorter may be a trial.", low=10, high=1e6, source="convention")
        samples: float = threshold(40, unit="samples", why="Fewer tell no percentile.", low=20, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = [one for gauge in utilization(case) if (one := _device(case, gauge, limits)) is not None]
        if not seen:
            return self.not_applicable(
                f"no GPU worked for {words.duration(limits.seconds)} and {limits.samples:g} samples with its memory and size logged"
            )
        top = max(seen, key=lambda one: max(one.busy / limits.utilization, one.held / limits.memory))
        processors = _processors(case, top.use)
        told = f"95th percentiles: utilization {words.share(top.busy)}, memory {words.share(top.held)}" + (
            f", processors {words.share(processors)}" if processors is not None else ""
        )
        if top.busy >= limits.utilization or top.held >= limits.memory or (processors or 0.0) >= limits.processors:
            return self.clear(f"{wording.device(top.use.gauge.curve)}, {told}")
        cause = feeding.held_back(case)
        if cause is not None:
            return self.clear(f"the GPUs wait for {cause}; whether they are too large shows when that is mended ({told})")
        return self.found(
            self.finding(
                _message(top, len(seen), processors),
                evidence=_evidence(top, processors),
                action=Action(
                    "Try a larger batch first; if validation suffers, take a smaller GPU or share this one.", "ML engineer", "an hour"
                ),
                confidence=Confidence.LOW
                if processors is None or instruments.doubt(case, top.use.gauge) or not top.use.gauge.timed
                else Confidence.MEDIUM,
                limits=limits,
                curve=top.use.gauge.curve if len(seen) == 1 else None,
            )
        )


def _device(case: Case, gauge: Gauge, limits: OversizedGpu.Thresholds) -> _Device | None:
    import numpy as np

    memory = memory_of(case, gauge.curve)
    use = in_use(gauge, 0.05, limits.samples, limits.seconds)
    if memory is None or use is None:
        return None
    busy = weighted_quantile(gauge.curve.value[use.first : use.last + 1], use.weights, 0.95)
    weights = memory.gauge.seconds if memory.gauge.timed else np.ones(len(memory.gauge.curve))
    return _Device(use, memory, busy, weighted_quantile(memory.gauge.curve.value, weights, 0.95))


def _processors(case: Case, use: Use) -> float | None:
    """Return the 95th percentile of the processors' utilization while the GPU was in use; None where it was not logged."""
    start, end = use.gauge.time_s[use.first], use.gauge.time_s[use.last]
    found = []
    for one in gauges(case, "cpu/utilization"):
        inside = (one.time_s >= start) & (one.time_s <= end)
        if one.timed and inside.any():
            found.append(weighted_quantile(one.curve.value[inside], one.seconds[inside], 0.95))
    return max(found, default=None)


def _message(top: _Device, count: int, processors: float | None) -> str:
    name = wording.device(top.use.gauge.curve)
    subject = name if count == 1 else f"{name}, the fullest of {count} GPUs,"
    size = f" of {words.memory(top.memory.total)}" if top.memory.total else ""
    also = f", and the processors {words.share(processors)}" if processors is not None else ""
    return (
        f"{subject} was used to {words.share(top.busy)} of its time and {words.share(top.held)} of its memory{size} "
        f"in all but the highest 5 % of samples{also}: a smaller GPU may do."
    )


def _evidence(top: _Device, processors: float | None) -> tuple[Evidence, ...]:
    curve, use = top.use.gauge.curve, top.use
    found = [
        reading.evidence(curve, "95th percentile of utilization", top.busy, "weighted by time", unit="1", first=use.first, last=use.last),
        reading.evidence(top.memory.gauge.curve, "95th percentile of memory in use", top.held, "weighted by time", unit="1"),
        reading.evidence(curve, "mean utilization", use.mean, "weighted by time", unit="1", first=use.first, last=use.last),
    ]
    if processors is not None:
        found.append(reading.evidence(curve, "95th percentile of the processors' utilization", processors, "weighted by time", unit="1"))
    return tuple(found)


DETECTOR = OversizedGpu()
