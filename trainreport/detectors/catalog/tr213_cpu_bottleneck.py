"""TR213: processors that cannot keep the GPUs busy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import feeding, limited
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import gauges
from trainreport.model import words
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_SAGEMAKER = "Amazon SageMaker Debugger, rule CPUBottleneck: over 90 % for over 50 % of the time"
_AVERAGED = (
    "SageMaker asks for a GPU below 10 %; samples over many steps never show that (a real starved loader: 42 % throughout); "
    "70 % is the line of its rule LowGPUUtilization"
)


class CpuBottleneck(Detector):
    """The processors are full while the GPUs wait.

    What it checks
    --------------
    The utilization of the machine's processors and of its GPUs, joined in time, from the GPUs' first to their last sign of work.

    Why it matters
    --------------
    The dearest part of the machine waits for its cheapest. The run takes as long as its processors need, whatever the GPU.

    How it decides
    --------------
    The processors are at 90 % or above for at least half of the time, and the GPUs work less than 70 % meanwhile. So that an average does
    not hide a collapse, each third is looked at as well: nine tenths of it with full processors and GPUs below 50 % is a finding, with low
    confidence. Idle stretches over five minutes do not count (TR202). Full processors beside busy GPUs are no bottleneck.

    What to do
    ----------
    - Do once what is done each epoch: decode, resize and tokenise beforehand.
    - Move augmentation to the GPU, or to a faster library; read fewer, larger files.
    - Check that the number of loader processes fits the number of processors; more would not help when all are full.

    Limits
    ------
    One process that fills a single core of many is not seen in the machine's average: logged data time shows it (TR203). Another job on the
    same machine may be what fills the processors. Figures above 100 % count single cores and cannot be read.

    References
    ----------
    - Amazon SageMaker Debugger, rules CPUBottleneck and LowGPUUtilization.
    - Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021.
    """

    code = "TR213"
    name = "cpu-bottleneck"
    severity = Severity.MAJOR
    needs = ("utilization of the processors, with times", "utilization of a GPU, with times")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR213."""

        full: float = threshold(
            feeding.CPU_FULL, unit="share", why="From here on the processors are full.", low=0.5, high=1, source=_SAGEMAKER
        )
        time_share: float = threshold(
            feeding.TIME_SHARE, unit="share", why="Shorter is a phase, not the rule.", low=0.05, high=1, source=_SAGEMAKER
        )
        waiting: float = threshold(feeding.WAITING, unit="share", why="Below it the GPUs wait.", low=0.05, high=0.95, source=_AVERAGED)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        at_limit = f"at {words.share(limits.full)} or above"
        found = feeding.cpu_limited(case, limits.full)
        if not found:
            if any(float(gauge.curve.value.max()) > feeding.CORES_COUNTED for gauge in gauges(case, "cpu/utilization")):
                return self.not_applicable("the processors' figures exceed 100 %, so they count single cores of an unknown number")
            return self.not_applicable("no utilization of processors was logged over the time in which a GPU worked")
        worst = limited.most_limited([one for one in found if one.pressure.starves(limits.time_share, limits.waiting)])
        if worst is None:
            most = max(found, key=lambda one: one.pressure.share)
            return limited.clear(self, most, f"the processors were {at_limit}")
        what = f"The processors{limited.place(worst)} were full ({words.share(worst.pressure.level)} busy)"
        action = Action(
            "Do once beforehand what the loader does each epoch (decoding, resizing), or move augmentation to the GPU.",
            owner="ML engineer",
            effort="a day",
        )
        return limited.found(self, case, limits, worst, what=what, level="processor utilization", method=at_limit, action=action)


DETECTOR = CpuBottleneck()
