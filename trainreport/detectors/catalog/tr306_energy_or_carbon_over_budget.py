"""TR306: energy or carbon over budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import spending
from trainreport.detectors.base import Detector, threshold
from trainreport.model.finding import Action, Confidence, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case

_LIMITS = ("energy_kwh", "carbon_kg")


class EnergyOrCarbonOverBudget(Detector):
    """More energy or carbon was spent than was agreed.

    What it checks
    --------------
    The energy and carbon of this run and all runs before it, beside the plan's limits on kWh and kilograms of CO2 equivalent.

    Why it matters
    --------------
    Energy and carbon limits are promises to others: to customers, to a regulator, in an annual report. They have to be reported as passed.

    How it decides
    --------------
    Energy is measured from power samples, else estimated from maximum power, utilization and hours; the PUE and the grid factor of the
    plan are in it. It is a finding on the run with which a limit was passed, and on each after it. Up to a twentieth over is minor.
    Confidence is high where all of this run's energy was measured.

    What to do
    ----------
    - Tell whoever answers for the limit, and agree on how to go on.
    - Move what remains to hours or regions with cleaner electricity; stop at the best checkpoint.

    Limits
    ------
    Of the machine only the GPUs are counted, unless the PUE is set to cover the rest. A run whose energy is not known adds nothing.
    An estimate leaves the idle draw out.

    References
    ----------
    - Lacoste et al., Quantifying the Carbon Emissions of Machine Learning (2019).
    - Henderson et al., Towards the Systematic Reporting of the Energy and Carbon Footprints of Machine Learning, JMLR 2020.
    """

    code = "TR306"
    name = "energy-or-carbon-over-budget"
    severity = Severity.MAJOR
    needs = ("a limit on energy or carbon in the plan", "power samples, or GPUs of a known model")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR306."""

        over: float = threshold(1.0, unit="share", why="What was agreed is the limit.", low=0.5, high=2, source="the plan itself")
        slight: float = threshold(
            0.05, unit="share", why="Up to this much over the limit is a minor matter.", low=0, high=1, source="convention: a twentieth"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        budget, basis = case.plan.budget, case.ledger.basis
        if budget.energy_kwh is None and budget.carbon_kg is None:
            return self.not_applicable("the plan sets no limit on energy or carbon")
        found = spending.lines(case, _LIMITS)
        if not found:
            what = "energy" if case.ledger.energy_j is None else "carbon"
            return self.not_applicable(f"what was spent is not known: {what} {basis.get(what, 'not known')}")
        how = ", estimated" if case.ledger.energy_basis == "estimated" else ""
        action = Action("Tell whoever answers for the limit, and agree on it anew before more is spent.", "Data lead", "an hour")
        confidence = Confidence.HIGH if case.ledger.energy_basis == "measured" else Confidence.MEDIUM
        return spending.outcome(self, case, limits, found, how=lambda _: how, action=action, confidence=confidence)


DETECTOR = EnergyOrCarbonOverBudget()
