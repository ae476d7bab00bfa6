"""TR308: target unlikely in budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading
from trainreport.detectors.base import Detector, threshold
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.ledger import Forecast
    from trainreport.model.plan import Criterion


class TargetUnlikelyInBudget(Detector):
    """The target will more likely be missed than reached before budget and deadline end.

    What it checks
    --------------
    The forecast for the plan's first mandatory criterion: the chance of reaching it by the end that budget, deadline or planned length
    set, and where its series will end.

    Why it matters
    --------------
    Going on as planned then spends the rest of the budget on a likely miss. The time to choose another course is now.

    How it decides
    --------------
    It is a finding when the target is missed so far and the chance is below one half. Confidence follows the chance: high below 5 %,
    medium below 25 %, else low.

    What to do
    ----------
    - Compare the options with their prices: tune, better data, a lower target, or to stop.
    - Never go on merely because much was spent already.

    Limits
    ------
    The forecast knows the curve and past runs of the same task, not what will be changed: a step down of the learning rate that is
    still to come can lift the curve more than it foretells.

    References
    ----------
    - Adriaensen et al., Efficient Bayesian Learning Curve Extrapolation using Prior-Data Fitted Networks, NeurIPS 2023.
    """

    code = "TR308"
    name = "target-unlikely-in-budget"
    severity = Severity.MAJOR
    needs = ("a mandatory criterion and a budget, deadline or length in the plan", "the series of the criterion, long enough")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR308."""

        chance: float = threshold(
            0.5, unit="share", why="Below one half a miss is more likely.", low=0.01, high=0.99, source="convention: even odds"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        forecast = case.ledger.forecast
        if forecast is None or forecast.probability is None:
            return self.not_applicable(case.ledger.basis.get("forecast", "no forecast was made"))
        criterion = next((one for one in case.plan.criteria if one.id == forecast.criterion), None)
        if criterion is None:
            return self.not_applicable(f"the plan has no criterion {forecast.criterion!r}")
        if _met(case, criterion):
            return self.clear(f"{criterion.id} has reached its target of {_value(criterion, forecast.target)}")
        chance = words.share(forecast.probability)
        if forecast.probability >= limits.chance:
            return self.clear(f"the chance of reaching {criterion.id} of {_value(criterion, forecast.target)} is {chance}")
        return self.found(self._finding(case, criterion, forecast, limits))

    def _finding(self, case: Case, criterion: Criterion, forecast: Forecast, limits: Thresholds) -> Finding:
        chance = forecast.probability or 0.0
        by = "" if forecast.at_step is None else f" by step {forecast.at_step:,}"
        end = ""
        if forecast.low is not None and forecast.high is not None:
            end = f"; it is foretold to end between {_value(criterion, forecast.low)} and {_value(criterion, forecast.high)}"
        return self.finding(
            f"The chance that {criterion.id} reaches {_value(criterion, forecast.target)}{by}, within budget and deadline, "
            f"is {words.share(chance)}{end}.",
            evidence=(
                Evidence("chance of reaching the target", chance, "1", forecast.method, 1, to_step=forecast.at_step),
                *_ending(criterion, forecast),
            ),
            action=Action("Compare the other courses with their prices before the rest of the budget is spent.", "Data lead", "an hour"),
            confidence=Confidence.HIGH if chance < 0.05 else Confidence.MEDIUM if chance < 0.25 else Confidence.LOW,
            limits=limits,
            curve=case.curve(criterion.series, criterion.phase),
        )


def _ending(criterion: Criterion, forecast: Forecast) -> tuple[Evidence, ...]:
    if forecast.mid is None:
        return ()
    name = f"{criterion.id} at the end"
    return (Evidence(name, forecast.mid, "1", "80 % interval of the forecast", 1, forecast.low, forecast.high, to_step=forecast.at_step),)


def _met(case: Case, criterion: Criterion) -> bool:
    """Return whether the criterion has been met at any checkpoint so far."""
    curve = case.curve(criterion.series, criterion.phase)
    if curve is None or not len(finite := reading.finite(curve)):
        return False
    best = finite.value.max() if criterion.sign > 0 else finite.value.min()
    return reading.meets(criterion, finite, float(best))


def _value(criterion: Criterion, value: float) -> str:
    """Return a value in the unit of the criterion."""
    return {"share": words.share, "percent": lambda one: words.share(one / 100)}.get(criterion.unit, words.number)(value)


DETECTOR = TargetUnlikelyInBudget()
