"""Finds runs that were evaluated too seldom, as an outside package would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import Detector, threshold
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case


class FewEvaluations(Detector):
    """The run was evaluated only a few times.

    What it checks
    --------------
    How often the loss on unseen data was logged.

    Why it matters
    --------------
    Acme wants many evaluations.

    How it decides
    --------------
    It counts them.

    What to do
    ----------
    - Evaluate more often.

    Limits
    ------
    None that are known.

    References
    ----------
    - Acme's handbook.
    """

    code = "ACME01"
    name = "few-evaluations"
    severity = Severity.MINOR
    needs = ("a loss on unseen data",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of ACME01."""

        least: float = threshold(5.0, unit="evaluations", why="Acme's habit.", low=1.0, high=100.0, source="Acme's handbook")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Count the evaluations."""
        curve = case.held_out("loss")
        if curve is None:
            return self.not_applicable("no loss on unseen data was logged")
        if len(curve) >= limits.least:
            return self.clear(f"{len(curve)} evaluations")
        return self.found(
            self.finding(
                f"The run was evaluated {len(curve)} times only.",
                evidence=(Evidence("evaluations", float(len(curve)), "1", "counted", len(curve)),),
                action=Action("Evaluate more often.", "ML engineer", "minutes"),
                confidence=Confidence.HIGH,
                limits=limits,
                curve=curve,
            )
        )


class Taken(FewEvaluations):
    __doc__ = FewEvaluations.__doc__
    code = "TR101"


DETECTOR = FewEvaluations()
TAKEN = Taken()
