"""TR214: disks that cannot keep the GPUs busy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import feeding, limited
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.detectors.feeding import Limited
    from trainreport.model.case import Case

_SAGEMAKER = "Amazon SageMaker Debugger, rule IOBottleneck: over 50 % of the time"
_CORES = (
    "SageMaker asks for 50 % of all processors, which 8 loaders on 64 cores cannot reach (12 %); "
    "what tells is that processors wait for the disk more than they work. Checked on simulated logs"
)


class IoBottleneck(Detector):
    """The disk is at its limit while the GPUs wait.

    What it checks
    --------------
    The share of time that processors wait for input and output (iowait), or that a disk is busy, beside the GPUs' utilization,
    joined in time, from the GPUs' first to their last sign of work.

    Why it matters
    --------------
    The GPUs are paid for while a disk that costs a fraction decides how long the run takes.

    How it decides
    --------------
    For at least half of the time processors wait for the disk (10 % of all processors or more, and at least as much as they work), or
    the disk is busy 90 % or above; and the GPUs work less than 70 % meanwhile. Each third is looked at as well, so that an average
    does not hide a collapse: nine tenths of it at the limit and GPUs below 50 % is a finding, with low confidence.

    What to do
    ----------
    - Copy the data to local flash storage before the run, or keep it in memory.
    - Pack many small files into few large ones; read in order; compress what is read often.
    - Prefetch, with more loader processes: they wait at the same time instead of one after the other.

    Limits
    ------
    Network file systems often do not count as iowait: see TR222 and logged data time (TR203). Inside virtual machines and containers
    the figure may be that of the host.

    References
    ----------
    - Amazon SageMaker Debugger, rule IOBottleneck; Linux, proc(5) on iowait and iostat(1) on %util.
    - Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021.
    """

    code = "TR214"
    name = "io-bottleneck"
    severity = Severity.MAJOR
    needs = ("iowait of the processors or busy share of a disk, with times", "utilization of a GPU, with times")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR214."""

        wait: float = threshold(
            feeding.IO_WAIT, unit="share", why="Less of all processors is a loader or two.", low=0.01, high=1, source=_CORES
        )
        over_work: float = threshold(
            feeding.IO_OVER_CPU, unit="ratio", why="Waiting for the disk outweighs work.", low=0, high=10, source=_CORES
        )
        busy: float = threshold(
            feeding.DISK_BUSY, unit="share", why="A disk that is always busy.", low=0.5, high=1, source="iostat(1): saturation near 100 %"
        )
        time_share: float = threshold(
            feeding.TIME_SHARE, unit="share", why="Shorter is a phase, not the rule.", low=0.05, high=1, source=_SAGEMAKER
        )
        waiting: float = threshold(
            feeding.WAITING, unit="share", why="Below it the GPUs wait.", low=0.05, high=0.95, source="SageMaker, rule LowGPUUtilization"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        found = feeding.disk_limited(case, limits.wait, limits.over_work, limits.busy)
        if not found:
            return self.not_applicable("no iowait and no busy share of a disk were logged over the time in which a GPU worked")
        worst = limited.most_limited([one for one in found if one.pressure.starves(limits.time_share, limits.waiting)])
        if worst is None:
            return limited.clear(self, max(found, key=lambda one: one.pressure.share), "the disk was at its limit")
        action = Action("Copy the data to local flash storage before the run, packed into few large files.", "ML engineer", "a day")
        level, method = "disk at its limit", "waiting over working, or busy"
        return limited.found(self, case, limits, worst, what=_what(worst), level=level, method=method, action=action)


def _what(one: Limited) -> str:
    level = words.share(one.pressure.level)
    if one.both.gauge.curve.series == "disk/busy":
        return f"The disk{limited.place(one)} was busy {level} of the time"
    return f"{level} of the processors' time{limited.place(one)} went into waiting for the disk"


DETECTOR = IoBottleneck()
