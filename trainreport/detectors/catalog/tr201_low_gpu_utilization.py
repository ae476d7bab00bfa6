"""TR201: low GPU utilization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import Use, in_use, utilization
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste
from trainreport.stats.held import weighted_mean, weighted_quantile

if TYPE_CHECKING:
    from trainreport.model.case import Case

_LOW = "upper end of the band of 20 to 30 % that points to data loading (practice); Princeton's jobstats notes below 25, warns below 15 %"


class LowGpuUtilization(Detector):
    """A GPU works, but waits for most of the time.

    What it checks
    --------------
    The utilization of each GPU between its first and its last sign of work. Each sample counts for the time until the next.

    Why it matters
    --------------
    A GPU that waits costs as much as one that works. The cause is nearly always outside the GPU, and mostly cheap to mend: of 706
    causes in 400 jobs with low utilization, 46 % were in handling data and 85 % could be mended by small changes.

    How it decides
    --------------
    Low is a mean below 30 %. So that an average does not hide a collapse, the three thirds of that time are looked at as well: a third
    below the line is a finding too, with medium confidence. What lies before the first work and after the last is not
    counted here (start-up, TR202), nor are idle stretches of over five minutes (TR202).

    What to do
    ----------
    - Cheapest first: more loader processes, pinned memory and prefetching; data on local disk, in large files.
    - Then larger batches, mixed precision, gradient accumulation. Log and evaluate less often.
    - When none of it helps, use a smaller GPU. A larger or a further GPU would wait as well.

    Limits
    ------
    Utilization is the share of time in which anything ran on the GPU, not how much of the GPU it used: a high value does not prove good
    use. Below ten samples or a minute it cannot be told. Without times all samples count alike, with low confidence.

    References
    ----------
    - Gao et al., An Empirical Study on Low GPU Utilization of Deep Learning Jobs, ICSE 2024.
    - Princeton University, jobstats (limits in its config.py); Amazon SageMaker Debugger, rule LowGPUUtilization (p95 below 70 %).
    - NVIDIA, nvidia-smi manual: utilization.gpu.
    """

    code = "TR201"
    name = "low-gpu-utilization"
    severity = Severity.MAJOR
    needs = ("utilization of a GPU",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR201."""

        low_share: float = threshold(0.30, unit="share", why="A mean below it is low.", low=0, high=1, source=_LOW)
        busy: float = threshold(0.05, unit="share", why="From here on a sample is a sign of work.", low=0, high=0.5, source="convention")
        samples: float = threshold(10, unit="samples", why="Fewer say nothing of a mean.", low=2, high=1e6, source="convention")
        seconds: float = threshold(
            60, unit="s", why="Shorter is less than a few steps and a start.", low=0, high=86400, source="convention"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        gauges = utilization(case)
        if not gauges:
            return self.not_applicable("no GPU utilization was logged")
        uses = [use for gauge in gauges if (use := in_use(gauge, limits.busy, limits.samples, limits.seconds)) is not None]
        if not uses:
            return self.not_applicable(
                f"no GPU worked over {limits.samples:g} samples and {words.duration(limits.seconds)}; for idle ones see TR202"
            )
        low = [use for use in uses if min(use.mean, *use.thirds) < limits.low_share]
        if low:
            return self.found(*together((self._finding(use, limits) for use in low), len(uses)))
        worst = min(uses, key=lambda use: use.mean)
        return self.clear(
            f"{wording.device(worst.gauge.curve)}, the least busy of {len(uses)}, worked {words.share(worst.mean)} of the time"
        )

    def _finding(self, use: Use, limits: Thresholds) -> Finding:
        curve, weights = use.gauge.curve, use.weights
        values = curve.value[use.first : use.last + 1]
        low, middle, high = (weighted_quantile(values, weights, share) for share in (0.05, 0.5, 0.95))
        at_zero = weighted_mean((values <= 0).astype(float), weights)

        def stated(statistic: str, value: float, method: str) -> Evidence:
            return reading.evidence(curve, statistic, value, method, unit="1", first=use.first, last=use.last)

        by_time = "weighted by time" if use.gauge.timed else "over samples"
        return self.finding(
            _message(use, limits, at_zero),
            evidence=(
                reading.evidence(
                    curve, "mean utilization", use.mean, by_time, unit="1", low=low, high=high, first=use.first, last=use.last
                ),
                stated("median utilization", middle, by_time),
                stated("5th percentile of utilization", low, by_time),
                stated("95th percentile of utilization", high, by_time),
                stated("share of time at 0 %", at_zero, by_time),
            ),
            action=Action(
                "Prepare data ahead of the GPU (more loader processes, prefetching); then larger batches and mixed precision.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=_confidence(use, limits),
            limits=limits,
            waste=Waste(gpu_s=(1 - use.mean) * use.seconds if use.gauge.timed else None, share_of_run=1 - use.mean),
            curve=curve,
        )


def _confidence(use: Use, limits: LowGpuUtilization.Thresholds) -> Confidence:
    if not use.gauge.timed:
        return Confidence.LOW
    long = use.last - use.first >= 6 * limits.samples and use.seconds >= 10 * limits.seconds
    return Confidence.HIGH if long and use.mean < limits.low_share else Confidence.MEDIUM


def _message(use: Use, limits: LowGpuUtilization.Thresholds, at_zero: float) -> str:
    name = wording.device(use.gauge.curve)
    over = f" over {words.duration(use.seconds)}" if use.gauge.timed else ""
    if use.mean < limits.low_share:
        still = f" and stood at 0 % for {words.share(at_zero)}" if at_zero >= 0.01 else ""
        return f"{name} worked {words.share(use.mean)} of the time{over}{still}."
    worst = min(range(len(use.thirds)), key=lambda one: use.thirds[one])
    where = ("first", "middle", "last")[worst]
    return f"{name} worked {words.share(use.mean)} of the time{over}, but {words.share(use.thirds[worst])} in the {where} third."


DETECTOR = LowGpuUtilization()
