"""The decision policy: each rule a function, asked in this order; the first that answers decides.

Diagnose before acting; data first, compute second; more hardware is never the answer to a learning problem or
to low utilization; money already spent is never a reason to go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.decisions import options
from trainreport.decisions.conditions import of_a_go
from trainreport.decisions.sentences import (
    agreed,
    broken_off,
    keep_checkpoint,
    outlook,
    over_budget,
    reached,
    reasons,
    target_change,
)
from trainreport.decisions.troubles import TROUBLES, advice_for, headline_for
from trainreport.model import words
from trainreport.model.decision import Decision, NextStep, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.decisions.facts import Facts

__all__ = ["RULES", "Ruling", "decide"]

MIN_EVALUATIONS = 5
"""A target missed by fewer evaluations than this says nothing on a run that may have gone on."""
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
        options=options.for_ruling(facts, ruling.verdict, ruling.next_step),
    )


def rule_1_too_little_to_judge(facts: Facts) -> Ruling | None:
    """No validation series and no criterion measurable; too few points; or a mandatory criterion not measured and none missed."""
    if facts.ended_non_finite:  # broken numbers are plain enough; rule 6 speaks
        return None
    measured = [one for one in facts.judgement.results if one.value is not None]
    if facts.missed and not _too_few(facts):
        return None
    if facts.not_measured and not facts.missed:
        names = [agreed(facts, one) for one in facts.not_measured]
        why = f"{words.capital(words.joined(names))} was agreed, but {facts.not_measured[0].reason}."
        evidence = "Log what is missing, or correct the name in the plan."
    elif facts.only_hardware:
        why = "Only the hardware was logged, so nothing says whether the model learned."
        evidence = "Put the training log beside it: TensorBoard event files or an MLflow store."
    elif not measured and not facts.has_held_out:
        why = "Nothing was measured on data that the model had not seen, so nothing says how it will do in use."
        evidence = "Log a metric on validation data at regular steps."
    elif _too_few(facts):
        best = facts.best
        seen = 0 if best is None else best.evaluations
        why = f"There are only {words.plural(seen, 'evaluation')} to judge by; {MIN_EVALUATIONS} are the least."
        evidence = "Let the run go on and evaluate it more often."
    else:
        return None
    begun = facts.barely_begun
    return Ruling(
        rule=1,
        verdict=Verdict.CANNOT_TELL,
        next_step=NextStep.CONTINUE if begun else NextStep.COLLECT,
        headline="Let the run go on; it has barely begun" if begun else "Collect the missing evidence before deciding",
        lead=(why, evidence, over_budget(facts)),
        change="A criterion that can be measured, on enough evaluations."
        if facts.case.plan.criteria
        else "A metric on data not trained on.",
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
            change="A test set result below the target, or a fault in the data found later.",
        )
    return Ruling(
        rule=3,
        verdict=Verdict.GO_WITH_CONDITIONS,
        next_step=NextStep.PROCEED,
        headline=f"Take {checkpoint} to evaluation, on {'one condition' if len(conditions) == 1 else f'{len(conditions)} conditions'}",
        lead=(reached(facts), over_budget(facts), f"Evaluate {checkpoint}, and meet what is asked for below."),
        conditions=conditions,
        change="A test set result below the target, or a condition that is not met.",
    )


def rule_4_sunk_cost(facts: Facts) -> Ruling | None:
    """Several runs, no gain beyond run-to-run noise, spend rising."""
    spent = facts.found("TR401")
    if not spent or facts.accepted("TR401"):
        return None
    revisited = facts.case.plan.data_revisited
    step = NextStep.PAUSE if not revisited else NextStep.STOP if facts.found("TR403") else NextStep.BUSINESS
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
    conditions = [f"Go back to {checkpoint}; what came after is worse on unseen data.", "Start no further training as configured."]
    if facts.overruns:
        conditions.append("Review the costs and agree a limit before any further run.")
    to_data = step is NextStep.DATA
    headline = "Stop paying for training; decide about the data" if to_data else "Stop training; go back and regularise"
    what_next = "choose how to improve the data before another run" if to_data else "tune once, stopping at the best checkpoint"
    return Ruling(
        rule=5,
        verdict=Verdict.NO_GO,
        next_step=step,
        headline=headline,
        lead=(
            f"The model learned until {_until(facts)} and has got worse on unseen data since, while it memorised what it trains on.",
            reached(facts),
            f"More training will not close that gap{why_data}.",
            f"Keep {checkpoint} and {what_next}.",
        ),
        conditions=tuple(conditions),
    )


def rule_6_broken_numbers(facts: Facts) -> Ruling | None:
    """Non-finite or diverged at the end of the run."""
    if not facts.ended_non_finite and not facts.found("TR105"):
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
        ),
        conditions=("Lower the learning rate or clip gradients before the next run.", "Check the data of the last good steps."),
        change="A run whose numbers stay finite and near their best to its end.",
    )


def rule_7_learning_trouble(facts: Facts) -> Ruling | None:
    """Learning trouble with the target missed: see `troubles.TROUBLES`."""
    if not facts.missed:
        return None
    code = next((code for code in TROUBLES if facts.found(code)), None)
    if code is None:
        return None
    others = facts.seen_elsewhere(TROUBLES)
    to_data = others >= 2  # with this one, three configurations ended there
    headline, advice = headline_for(code), advice_for(code)
    if to_data:
        headline, advice = "Look at the data, not at another setting", "Check labels, features and their signal before another run."
    return Ruling(
        rule=7,
        verdict=Verdict.NO_GO,
        next_step=NextStep.DATA if to_data else NextStep.TUNE,
        headline=headline,
        lead=(
            facts.found(code)[0].message,
            reached(facts),
            f"{words.capital(words.plural(others, 'other run'))} with other settings ended the same way."
            if to_data
            else over_budget(facts),
            advice,
        ),
        conditions=("Do not simply train longer or on more hardware.",),
    )


def rule_8_on_its_way(facts: Facts) -> Ruling | None:
    """Still improving, and the forecast reaches the target within budget and deadline."""
    if not facts.missed or not facts.still_improving or facts.overruns or not facts.target_likely:
        return None
    resumed = broken_off(facts)
    return Ruling(
        rule=8,
        verdict=Verdict.NOT_YET,
        next_step=NextStep.CONTINUE,
        headline="Resume from the last checkpoint; the target is in reach" if resumed else "Let the run go on; the target is in reach",
        lead=(reached(facts), "It still improves.", outlook(facts), resumed),
        conditions=("Judge it again when the target is reached, or at the latest when the budget ends.",),
        change=f"No further gain for a fifth of the run, or the budget used up. {target_change(facts)}",
    )


def rule_9_not_in_time(facts: Facts) -> Ruling | None:
    """Still improving, and the forecast does not reach the target within budget and deadline."""
    likely = facts.target_likely
    if not facts.missed or not facts.still_improving or (likely is None and not facts.overruns):
        return None
    chance = None if facts.forecast is None else facts.forecast.probability
    hopeless = (chance is not None and chance < ESCALATE_BELOW) or facts.case.plan.data_revisited
    return Ruling(
        rule=9,
        verdict=Verdict.NO_GO,
        next_step=NextStep.BUSINESS if hopeless else NextStep.TUNE,
        headline="Choose: more budget, a faster way, or another target",
        lead=(reached(facts), "It still improves, but not fast enough for what was agreed.", outlook(facts), over_budget(facts)),
        conditions=("Go on only with a budget or a target that was agreed anew.",),
        change=f"A larger budget, a later deadline, or a lower target. {target_change(facts)}",
    )


def rule_10_criterion_missed(facts: Facts) -> Ruling | None:
    """None of these, and a mandatory criterion measured and missed."""
    if not facts.missed:
        return None
    return Ruling(
        rule=10,
        verdict=Verdict.NO_GO,
        next_step=NextStep.TUNE,
        headline="Tune before another run; the target was missed",
        lead=(
            reached(facts),
            "No single cause stands out in the logs.",
            over_budget(facts),
            "Change one setting at a time, on a small pilot first.",
        ),
    )


def rule_11_nothing_decides(facts: Facts) -> Ruling:
    """Anything else: no criteria, so only the diagnosis tells what to do next."""
    step, advice = _from_diagnosis(facts)
    criteria = bool(facts.judgement.mandatory)
    missing = "" if criteria else "No acceptance criteria were agreed, so nobody can say whether it is good enough."
    agree = "Agree on a target in plan.toml (`trainreport plan new` writes one to start from)."
    return Ruling(
        rule=11,
        verdict=Verdict.CANNOT_TELL,
        next_step=step,
        headline="Agree on a target; then this run can be judged",
        lead=(reached(facts) if facts.best else "", missing, advice, agree),
        conditions=(agree,),
        change="A plan with at least one acceptance criterion.",
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


def _too_few(facts: Facts) -> bool:
    """Whether the points are too few for a verdict against the run; one final value of a finished run is enough."""
    if facts.all_met:
        return False
    best = facts.best
    if best is None:
        return not any(one.value is not None for one in facts.judgement.results) and bool(facts.judgement.results)
    if best.evaluations == 1 and facts.case.log.run.status == "finished":
        return False
    return best.evaluations < MIN_EVALUATIONS or facts.barely_begun


def _until(facts: Facts) -> str:
    return "its best checkpoint" if facts.best is None else f"step {words.count(facts.best.step)}"


def _after_overfitting(facts: Facts) -> tuple[NextStep, str]:
    """Tune the first time; go to the data when that was tried, or when the money is gone."""
    if facts.over_money:
        line = next(line for line in facts.overruns if line.name == "money")
        return NextStep.DATA, f", and the money is {line.excess.replace('over', 'over budget')}"
    if facts.seen_elsewhere(("TR101",)):
        return NextStep.DATA, ", and it is not the first run that ended so"
    if facts.regularised:
        return NextStep.DATA, ", and regularisation was already on"
    return NextStep.TUNE, ""


def _from_diagnosis(facts: Facts) -> tuple[NextStep, str]:
    if facts.found("TR101"):
        return NextStep.TUNE, "It overfits: stop earlier and regularise."
    for code in TROUBLES:
        if facts.found(code):
            return NextStep.TUNE, advice_for(code)
    return NextStep.COLLECT, ""
