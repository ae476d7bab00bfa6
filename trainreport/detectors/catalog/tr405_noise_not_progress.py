"""TR405: noise, not progress."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.family import Runs, luck_of_the_best, runs_of
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class NoiseNotProgress(Detector):
    """The best of several runs is no better than luck makes it.

    What it checks
    --------------
    How far the best of the runs lies beyond their median, beside what luck alone gives the best of as many alike runs.

    Why it matters
    --------------
    The best of ten alike runs looks like progress. If it is luck, the next run falls back, and what was changed for it is worth
    nothing.

    How it decides
    --------------
    The noise between runs is that of repeated configurations, else that within the curves, with low confidence. The best of n alike
    runs is expected to lie some standard deviations beyond their median (1.2 for 5, 1.5 for 10). It is a finding when it lies no
    further than that and one more.

    What to do
    ----------
    - Repeat the best configuration with two or more further seeds before a decision rests on it.
    - Compare means over seeds, not single runs.

    Limits
    ------
    Noise within curves is less than that between runs, so where no configuration was repeated too little is found. One bad run does
    not matter, for the median is compared with.

    References
    ----------
    - Bouthillier et al., Accounting for Variance in Machine Learning Benchmarks, MLSys 2021.
    - Blom, Statistical Estimates and Transformed Beta-Variables (1958).
    """

    code = "TR405"
    name = "noise-not-progress"
    severity = Severity.MINOR
    needs = ("three or more runs judged by the same series, and their noise",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR405."""

        runs: float = threshold(3, unit="runs", why="Two runs show no spread.", low=3, high=1000, source="convention")
        extra: float = threshold(
            1, unit="standard deviations", why="Beyond what luck gives on average.", low=0, high=10, source="convention: one"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge all runs."""
        runs = runs_of(case)
        if runs is None or len(runs.every) < limits.runs:
            return self.not_applicable(f"fewer than {limits.runs:g} runs that are judged by the same series")
        if not runs.noise:
            return self.not_applicable(runs.noise_basis if runs.noise is None else "the runs show no noise at all")
        count = len(runs.every)
        above, luck = runs.gain(runs.best, median(runs.values)), luck_of_the_best(count) * runs.noise
        if above > luck + limits.extra * runs.noise:
            return self.clear(f"the best of {count} runs lies {runs.said(above)} beyond their median; luck gives about {runs.said(luck)}")
        return self.found(self._finding(runs, above, luck, limits))

    def _finding(self, runs: Runs, above: float, luck: float, limits: Thresholds) -> Finding:
        count = len(runs.every)
        return self.finding(
            f"The best of {count} runs lies {runs.said(above)} beyond their median; by luck alone it would lie about "
            f"{runs.said(luck)} beyond it.",
            evidence=(
                Evidence("distance of the best from the median", above, "1", "best value less median", count),
                Evidence("distance that luck gives", luck, "1", f"expected best of {count} alike runs; {runs.noise_basis}", count),
            ),
            action=Action("Repeat the best configuration with two further seeds before deciding on it.", "ML engineer", "two runs"),
            confidence=Confidence.HIGH if runs.repeated else Confidence.LOW,
            limits=limits,
        )


DETECTOR = NoiseNotProgress()
