"""TR005: conflicting sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.sources import Pair, pairs_of_tools
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class ConflictingSources(Detector):
    """Two logs of the same run give different numbers for the same thing.

    What it checks
    --------------
    Series that two tools logged under one meaning: same phase, same step.

    Why it matters
    --------------
    When TensorBoard says 0.91 and MLflow says 0.89, a report can be proven wrong with its own evidence. It must be known
    which one counts before anything is signed.

    How it decides
    --------------
    Values at common steps are compared. A finding is a difference of more than one in a thousand of the larger value at
    more than 5 % of at least three common steps; rounding to 32 bits explains less than a ten-thousandth of that.

    What to do
    ----------
    - Find out which tool logged what: smoothed, averaged over an epoch, or of one process only.
    - Name the series to use in the plan's criterion.

    Limits
    ------
    Only steps that both logged can be compared. Tools that count steps differently do not meet and are not seen here.

    References
    ----------
    - IEEE 754: single precision holds about seven decimal digits.
    """

    code = "TR005"
    name = "conflicting-sources"
    severity = Severity.MINOR
    needs = ("the same series from two tools",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR005."""

        difference: float = threshold(
            0.001, unit="share", why="Larger than rounding to single precision.", low=0, high=1, source="IEEE 754: float32 rounds at 6e-8"
        )
        steps: float = threshold(0.05, unit="share", why="Of the common steps that differ.", low=0, high=1, source="convention")
        common: float = threshold(3, unit="steps", why="Fewer prove nothing.", low=1, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if len({file.importer for file in case.log.run.files if file.rows_read}) < 2:
            return self.not_applicable("one tool logged the run, so there is nothing to compare")
        pairs = [pair for pair in pairs_of_tools(case.log) if len(pair.differences) >= limits.common]
        if not pairs:
            return self.not_applicable("no two tools logged the same series at the same steps")
        differing = [pair for pair in pairs if pair.share_over(limits.difference) > limits.steps]
        if not differing:
            steps = sum(len(pair.differences) for pair in pairs)
            return self.clear(f"{words.plural(len(pairs), 'series', 'series')} of two tools agree at {words.plural(steps, 'common step')}")
        return self.found(*(self._finding(pair, limits) for pair in differing))

    def _finding(self, pair: Pair, limits: Thresholds) -> Finding:
        share, worst, common = pair.share_over(limits.difference), float(pair.differences.max()), len(pair.differences)
        return self.finding(
            f"{pair.tools[0]} and {pair.tools[1]} disagree on {words.series_words(pair.series, pair.phase)} "
            f"at {words.share(share)} of {words.plural(common, 'common step')}, by up to {words.share(worst)}.",
            evidence=(
                Evidence("share of common steps that differ", share, "1", f"by more than {limits.difference:g} of the larger", common),
                Evidence("largest difference", worst, "1", "share of the larger value", common),
            ),
            action=Action("Find out which tool is right, and name that series in the plan.", "ML engineer", "an hour"),
            confidence=Confidence.HIGH if common >= 10 else Confidence.MEDIUM,
            limits=limits,
        )


DETECTOR = ConflictingSources()
