"""The decision policy: each rule a function, asked in this order; the first that answers decides.

Diagnose before acting; data first, compute second; more hardware is never the answer to a learning problem or
to low utilization; money already spent is never a reason to go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.decisions import options
from trainreport.decisions.conditions import of_a_go
from trainreport.decisions.lacking import enough, lacking, too_few
from trainreport.decisions.sentences import (
    broken_off,
    keep_checkpoint,
    outlook,
    over_budget,
    reached,
    reasons,
    short_of_target,
    target_change,
    way_there,
)
from trainreport.decisions.troubles import TROUBLES, advice_for, headline_for, holds_back
from trainreport.model import words
from trainreport.model.decision import Decision, NextStep, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.decisions.facts import Facts

__all__ = ["RULES", "Ruling", "decide"]

OTHER_SETTINGS = 2
"""With so many others, three settings ended short of the target: it is not the setting."""
ESCALATE_BELOW = 0.1
"""A chance of less than one in ten is not a matter of tuning: the requirement itself is in question."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says: a decision without its reasons and options."""

    rule: int
    verdict: Verdict
    next_step: NextStep
    headline: str
    lead: tuple[str, ...]
    """At most four plain sentences: what happened, why, what next."""
    conditions: tuple[str, ...] = ()
    change: str = ""
    """What would change the decision; the missed criteria where empty."""


def decide(facts: Facts) -> Decision:
    """Return the decision on one run."""
    ruling = next(answer for rule in RULES if (answer := rule(facts)) is not None)
    return Decision(
        verdict=ruling.verdict,
        next_step=ruling.next_step,
        headline=ruling.headline,
        lead=" ".join(sentence for sentence in ruling.lead if sentence),
        reasons=reasons(facts),
        conditions=ruling.conditions,
        what_would_change_it=ruling.change or target_change(facts),
        rule=ruling.rule,
        options=options.for_ruling(facts, ruling.rule, ruling.verdict, ruling.next_step),
    )


def rule_1_too_little_to_judge(facts: Facts) -> Ruling | None:
    """No validation series and no criterion measurable; too few points; or a mandatory criterion not measured and none missed."""
    if facts.broke_down or (facts.missed and not too_few(facts)):  # broken numbers are plain enough; rule 6 speaks
        return None
    missing = lacking(facts)
    if missing is None:
        return None
    goes_on = facts.barely_begun and not facts.only_hardware and not facts.overruns and not facts.found("TR221")
    headline = "Collect the missing evidence before deciding"
    if goes_on:
        headline = "Resume the run; it had barely begun" if facts.broke_off else "Let the run go on; it has barely begun"
    return Ruling(
        rule=1,
        verdict=Verdict.CANNOT_TELL,
        next_step=NextStep.CONTINUE if goes_on else NextStep.COLLECT,
        headline=headline,
        lead=(*missing, over_budget(facts)),
        change=enough(facts),
    )


def rule_2_too_good(facts: Facts) -> Ruling | None:
    """TR114: validation looks too good, so nothing that rests on it can be judged."""
    suspicious = [one for one in facts.open_major if one.code == "TR114"]
    if not suspicious:
        return None
    return Ruling(
        rule=2,
        verdict=Verdict.CANNOT_TELL,
        next_step=NextStep.DATA,
        headline="Check the validation data before trusting this result",
        lead=(
            suspicious[0].message,
            reached(facts) if facts.best else "",
            "A leak from training into validation data looks like this, and makes every number on it worthless.",
            "Look for shared rows, features that know the answer, and splits by time or person.",
        ),
        conditions=("Show that no example, person or moment is in both training and validation data.",),
        change="A check of the data that finds no leak, or a result on a fresh test set.",
    )


def rule_3_criteria_met(facts: Facts) -> Ruling | None:
    """All mandatory criteria met at the best checkpoint."""
    if not facts.all_met:
        return None
    conditions = of_a_go(facts)
    checkpoint = keep_checkpoint(facts)
    if not conditions:
        return Ruling(
            rule=3,
            verdict=Verdict.GO,
            next_step=NextStep.PROCEED,
            headline="Take this model to evaluation",
            lead=(reached(facts), "Nothing that was checked speaks against it.", f"Evaluate {checkpoint} on the test set next."),
            change=f"{short_of_target(facts)}, or a fault in the data found later.",
        )
    return Ruling(
        rule=3,
        verdict=Verdict.GO_WITH_CONDITIONS,
        next_step=NextStep.PROCEED,
        headline=f"Take {checkpoint} to evaluation, on {'one condition' if len(conditions) == 1 else f'{len(conditions)} conditions'}",
        lead=(reached(facts), over_budget(facts), f"Evaluate {checkpoint}, and meet what is asked for below."),
        conditions=conditions,
        change=f"{short_of_target(facts)}, or a condition that is not met.",
    )


def rule_4_sunk_cost(facts: Facts) -> Ruling | None:
    """Several runs, no gain beyond run-to-run noise, spend rising."""
    spent = facts.found("TR401")
    if not spent or facts.accepted("TR401"):
        return None
    revisited = facts.case.plan.data_revisited
    no_better = any(holds_back(one) for one in facts.found("TR403"))
    step = NextStep.PAUSE if not revisited else NextStep.STOP if no_better else NextStep.BUSINESS
    headline, what_next = {
        NextStep.PAUSE: (
            "Pause the series; find out why it has stopped gaining",
            "Start with the data: labels, coverage, and what it cannot know.",
        ),
        NextStep.BUSINESS: (
            "Ask whether the target can be met at all",
            "The data was revisited already; agree on another target, or on another way.",
        ),
        NextStep.STOP: (
            "Stop the series; nothing promising is left",
            "The data was revisited and the simple model is as good: use that one.",
        ),
    }[step]
    return Ruling(
        rule=4,
        verdict=Verdict.NO_GO,
        next_step=step,
        headline=headline,
        lead=(spent[0].message, over_budget(facts), "What was spent is no reason to spend more.", what_next),
        conditions=("Start no further run of this kind before the cause is known.",),
        change=f"A cause that explains the standstill, and a pilot run that gains beyond chance. {target_change(facts)}",
    )


def rule_5_overfitting(facts: Facts) -> Ruling | None:
    """Overfitting, and the target missed at the best checkpoint: no more training."""
    if not facts.found("TR101") or not facts.missed:
        return None
    step, why_data = _after_overfitting(facts)
    checkpoint = keep_checkpoint(facts)
    conditions = (f"Go back to {checkpoint}; what came after is worse on unseen data.", "Start no further training as configured.")
    to_data = step is NextStep.DATA
    headline = "Stop paying for training; decide about the data" if to_data else "Stop training; go back and regularise"
    what_next = "choose how to improve the data before another run" if to_data else "tune once, stopping at the best checkpoint"
    costs = ", agree a limit on the costs" if facts.over_money else ""
    return Ruling(
        rule=5,
        verdict=Verdict.NO_GO,
        next_step=step,
        headline=headline,
        lead=(
            f"The model learned until {_until(facts)} and has got worse on unseen data since, while it memorised what it trains on.",
            reached(facts),
            f"More training will not close that gap{why_data}.",
            f"Keep {checkpoint}{costs} and {what_next}.",
        ),
        conditions=(*conditions, *_review(facts)),
    )


def rule_6_broken_numbers(facts: Facts) -> Ruling | None:
    """Non-finite or diverged at the end of the run."""
    if not facts.broke_down:
        return None
    found = facts.found("TR106") if facts.ended_non_finite else facts.found("TR105")
    checkpoint = keep_checkpoint(facts)
    last_good = "Start again" if facts.best is None else f"Resume from {checkpoint}"
    numbers = "its numbers broke down" if facts.ended_non_finite else "it has diverged"
    return Ruling(
        rule=6,
        verdict=Verdict.NO_GO,
        next_step=NextStep.TUNE,
        headline=f"Stop this run; {numbers}",
        lead=(
            found[0].message,
            "What it computed from there on cannot be used.",
            f"{last_good} with a lower learning rate, after a check of the data around that step.",
            over_budget(facts),
        ),
        conditions=("Lower the learning rate or clip gradients before the next run.", "Check the data of the last good steps."),
        change=f"A run whose numbers stay finite and near their best to its end. {target_change(facts) if facts.missed else ''}".strip(),
    )


def rule_7_learning_trouble(facts: Facts) -> Ruling | None:
    """Learning trouble with the target missed: see `troubles.TROUBLES`."""
    if not facts.missed:
        return None
    trouble = facts.trouble
    if trouble is None:
        return None
    others = facts.settings_elsewhere(TROUBLES)
    to_data = others >= OTHER_SETTINGS
    headline, advice = headline_for(trouble.code), advice_for(trouble.code)
    if to_data:
        headline, advice = "Look at the data, not at another setting", "Check labels, features and their signal before another run."
    return Ruling(
        rule=7,
        verdict=Verdict.NO_GO,
        next_step=NextStep.DATA if to_data else NextStep.TUNE,
        headline=headline,
        lead=(
            trouble.message,
            reached(facts),
            f"{words.capital(words.plural(others, 'other setting'))} ended short of the target as well." if to_data else over_budget(facts),
            advice,
        ),
        conditions=("Do not simply train longer or on more hardware.", *_review(facts)),
    )


def rule_8_on_its_way(facts: Facts) -> Ruling | None:
    """Still improving, and the forecast reaches the target within budget and deadline."""
    if not facts.on_its_way:
        return None
    resumed = broken_off(facts)
    return Ruling(
        rule=8,
        verdict=Verdict.NOT_YET,
        next_step=NextStep.CONTINUE,
        headline="Resume from the last checkpoint; the target is in reach" if resumed else "Let the run go on; the target is in reach",
        lead=(reached(facts), "It still improves.", outlook(facts), resumed),
        conditions=("Judge it again when the target is reached, or at the latest when the budget ends.", *_on_hardware(facts)),
        change=f"No further gain for a fifth of the run, or the budget used up. {way_there(facts)}",
    )


def rule_9_not_in_time(facts: Facts) -> Ruling | None:
    """Still improving, and the forecast does not reach the target within budget and deadline."""
    if not facts.missed or not facts.still_improving or (facts.target_likely is None and not facts.overruns):
        return None
    chance = None if facts.forecast is None else facts.forecast.probability
    hopeless = (chance is not None and chance < ESCALATE_BELOW) or facts.case.plan.data_revisited
    return Ruling(
        rule=9,
        verdict=Verdict.NO_GO,
        next_step=NextStep.BUSINESS if hopeless else NextStep.TUNE,
        headline="Choose: more budget, a faster way, or another target",
        lead=(reached(facts), "It still improves, but not fast enough for what was agreed.", over_budget(facts) or outlook(facts)),
        conditions=("Go on only with a budget or a target that was agreed anew.", *_on_hardware(facts)),
        change=f"A larger budget, a later deadline, or a lower target. {way_there(facts)}",
    )


def rule_10_criterion_missed(facts: Facts) -> Ruling | None:
    """None of these, and a mandatory criterion measured and missed."""
    if not facts.missed:
        return None
    cause, advice = "No single cause stands out in the logs.", "Change one setting at a time, on a small pilot first."
    if facts.still_improving:
        cause = f"It still improved at its end, but how far it would get was {facts.case.ledger.basis.get('forecast', 'not forecast')}."
        advice = "Agree on how long it may go on, or change one setting at a time, on a small pilot first."
    return Ruling(
        rule=10,
        verdict=Verdict.NO_GO,
        next_step=NextStep.TUNE,
        headline="Tune before another run; the target was missed",
        lead=(reached(facts), cause, over_budget(facts), advice),
        change=way_there(facts),
    )


def rule_11_nothing_decides(facts: Facts) -> Ruling:
    """Anything else: no criteria, so only the diagnosis tells what to do next."""
    step, advice = _from_diagnosis(facts)
    missing = "No acceptance criteria were agreed, so nobody can say whether it is good enough."
    agree = "Agree on a target in plan.toml (`trainreport plan new` writes one to start from)."
    if facts.case.plan.criteria:
        missing, agree = "", "Agree on which criterion has to be met, and make it mandatory in plan.toml."
    return Ruling(
        rule=11,
        verdict=Verdict.CANNOT_TELL,
        next_step=step,
        headline="Agree on a target; then this run can be judged",
        lead=(reached(facts) if facts.best else "", missing, advice, over_budget(facts) or agree),
        conditions=(agree,),
        change="A plan with at least one mandatory acceptance criterion.",
    )


RULES: tuple[Callable[[Facts], Ruling | None], ...] = (
    rule_1_too_little_to_judge,
    rule_2_too_good,
    rule_3_criteria_met,
    rule_4_sunk_cost,
    rule_5_overfitting,
    rule_6_broken_numbers,
    rule_7_learning_trouble,
    rule_8_on_its_way,
    rule_9_not_in_time,
    rule_10_criterion_missed,
    rule_11_nothing_decides,
)


def _review(facts: Facts) -> list[str]:
    """Return what has to be agreed on before any further run, where limits are over."""
    costs = any(line.share is not None for line in facts.overruns)
    late = any(line.share is None for line in facts.overruns)
    limit = ["Review the costs and agree a limit before any further run."] if costs else []
    return [*limit, "Agree on another date before any further run."] if late else limit


def _until(facts: Facts) -> str:
    return "its best checkpoint" if facts.best is None else f"step {words.count(facts.best.step)}"


def _after_overfitting(facts: Facts) -> tuple[NextStep, str]:
    """Tune the first time; go to the data when that was tried, or when the money is gone."""
    if facts.over_money:
        line = next(line for line in facts.overruns if line.name == "money")
        return NextStep.DATA, f", and the money is {line.excess.replace('over', 'over budget')}"
    if facts.settings_elsewhere(("TR101",)):
        return NextStep.DATA, ", and it is not the first run that ended so"
    if facts.regularised:
        return NextStep.DATA, ", and regularisation was already on"
    return NextStep.TUNE, ""


def _from_diagnosis(facts: Facts) -> tuple[NextStep, str]:
    if facts.found("TR101"):
        step, why = _after_overfitting(facts)
        return step, "It overfits: stop earlier and regularise." if step is NextStep.TUNE else f"It overfits{why}: improve the data."
    trouble = facts.trouble
    if trouble is None:
        return NextStep.COLLECT, ""
    return NextStep.DATA if facts.settings_elsewhere(TROUBLES) >= OTHER_SETTINGS else NextStep.TUNE, advice_for(trouble.code)


def _on_hardware(facts: Facts) -> list[str]:
    """Return what makes the hardware that is there do more; more of it is never the answer."""
    return list(dict.fromkeys(one.action.text for one in facts.open_major if one.code.startswith("TR2")))
