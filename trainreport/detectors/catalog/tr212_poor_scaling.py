"""TR212: poor scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.scaling import Alike, gpus_of, own_rate, smaller_runs
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.business.pace import Throughput
    from trainreport.model.case import Case

_MLPERF = "time to train in MLPerf v4.0: 35 to 87 % from 1 to 8 nodes, 11 to 36 % at 64 to 434; throughput scales better"


class PoorScaling(Detector):
    """More GPUs brought much less throughput than they cost.

    What it checks
    --------------
    The throughput of this run against that of the run with the fewest GPUs in the same assessment, where all parameters but
    those of scale are equal.

    Why it matters
    --------------
    GPUs are paid by number, the model is trained by throughput. At an efficiency of 40 % each sample costs 2.5 times as much.

    How it decides
    --------------
    Efficiency is the throughput of one GPU here over that of one GPU in the smaller run. Up to eight times as many GPUs less than 50 % is
    poor; beyond, the line falls with the cube root of the factor (25 % at 64 times), for no published run scales without loss.
    Samples or tokens a second are compared; steps a second are not, since the batch may grow with the GPUs.

    What to do
    ----------
    - Train on the smaller number of GPUs, several runs side by side.
    - Larger batches for each GPU, fewer and larger messages, overlap of communication and computing.

    Limits
    ------
    Only as good as the logged throughput: a figure for one process does not count for all. With one pair of runs the noise
    between runs is not known: confidence is medium. Time to train would mix in how well the model learns with large batches; it is
    not used.

    References
    ----------
    - MLPerf Training v4.0 results (MLCommons).
    - Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021.
    """

    code = "TR212"
    name = "poor-scaling"
    severity = Severity.MAJOR
    needs = ("throughput in samples or tokens of two or more runs that differ in the number of GPUs", "the number of GPUs of each")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR212."""

        efficiency: float = threshold(0.5, unit="share", why="More is lost than won.", low=0, high=1, source=_MLPERF)
        factor: float = threshold(8, unit="times the GPUs", why="From here on the line falls.", low=1, high=10_000, source=_MLPERF)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        own, gpus = own_rate(case), gpus_of(case)
        if own is None:
            return self.not_applicable("no throughput in samples or tokens a second was logged")
        if gpus is None:
            return self.not_applicable("the number of GPUs is not known")
        smaller = smaller_runs(case, own, gpus)
        if not smaller:
            return self.not_applicable(
                f"no other run with fewer than {words.plural(gpus, 'GPU')}, the same parameters and a throughput in {own.unit}"
            )
        base = smaller[0]
        efficiency = own.value / gpus / base.for_each
        factor = gpus / base.gpus
        line = limits.efficiency * min(1.0, (limits.factor / factor) ** (1 / 3))
        if efficiency < line:
            return self.found(self._finding(case, own, gpus, base, limits))
        return self.clear(f"{gpus} GPUs reach {words.share(efficiency)} of the throughput for each GPU of {base.name} with {base.gpus}")

    def _finding(self, case: Case, own: Throughput, gpus: int, base: Alike, limits: Thresholds) -> Finding:
        efficiency = own.value / gpus / base.for_each
        hours = case.ledger.gpu_hours
        return self.finding(
            f"{gpus} GPUs gave {words.number(own.value / base.throughput)} times the throughput of {base.gpus} in {base.name} "
            f"({words.number(own.value)} against {words.number(base.throughput)} {own.unit}): an efficiency of {words.share(efficiency)}.",
            evidence=(
                Evidence("scaling efficiency", efficiency, "1", "throughput for each GPU over that of the smaller run", 2),
                Evidence("throughput", own.value, own.unit, own.basis, 1),
            ),
            action=Action("Train on fewer GPUs, or enlarge the batch for each GPU and overlap communication.", "ML engineer", "a day"),
            confidence=Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=None if hours is None else hours * 3600 * (1 - efficiency), share_of_run=1 - efficiency),
        )


DETECTOR = PoorScaling()
