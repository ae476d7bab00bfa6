"""The courses that the sponsor is asked to choose from, with their price."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.decisions.course import share_to_best
from trainreport.decisions.slope import steps_to_target
from trainreport.decisions.troubles import response_to
from trainreport.model import words
from trainreport.model.decision import NextStep, Option, Verdict

if TYPE_CHECKING:
    from trainreport.decisions.facts import Facts
    from trainreport.model.money import Money

__all__ = ["WAITING", "chance", "for_ruling"]

ESCALATED = 9
"""The rule by which the sponsor chooses: tuning, another requirement, or a longer plan, each with its price."""
_NOT_KNOWN = "not known yet"
WAITING = ("TR203", "TR213", "TR214", "TR222", "TR201")
"""What a GPU waits for, the known causes first."""


def for_ruling(facts: Facts, rule: int, verdict: Verdict, step: NextStep) -> tuple[Option, ...]:
    """Return the recommended course first, then what else could be done, then what is not advised."""
    if verdict in (Verdict.GO, Verdict.GO_WITH_CONDITIONS):
        return (_evaluate(facts), _train_longer(facts))
    if rule == ESCALATED:
        faster = _faster(facts)
        if step is NextStep.BUSINESS:
            return (_business(), *([faster] if faster else [_tune(facts, recommended=False)]), _extend(facts))
        return (
            replace(faster, recommended=True) if faster else _tune(facts, recommended=True),
            _business(recommended=False),
            _extend(facts),
        )
    if step is NextStep.COLLECT:
        return (_collect(), _train_longer(facts))
    if step is NextStep.CONTINUE:
        return (_continue(facts),)
    if step in (NextStep.PAUSE, NextStep.STOP):
        return (_pause(facts, step), _data(facts, recommended=False), _train_longer(facts))
    if step is NextStep.BUSINESS:
        return (_business(), _tune(facts, recommended=False), _train_longer(facts))
    if step is NextStep.DATA:
        return (_data(facts, recommended=True), _tune(facts, recommended=False), _train_longer(facts))
    return (_tune(facts, recommended=True), _data(facts, recommended=False), _train_longer(facts))


def _evaluate(facts: Facts) -> Option:
    return Option(
        title="Proceed to evaluation",
        does=f"Measure {_checkpoint(facts)} once on the test set, then decide on release",
        cost=None,
        cost_note="no further training",
        chance="reached on validation",
        who="ML lead",
        recommended=True,
    )


def _pause(facts: Facts, step: NextStep) -> Option:
    again = facts.case.plan.data_revisited
    return Option(
        title="Stop the series" if step is NextStep.STOP else "Pause the series",
        does="Use what there is, and end the work" if step is NextStep.STOP else "Find the root cause before the next run, data first",
        cost=None,
        cost_note="no further training",
        chance="none" if again and step is NextStep.STOP else _NOT_KNOWN,
        who="Sponsor",
        recommended=True,
    )


def _business(*, recommended: bool = True) -> Option:
    return Option(
        title="Revisit the business requirement",
        does="Agree on another target, another budget, or another way to the same end",
        cost=None,
        cost_note="a meeting of those who agreed on the plan",
        chance=_NOT_KNOWN,
        who="Sponsor",
        recommended=recommended,
    )


def _collect() -> Option:
    return Option(
        "Collect the evidence",
        "Log what is missing, then judge again",
        None,
        "little, if the run goes on anyway",
        _NOT_KNOWN,
        "ML engineer",
        recommended=True,
    )


def _continue(facts: Facts) -> Option:
    return Option(
        "Continue as planned",
        "Let the run go on to the planned steps",
        None,
        _unpriced(facts),
        chance(facts),
        "ML engineer",
        recommended=True,
    )


def _data(facts: Facts, *, recommended: bool) -> Option:
    cost = _one_more(facts)
    return Option(
        title="Return to data preparation",
        does="Check labels and coverage, add cases like those it gets wrong, then one run to its best checkpoint",
        cost=cost,
        cost_note="plus labelling" if cost else "labelling, and one run",
        chance=_NOT_KNOWN,
        who="Data lead",
        recommended=recommended,
    )


def _tune(facts: Facts, *, recommended: bool) -> Option:
    return Option(
        title="Tune once more",
        does=_tuning(facts),
        cost=_one_more(facts),
        cost_note="" if _one_more(facts) else _unpriced(facts),
        chance=_NOT_KNOWN if recommended else "low",
        who="ML lead",
        recommended=recommended,
    )


def _tuning(facts: Facts) -> str:
    """Return the field's cheapest standard response to what was found."""
    if facts.ended_non_finite or facts.found("TR105"):
        return "Lower the learning rate or clip gradients, check the data at that step"
    if facts.found("TR101"):
        return "Stop at the best checkpoint, then dropout, weight decay or augmentation"
    trouble = facts.trouble
    return "Change one setting at a time on a small pilot run" if trouble is None else response_to(trouble.code)


def _faster(facts: Facts) -> Option | None:
    """Return the course of curing what the GPUs wait for, priced at what is left once that is gone; None where they do not wait."""
    found = next((finding for code in WAITING for finding in facts.found(code)), None)
    if found is None:
        return None
    hours, longer = facts.case.ledger.gpu_hours, _extend(facts)
    waited = found.waste.gpu_s / 3600 / hours if found.waste.gpu_s is not None and hours else found.waste.share_of_run or 0.0
    return replace(
        longer,
        title="Cure the waiting, then go on",
        does=f"Mend what the GPU waits for ({found.code}), then resume from the last checkpoint",
        cost=None if longer.cost is None else longer.cost.times(round(max(0.0, 1 - waited), 9)),
        cost_note="once the waiting is gone" if longer.cost is not None else longer.cost_note,
        who="ML engineer",
    )


def _extend(facts: Facts) -> Option:
    """Return the price of going on to the target, which takes a new agreement."""
    further, best, cost = steps_to_target(facts), facts.best, facts.case.ledger.cost
    price = None
    if further is not None and cost is not None and best is not None and best.last_step > 0:
        price = cost.times(round(further / best.last_step, 9))
    return Option(
        title="Extend the plan",
        does="Go on as configured" if further is None else f"Go on for about {words.count(further)} more steps, at the present slope",
        cost=price,
        cost_note="" if price else _unpriced(facts),
        chance="uncertain: slopes flatten",
        who="Sponsor",
    )


def _train_longer(facts: Facts) -> Option:
    worse = bool(facts.found("TR101") or facts.found("TR103") or facts.found("TR106"))
    return Option(
        title="Train longer",
        does="The same run again, as configured",
        cost=facts.case.ledger.cost,
        cost_note="" if facts.case.ledger.cost else _unpriced(facts),
        chance="not needed" if facts.all_met else ("very low" if worse else chance(facts)),
        who="not advised",
        advised=False,
    )


def chance(facts: Facts) -> str:
    """Return the foretold chance of reaching the target as it is run now."""
    chance = None if facts.forecast is None else facts.forecast.probability
    return _NOT_KNOWN if chance is None else f"about {words.share(chance)}"


def _one_more(facts: Facts) -> Money | None:
    """Return the price of one run up to its best checkpoint, None where it is not known."""
    cost, best = facts.case.ledger.cost, facts.best
    share = None if best is None else share_to_best(facts.case, best)
    return None if cost is None else cost.times(round(share or 1.0, 9))


def _checkpoint(facts: Facts) -> str:
    return "the best checkpoint" if facts.best is None else f"the checkpoint from step {words.count(facts.best.step)}"


def _unpriced(facts: Facts) -> str:
    hours = facts.case.ledger.gpu_hours
    return "not priced: no rate in the plan" if hours is None else f"{words.hours(hours)} of GPU time, no rate in the plan"
