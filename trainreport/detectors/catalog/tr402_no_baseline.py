"""TR402: no baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors.base import Detector
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class NoBaseline(Detector):
    """There is no simple model to compare with.

    What it checks
    --------------
    Whether a criterion of the plan has a baseline, or says what guessing gives.

    Why it matters
    --------------
    An accuracy of 90 % is poor where always naming the larger class gives 92 %. Without a baseline nobody can say what the training
    was worth.

    How it decides
    --------------
    It is a finding when the plan has criteria and none of them has a baseline. What guessing gives (chance) is a weaker stand-in and
    is named.

    What to do
    ----------
    - Train the simplest model that a colleague would try in an hour: the mean, a linear model, last year's rule. Write its value into
      the plan.

    Limits
    ------
    A baseline that was run and not written into the plan is not seen.

    References
    ----------
    - Sculley et al., Winner's Curse? On Pace, Progress, and Empirical Rigor, ICLR 2018 workshop.
    - Google, Rules of Machine Learning, rule 4: keep the first model simple.
    """

    code = "TR402"
    name = "no-baseline"
    severity = Severity.NOTE
    needs = ("a plan with acceptance criteria",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR402."""

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge the plan."""
        criteria = case.plan.criteria
        if not criteria:
            return self.not_applicable("the plan has no criterion that could have a baseline")
        known = [one for one in criteria if one.baseline is not None]
        if known:
            return self.clear(f"criterion {known[0].id} has a baseline of {known[0].baseline:g}")
        chance = next((one.chance for one in criteria if one.chance is not None), None)
        stand_in = "" if chance is None else f"; only what guessing gives is known ({chance:g})"
        return self.found(
            self.finding(
                f"No criterion of the plan has a baseline{stand_in}: what the training is worth cannot be said.",
                evidence=(Evidence("criteria with a baseline", 0.0, "1", "counted in the plan", len(criteria)),),
                action=Action("Train the simplest sensible model and write its value into the plan as baseline.", "Data lead", "a day"),
                confidence=Confidence.HIGH,
                limits=limits,
            )
        )


DETECTOR = NoBaseline()
