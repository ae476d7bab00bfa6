"""TR401: sunk cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.family import Runs, runs_of, spend
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case


class SunkCost(Detector):
    """Run after run costs more, and none gains more than chance.

    What it checks
    --------------
    All runs of the assessment that are judged by the same series, in the order in which they began: the best value so far beside
    what had been spent by then.

    Why it matters
    --------------
    Money already spent is never a reason to go on. When the last half of the spending brought nothing beyond chance, the next run
    of the same kind most likely brings nothing either: the cause has to be found first.

    How it decides
    --------------
    It is a finding when the plan's target is not met, and at least three further runs and half of all spending came after the best
    value had come within two standard deviations of the noise between runs of where it ended. The noise is that of repeated
    configurations; where none was repeated, that within the curves, with lower confidence.

    What to do
    ----------
    - Pause. Look for the root cause before the next run: data, labels, target.
    - When the data has been revisited already, ask whether the business requirement can be met at all.

    Limits
    ------
    Whether the runs tried anything new cannot be seen from their values. Where no noise is known, nothing is said.

    References
    ----------
    - Arkes and Blumer, The Psychology of Sunk Cost (1985).
    - Bouthillier et al., Accounting for Variance in Machine Learning Benchmarks, MLSys 2021.
    """

    code = "TR401"
    name = "sunk-cost"
    severity = Severity.CRITICAL
    needs = ("several runs judged by the same series, with their times",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR401."""

        spent: float = threshold(0.5, unit="share", why="Of all spending that brought no gain.", low=0.1, high=1, source="convention: half")
        runs: float = threshold(3, unit="runs", why="Fewer further runs may be bad luck.", low=2, high=1000, source="convention")
        sigmas: float = threshold(
            2, unit="standard deviations", why="Less than this between two runs is chance.", low=0, high=10, source="95 % of a normal"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge all runs."""
        runs = runs_of(case)
        if runs is None or len(runs.every) < limits.runs + 1:
            count = 1 if runs is None else len(runs.every)
            return self.not_applicable(f"{words.plural(count, 'run')} to compare; at least {limits.runs + 1:g} are needed")
        if runs.noise is None:
            return self.not_applicable(runs.noise_basis)
        costs = [spend(one) for one in runs.every]
        if None in costs or any(one.started_at is None for one in runs.every):
            return self.not_applicable("when each run was made, or what it took, is not known")
        if _target_met(case, runs.best):
            return self.clear(f"the target is met with {words.measure(runs.best, runs.series)}")
        near = limits.sigmas * runs.noise
        settled = next(at for at, value in enumerate(runs.values) if value == runs.best or runs.gain(runs.best, value) <= near)
        total, after = (sum(cost or 0.0 for cost in costs[start:]) for start in (0, settled + 1))
        share, further = (after / total if total > 0 else 0.0), len(runs.every) - settled - 1
        if share < limits.spent or further < limits.runs:
            return self.clear(
                f"{words.share(share)} of the spending came after the best value had settled, in {words.plural(further, 'run')}"
            )
        return self.found(self._finding(case, runs, settled, share, limits))

    def _finding(self, case: Case, runs: Runs, settled: int, share: float, limits: Thresholds) -> Finding:
        further = len(runs.every) - settled - 1
        missed = "; the target is still missed" if case.plan.criteria else ""
        gained, noise = runs.gain(runs.best, runs.values[settled]), runs.noise or 0.0
        return self.finding(
            f"The last {words.plural(further, 'run')} took {words.share(share)} of all spending and gained {runs.said(gained)}, "
            f"no more than chance explains ({runs.said(noise)} from run to run){missed}.",
            evidence=(
                Evidence("share of spending after the best had settled", share, "1", "by GPU-hours, else wall time", len(runs.every)),
                Evidence("gain of these runs", gained, "1", "best of all over the best before", further),
                Evidence("noise between runs", noise, "1", runs.noise_basis, len(runs.every)),
            ),
            action=Action("Pause further runs of this kind until the root cause is known.", "Data lead", "a day"),
            confidence=Confidence.HIGH if runs.repeated else Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=_gpu_s(runs, settled)),
        )


def _target_met(case: Case, best: float) -> bool:
    own = case.summary
    if own is None or own.series is None or own.phase is None:
        return False
    criterion, curve = case.criterion_for(own.series, own.phase), case.curve(own.series, own.phase)
    return criterion is not None and curve is not None and reading.meets(criterion, curve, best)


def _gpu_s(runs: Runs, settled: int) -> float | None:
    hours = [one.gpu_hours for one in runs.every[settled + 1 :]]
    return None if None in hours else 3600 * sum(one or 0.0 for one in hours)


DETECTOR = SunkCost()
