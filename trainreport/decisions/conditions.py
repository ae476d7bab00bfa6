"""What a go is tied to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.decisions.sentences import keep_checkpoint
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.decisions.facts import Facts

__all__ = ["of_a_go"]

ALIKE_RUNS = 3
"""The best of three or more runs is partly luck: it is confirmed on the test set."""
_RECORDS = {"TR502": "the parameters", "TR503": "the code version", "TR504": "the data version", "TR505": "the seed"}
"""What makes a run repeatable; two of them missing weigh as one major finding."""


def of_a_go(facts: Facts) -> tuple[str, ...]:
    """Return the conditions, what the model itself needs first, each once."""
    return tuple(dict.fromkeys([*_checkpoint(facts), *_findings(facts), *_records(facts), *_confirmation(facts), *_overruns(facts)]))


def _checkpoint(facts: Facts) -> Iterator[str]:
    best = facts.best
    if best is None or best.step >= best.last_step:
        return
    if facts.found("TR101"):
        yield f"Use {keep_checkpoint(facts)}, not the last one: it got worse on unseen data after that."
    if facts.found("TR506") and not facts.accepted("TR506"):
        yield f"Show that {keep_checkpoint(facts)} exists: nothing in the logs says so."


def _findings(facts: Facts) -> Iterator[str]:
    for one in facts.open_major:
        if one.code != "TR101":
            yield one.action.text


def _records(facts: Facts) -> Iterator[str]:
    missing = [what for code, what in _RECORDS.items() if facts.found(code) and not facts.accepted(code)]
    if len(missing) > 1:
        yield f"Write down {words.joined(missing)}, so that the run can be repeated."


def _confirmation(facts: Facts) -> Iterator[str]:
    if any(not one.confirmed for one in facts.judgement.mandatory):
        yield "Confirm on the test set: a single evaluation met the target, those beside it did not."
    elif len(facts.others) + 1 >= ALIKE_RUNS:
        yield f"Confirm on the test set: it is the best of {len(facts.others) + 1} runs, and the best of several is partly luck."


def _overruns(facts: Facts) -> Iterator[str]:
    for line in facts.overruns:
        yield f"Agree on the overrun: {line.label.lower()} {line.spent} of {line.limit}, {line.excess}."
