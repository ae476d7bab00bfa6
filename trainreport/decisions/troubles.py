"""Learning trouble that ends below the target: what it is called in a headline, and the field's standard response, cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Severity

if TYPE_CHECKING:
    from trainreport.model.finding import Finding

__all__ = ["TROUBLES", "advice_for", "headline_for", "holds_back", "response_to"]

_WORDS: dict[str, tuple[str, str, str]] = {
    "TR221": (
        "Make the run fit into memory; it broke off",
        "Halve the batch and accumulate gradients, then use mixed precision; both cost little.",
        "Smaller batches with gradient accumulation, then mixed precision",
    ),
    "TR103": (
        "Stop this run; it is not learning",
        "Check the learning rate, then the data and its labels, before another run.",
        "Try learning rates ten times lower and higher on a small pilot, check labels",
    ),
    "TR110": (
        "Stop this run; its gradients explode",
        "Clip gradients and lower the learning rate, then look at the data of the steps before.",
        "Clip gradients, lower the learning rate, check normalisation",
    ),
    "TR109": (
        "Stop this run; its gradients vanish",
        "Check initialisation, normalisation and the learning rate before another run.",
        "Residual connections or normalisation, another initialisation, on a small pilot",
    ),
    "TR102": (
        "Give the model more to work with; it underfits",
        "Try better features and a larger model before longer training.",
        "Better features or a larger model on a small pilot, then longer training",
    ),
    "TR108": (
        "Calm this run down; it swings instead of settling",
        "Lower the learning rate or enlarge the batch, and shuffle the data anew each epoch.",
        "A lower learning rate or a larger batch, better shuffling, on a small pilot",
    ),
    "TR403": (
        "Use the simple model; this one is no better",
        "Look for signal in the data before another model is tried.",
        "Features that the simple model cannot use, on a small pilot",
    ),
    "TR107": (
        "Find the cause of the spikes before another run",
        "Look at the data of those steps, clip gradients, and warm the learning rate up for longer.",
        "Clip gradients, a longer warm-up, and a look at the data of those steps",
    ),
    "TR104": (
        "Stop waiting; progress has ended below the target",
        "Change the learning rate or the model; more of the same gains nothing.",
        "Lower the learning rate in steps, or change the model, on a small pilot",
    ),
}

TROUBLES = tuple(_WORDS)
"""Codes that rule 7 answers to, what explains most first."""

_LEAST = {
    "TR221": Severity.CRITICAL,
    "TR110": Severity.MAJOR,
    "TR109": Severity.MAJOR,
    "TR108": Severity.MAJOR,
    "TR403": Severity.MAJOR,
    "TR107": Severity.MINOR,
}
"""A detector lowers a finding of small effect (layers frozen on purpose, one spike that came back): that explains no missed target."""


def holds_back(finding: Finding) -> bool:
    """Return whether a finding of these codes is grave enough to explain a missed target."""
    return finding.code in _WORDS and finding.severity >= _LEAST.get(finding.code, Severity.NOTE)


def headline_for(code: str) -> str:
    """Return what to do, as an imperative sentence."""
    return _WORDS[code][0]


def advice_for(code: str) -> str:
    """Return the next step in one sentence."""
    return _WORDS[code][1]


def response_to(code: str) -> str:
    """Return the standard response as a course to choose, without a full stop."""
    return _WORDS[code][2]
