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
_BY_OVERRUN = {"TR301": ("money", "gpu_hours", "wall_time"), "TR303": ("deadline",), "TR306": ("energy_kwh", "carbon_kg")}
"""Findings that say again that these limits are over."""
_ASKED = {
    "TR006": "Find out why the run broke off, and make sure that its checkpoint is whole.",
    "TR217": "Run diagnostics on the GPU that reported faults, and confirm the result on another one.",
    "TR106": "Find out which data made values infinite or undefined, though the run recovered.",
}
"""What is asked for before a model goes to evaluation, where the finding's advice is meant for another run."""
_RECORDS = {"TR502": "the parameters", "TR503": "the code version", "TR504": "the data version", "TR505": "the seed"}
"""What makes a run repeatable; two of them missing weigh as one major finding."""


def of_a_go(facts: Facts) -> tuple[str, ...]:
    """Return the conditions, what the model itself needs first, each once."""
    return tuple(dict.fromkeys([*_checkpoint(facts), *_findings(facts), *_records(facts), *_confirmation(facts), *_overruns(facts)]))


def _checkpoint(facts: Facts) -> Iterator[str]:
    if facts.best is not None and facts.broke_down:
        yield f"Use {keep_checkpoint(facts)}, not the last one: the run broke down after that."
    if not _is_earlier(facts):
        return
    if facts.found("TR101") and not facts.accepted("TR101") and not facts.broke_down:
        yield f"Use {keep_checkpoint(facts)}, not the last one: it got worse on unseen data after that."
    if facts.found("TR506") and not facts.accepted("TR506"):
        yield f"Show that {keep_checkpoint(facts)} exists: nothing in the logs says so."


def _findings(facts: Facts) -> Iterator[str]:
    over = {line.name for line in facts.overruns}
    told = {code for code, limits in _BY_OVERRUN.items() if not over.isdisjoint(limits)}
    told |= {"TR105", "TR106"} if facts.broke_down else set()
    told |= {"TR101"} if facts.broke_down or _is_earlier(facts) else set()
    for one in facts.open_major:
        if one.code not in told:
            yield _ASKED.get(one.code, one.action.text)


def _is_earlier(facts: Facts) -> bool:
    """Return whether the checkpoint that is judged is not the last."""
    return facts.best is not None and facts.best.step < facts.best.last_step


def _records(facts: Facts) -> Iterator[str]:
    missing = [what for code, what in _RECORDS.items() if facts.found(code) and not facts.accepted(code)]
    if len(missing) > 1:
        yield f"Write down {words.joined(missing)}, so that the run can be repeated."


def _confirmation(facts: Facts) -> Iterator[str]:
    if any(not one.confirmed for one in facts.judgement.mandatory):
        yield "Confirm on the test set: a single evaluation met the target, those beside it did not."
    elif len(facts.told.every) >= ALIKE_RUNS:
        yield f"Confirm on the test set: it is the best of {len(facts.told.every)} runs, and the best of several is partly luck."


def _overruns(facts: Facts) -> Iterator[str]:
    for line in facts.overruns:
        if line.share is None:
            yield f"Agree on the overrun: the deadline of {line.limit} has passed."
        else:
            yield f"Agree on the overrun: {_label(line.label)} {line.spent} of {line.limit}, {line.excess}."


def _label(label: str) -> str:
    """Return a label within a sentence: ``spent``, but ``GPU-hours``."""
    return label if label[:2].isupper() else label.lower()
