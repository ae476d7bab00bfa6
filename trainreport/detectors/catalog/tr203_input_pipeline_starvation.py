"""TR203: GPUs that wait for their input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import feeding, instruments, limited, reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import in_use
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, Waste
from trainreport.model.series import PROFILED

if TYPE_CHECKING:
    from trainreport.detectors.feeding import DataTime, Limited
    from trainreport.model.case import Case

_PROFILER = "TensorFlow Profiler, input pipeline analysis: above 20 % of the step is highly input-bound, above 5 % moderately"
_HALF = "convention: twice the line, so that the worst of three parts is not picked from noise"
_REPEAT = "checked on simulated logs: without a step rhythm it stays below 0.2"
_ACTION = Action(
    "Prepare data ahead of the GPU: more loader processes, prefetching, pinned memory; data on local disk in large files.",
    owner="ML engineer",
    effort="a day",
)


class InputPipelineStarvation(Detector):
    """The GPUs wait because data do not come fast enough.

    What it checks
    --------------
    The time that the training loop waits for its next batch, where it was logged. Otherwise the utilization of the GPUs beside
    processors, disk and incoming network traffic, and whether utilization rises and falls in the rhythm of the steps.

    Why it matters
    --------------
    It is the most frequent cause of waiting GPUs, and mostly mended in a day: of 706 causes in 400 jobs with low utilization 46 % were
    in handling data. A faster GPU would wait longer.

    How it decides
    --------------
    Waiting for data takes 20 % of the step or more, or 40 % in the worst third of the steps. Where data time was not logged: the GPUs
    work less than 70 % while for half of the time the processors are full (as TR213), they wait for the disk (as TR214), or incoming
    traffic stands at a link's limit (as TR222). Weakest, with low confidence: the GPUs work less than 70 % and utilization repeats
    itself at the step time. Logged data time that is short rules the others out.

    What to do
    ----------
    - Cheapest first: more loader processes, prefetching, pinned memory, processes that stay alive between epochs.
    - Then data on local disk, in few large files, decoded beforehand. Then augmentation on the GPU.

    Limits
    ------
    Low utilization alone does not tell the cause (TR201). A step time that was logged without its wait makes the share too large, by at
    most a fifth at the line. Where a profiler was on, confidence is low: it slows the processors. What a profile tells holds for the
    steps that it recorded: it is not priced for the whole run.

    References
    ----------
    - TensorFlow Profiler, input pipeline analyzer; Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021.
    - Gao et al., An Empirical Study on Low GPU Utilization of Deep Learning Jobs, ICSE 2024.
    """

    code = "TR203"
    name = "input-pipeline-starvation"
    severity = Severity.MAJOR
    needs = ("time that steps wait for data; or utilization of a GPU beside that of processors, disk or network",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR203."""

        data_share: float = threshold(
            feeding.DATA_SHARE, unit="share", why="Of the step spent waiting for data.", low=0.01, high=0.95, source=_PROFILER
        )
        worst_share: float = threshold(0.40, unit="share", why="The same in the worst third of the steps.", low=0.01, high=1, source=_HALF)
        waiting: float = threshold(
            feeding.WAITING, unit="share", why="Below it the GPUs wait.", low=0.05, high=0.95, source="SageMaker, rule LowGPUUtilization"
        )
        time_share: float = threshold(
            feeding.TIME_SHARE, unit="share", why="Shorter is a phase.", low=0.05, high=1, source="SageMaker, rules on processors and disk"
        )
        repeat: float = threshold(0.50, unit="correlation", why="A rhythm that is plain to see.", low=0.1, high=1, source=_REPEAT)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        data = feeding.data_time(case)
        if data is not None:
            if data.share >= limits.data_share or data.worst_share >= limits.worst_share:
                return self.found(self._by_data_time(case, data, limits))
            return self.clear(f"training waited for data {words.share(data.share)} of the step time{_in_profile(data)}")
        causes = _causes(case)
        worst = limited.most_limited([one for one in causes if one.pressure.starves(limits.time_share, limits.waiting)])
        if worst is not None:
            return self.found(self._by_machine(case, worst, limits))
        pattern = self._by_rhythm(case, limits)
        if pattern is not None:
            return self.found(pattern)
        if not causes:
            return self.not_applicable(
                "neither data time nor processors, disk or network were logged beside a GPU that worked; "
                "its utilization alone does not tell why it waits (TR201)"
            )
        most = max(causes, key=lambda one: one.pressure.share)
        return self.clear(
            f"no part of the machine that feeds the GPUs was at its limit for more than {words.share(most.pressure.share)} of the time "
            f"while they waited; they worked {words.share(float(most.both.gpu.mean()))}"
        )

    def _by_data_time(self, case: Case, data: DataTime, limits: Thresholds) -> Finding:
        whole = data.share >= limits.data_share
        share = data.share if whole else data.worst_share
        third = "" if whole else f" in the {('first', 'middle', 'last')[data.worst]} third of the steps, {words.share(data.share)} over all"
        gpus, window = case.ledger.gpu_hours, _in_profile(data)
        waste = Waste(gpu_s=None if gpus is None else gpus * 3600 * data.share, share_of_run=data.share)
        return self.finding(
            f"Training waited for data {words.share(share)} of the step time{third} "
            f"({words.duration(data.data_s)} of {words.duration(data.step_s)} a step on average{window or ' over the run'}).",
            evidence=(
                reading.evidence(data.curve, "share of the step time spent waiting for data", data.share, "mean over mean", unit="1"),
                reading.evidence(data.curve, "the same in the worst third", data.worst_share, "mean over mean", unit="1"),
                reading.evidence(data.curve, "95th percentile of a step's share", data.p95_share, "over steps", unit="1"),
                reading.evidence(data.curve, "time a step waits for data", data.data_s, "mean", unit="s"),
            ),
            action=_ACTION,
            confidence=Confidence.LOW if window or instruments.profiler(case) else Confidence.MEDIUM,
            limits=limits,
            waste=None if window else waste,
            curve=data.curve,
        )

    def _by_machine(self, case: Case, one: Limited, limits: Thresholds) -> Finding:
        cause = _CAUSES[one.both.gauge.curve.series]
        return self.finding(
            f"The GPUs{limited.place(one)} worked {words.share(limited.worked(one, limits.time_share))} while {cause} "
            f"{limited.when(one, limits.time_share)}: their input does not come fast enough.",
            evidence=limited.evidence(one, "gauge at its limit", "at its limit"),
            action=_ACTION,
            confidence=limited.certainty(case, one, limits.time_share),
            limits=limits,
            waste=limited.waste(one),
            curve=one.both.gauge.curve,
        )

    def _by_rhythm(self, case: Case, limits: Thresholds) -> Finding | None:
        pattern = feeding.step_pattern(case)
        if pattern is None or pattern[0] < limits.repeat:
            return None
        strength, second, gauge = pattern
        use = in_use(gauge, 0.05, 60, 60)
        if use is None or use.mean >= limits.waiting:
            return None
        return self.finding(
            f"{wording.device(gauge.curve)} worked {words.share(use.mean)} of the time and waited once in every step of "
            f"{words.duration(second)}, as when data come late.",
            evidence=(
                reading.evidence(gauge.curve, "repetition at the step time", strength, "autocorrelation above its trough", unit="1"),
                reading.evidence(gauge.curve, "mean utilization", use.mean, "weighted by time", unit="1"),
                reading.evidence(gauge.curve, "step time", second, "median", unit="s"),
            ),
            action=_ACTION,
            confidence=Confidence.LOW,
            limits=limits,
            waste=Waste(gpu_s=(1 - use.mean) * use.seconds, share_of_run=1 - use.mean),
            curve=gauge.curve,
        )


_CAUSES = {
    "cpu/utilization": "the processors were full",
    "cpu/iowait": "the processors waited for the disk",
    "disk/busy": "the disk was busy all the time",
    "network/received": "incoming traffic stood at a link's limit",
}


def _in_profile(data: DataTime) -> str:
    """Return of how many steps a profiler told this, empty where the run itself did: a window says nothing of the rest."""
    return f" over the {words.plural(len(data.curve), 'step')} that a profiler recorded" if data.curve.logged.endswith(PROFILED) else ""


def _causes(case: Case) -> list[Limited]:
    """Return processors, disks and, where traffic mostly comes in, the network, each beside the GPUs."""
    return [
        *feeding.cpu_limited(case),
        *feeding.disk_limited(case),
        *(one for one in feeding.network_limited(case) if _incoming(case, one)),
    ]


def _incoming(case: Case, one: Limited) -> bool:
    """Return whether a machine received most of its traffic: data, not an exchange, which goes both ways."""
    if one.both.gauge.curve.series != "network/received":
        return False
    totals = {name: feeding.traffic(case, name, one) for name in ("network/received", "network/sent")}
    return totals["network/received"] >= 3 * totals["network/sent"]


DETECTOR = InputPipelineStarvation()
