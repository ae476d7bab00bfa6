"""What is missing for a verdict, and how to come by it: what rule 1 rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.decisions.sentences import agreed
from trainreport.decisions.troubles import advice_for
from trainreport.model import words

if TYPE_CHECKING:
    from trainreport.decisions.facts import Facts

__all__ = ["enough", "lacking", "too_few"]

MIN_EVALUATIONS = 5
"""A target missed by fewer evaluations than this says nothing on a run that may have gone on."""


def lacking(facts: Facts) -> tuple[str, str] | None:
    """Return what is missing for a verdict, and how to come by it; None where nothing is."""
    measured = any(one.value is not None for one in facts.judgement.results)
    if facts.only_hardware:
        return (
            "Only the hardware was logged, so nothing says whether the model learned.",
            "Put the training log beside it: TensorBoard event files or an MLflow store.",
        )
    if facts.not_measured and not facts.missed:
        names = [agreed(facts, one) for one in facts.not_measured]
        why = f"{words.capital(words.joined(names))} was agreed, but {_ended(facts.not_measured[0].reason)}"
        return why, _after_a_break(facts) or _to_measure(facts)
    if not measured and not facts.has_held_out:
        return (
            "Nothing was measured on data that the model had not seen, so nothing says how it will do in use.",
            _after_a_break(facts) or "Log a metric on validation data at regular steps.",
        )
    if not too_few(facts):
        return None
    if facts.barely_begun and facts.plan_progress is not None:
        why = f"It is at {facts.plan_progress.words}; that is too early to judge."
    else:
        seen = 0 if facts.best is None else facts.best.evaluations
        why = f"There {'is' if seen == 1 else 'are'} only {words.plural(seen, 'evaluation')} to judge by; {MIN_EVALUATIONS} are the least."
    return why, _after_a_break(facts) or _to_see_more(facts)


def _ended(text: str) -> str:
    """Return a reason as the end of a sentence."""
    return text if text.endswith("?") else f"{text}."


def _to_measure(facts: Facts) -> str:
    """Return how the first criterion that was not measured can be."""
    criterion = facts.criterion(facts.not_measured[0])
    if facts.case.curve(criterion.series, criterion.phase) is not None:  # logged, in a unit that nobody named
        return "Then judge it again."
    return "Log what is missing, or correct the name in the plan."


def _to_see_more(facts: Facts) -> str:
    """Return how more evaluations can be had."""
    if facts.overruns:
        return "Agree on a new limit before it goes on."
    if facts.case.log.run.status == "finished" or facts.plan_used_up:
        return "Evaluate more of its checkpoints, or run it again and evaluate it more often."
    return "Let the run go on and evaluate it more often."


def _after_a_break(facts: Facts) -> str:
    """Return what to do first with a run that broke off, empty where it did not."""
    if facts.found("TR221"):
        return f"It ran out of memory: {advice_for('TR221')[0].lower()}{advice_for('TR221')[1:]}"
    return "Find out why the run broke off, then resume it from its last checkpoint." if facts.broke_off else ""


def enough(facts: Facts) -> str:
    """Return which evidence would allow a verdict."""
    names = [agreed(facts, one) for one in (*facts.missed, *facts.not_measured)]
    if names:
        return f"{words.capital(words.joined(names))}, measured by at least {MIN_EVALUATIONS} evaluations."
    if facts.case.plan.criteria:
        return f"A criterion that is measured by at least {MIN_EVALUATIONS} evaluations."
    return "A metric on data not trained on."


def too_few(facts: Facts) -> bool:
    """Whether the points are too few for a verdict against the run; memory that ran out needs none."""
    trouble = facts.trouble
    if facts.all_met or (trouble is not None and trouble.code == "TR221"):
        return False
    best = facts.best
    if best is None:
        return not any(one.value is not None for one in facts.judgement.results) and bool(facts.judgement.results)
    if best.evaluations == 1 and facts.case.log.run.status == "finished":  # one final value of a finished run is enough
        return False
    return best.evaluations < MIN_EVALUATIONS or facts.barely_begun
