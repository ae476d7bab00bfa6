"""The sentences that rules are made of: what was reached, what is kept, what would change the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.decisions.slope import steps_to_target
from trainreport.model import words
from trainreport.model.decision import Reason
from trainreport.model.finding import Severity
from trainreport.model.series import SHARES

if TYPE_CHECKING:
    from trainreport.decisions.facts import Facts
    from trainreport.model.decision import CriterionResult

__all__ = [
    "agreed",
    "broken_off",
    "keep_checkpoint",
    "outlook",
    "over_budget",
    "reached",
    "reasons",
    "short_of_target",
    "target_change",
    "value_words",
    "way_there",
]


def value_words(facts: Facts, result: CriterionResult, value: float | None) -> str:
    """Return a value of a criterion as people write it."""
    criterion = facts.criterion(result)
    if value is None:
        return "no number"
    if criterion.unit == "percent":
        return f"{words.number(value)} %"
    return words.measure(value, _series(facts, result))


def agreed(facts: Facts, result: CriterionResult, *, phase: bool = True) -> str:
    """Return ``validation accuracy of at least 90 %`` for a criterion, ``accuracy of at least 90 %`` without the phase."""
    bound = "at least" if result.comparator == ">=" else "at most"
    criterion = facts.criterion(result)
    name = words.series_words(_series(facts, result), criterion.phase if phase else "system")
    return f"{name} of {bound} {value_words(facts, result, result.threshold)}"


def reached(facts: Facts) -> str:
    """Return one sentence: what was reached against what was agreed, by the criterion that decides."""
    results = facts.missed or facts.judgement.mandatory
    if not results:
        best = facts.best
        if best is None:
            return "Nothing was measured on data that the model had not seen."
        name = words.series_words(best.series, best.phase)
        binding = "no criterion of the plan is mandatory" if facts.case.plan.criteria else "no target was agreed"
        return f"The best {name} was {words.measure(best.value, best.series)}; {binding}."
    result = results[0]
    name = words.series_words(_series(facts, result), facts.criterion(result).phase)
    if result.value is None:
        return f"For {name} {value_words(facts, result, result.threshold)} was agreed, and it was never a number."
    value, target = _pair(facts, result, result.value)
    if result.state == "met":
        bound = "at least" if result.comparator == ">=" else "at most"
        return f"It reached {value} in {name}; {bound} {target} was agreed{_allowed(facts, result)}."
    return f"It reached {value} in {name}; {target} was agreed."


def keep_checkpoint(facts: Facts) -> str:
    """Return ``the checkpoint from step 20,000``, or what stands for it."""
    best = facts.best
    return "the best checkpoint" if best is None else f"the checkpoint from step {words.count(best.step)}"


def over_budget(facts: Facts) -> str:
    """Return one sentence on what is over, empty where nothing is."""
    if not facts.overruns:
        return ""
    line = facts.overruns[0]
    if line.share is None:
        return f"The deadline of {line.limit} has passed."
    return f"It took {line.spent} of {line.limit} agreed, {line.excess}."


def outlook(facts: Facts) -> str:
    """Return one sentence on the forecast: the chance, and where it is foretold to end."""
    forecast = facts.forecast
    if forecast is None or forecast.probability is None:
        done = facts.plan_progress
        return f"All that was planned is done: {done.words.removesuffix(' planned')}." if facts.plan_used_up and done else ""
    chance = f"The chance of reaching the target in what is left of the plan is {words.share(forecast.probability)}"
    if forecast.low is None or forecast.high is None:
        return f"{chance}."
    result = next((one for one in facts.judgement.results if one.id == forecast.criterion), None)
    if result is None:
        return f"{chance}."
    low, high = (value_words(facts, result, value) for value in (forecast.low, forecast.high))
    return f"{chance}; it is foretold to end between {low} and {high}."


def broken_off(facts: Facts) -> str:
    """Return one sentence where the run stopped before its end, empty where it did not."""
    if not facts.broke_off and not facts.found("TR113"):
        return ""
    return "The run has stopped; resume it from its last checkpoint."


def target_change(facts: Facts) -> str:
    """Return what result would change a decision against the run."""
    targets = [agreed(facts, result) for result in (*facts.missed, *facts.not_measured)]
    if not targets:
        return "A criterion agreed in the plan, and a run that is measured against it."
    return f"{words.capital(words.joined(targets))}, at one checkpoint."


def short_of_target(facts: Facts) -> str:
    """Return what on the test set would change a decision for the run."""
    names = [agreed(facts, result, phase=False) for result in facts.judgement.mandatory]
    return f"A test set result short of the target ({words.joined(names)})"


def way_there(facts: Facts) -> str:
    """Return what would change a decision on a run that still improves: the result, or the steps to it at the present slope."""
    further = steps_to_target(facts)
    result = target_change(facts)
    return result if further is None else f"{result.removesuffix('.')}, or about {words.count(further)} more steps at the present slope."


def reasons(facts: Facts) -> tuple[Reason, ...]:
    """Return what speaks for and against going on to evaluation: criteria, then grave findings, then the budget."""
    found = []
    for result in facts.judgement.results:
        state = {"met": "met", "missed": "missed", "not-measured": "not measured"}[result.state]
        value = "" if result.value is None else f": {_pair(facts, result, result.value)[0]} reached"
        optional = "" if result.mandatory else " (optional)"
        found.append(Reason(result.id, result.state == "met", f"{words.capital(agreed(facts, result))}{optional}, {state}{value}"))
    found += [Reason(one.code, False, one.message) for one in facts.findings if one.severity >= Severity.MAJOR]
    for line in facts.budget:
        if line.share is None:
            text = f"The deadline of {line.limit} {'has passed' if line.over else 'is ahead'}"
        else:
            text = f"{line.label} {line.spent} of {line.limit}{f', {line.excess}' if line.over else ''}"
        found.append(Reason(f"budget.{line.name}", not line.over, text))
    return tuple(found)


def _allowed(facts: Facts, result: CriterionResult) -> str:
    """Return the tolerance that a value needs to meet its threshold, empty where it needs none."""
    criterion = facts.criterion(result)
    needs = result.value is not None and criterion.sign * (result.value - result.threshold) < 0 < criterion.tolerance
    return f", with a tolerance of {value_words(facts, result, criterion.tolerance)}" if needs else ""


def _pair(facts: Facts, result: CriterionResult, value: float) -> tuple[str, str]:
    """Return value and threshold with the digits that tell them apart."""
    percent = facts.criterion(result).unit == "percent"
    head = _series(facts, result).split("/", maxsplit=1)[0]
    shares = percent or facts.criterion(result).unit == "share" or (head in SHARES and abs(result.threshold) <= 1)
    scale = 0.01 if percent else 1.0
    return words.pair(value * scale, result.threshold * scale, shares=shares)


def _series(facts: Facts, result: CriterionResult) -> str:
    criterion = facts.criterion(result)
    curve = facts.case.curve(criterion.series, criterion.phase)
    return criterion.series if curve is None else curve.series
