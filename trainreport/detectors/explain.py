"""The explanation of a detector, parsed from its docstring: one text for terminal, report, audit pack and docs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import Field

    from trainreport.detectors.base import Detector
    from trainreport.model.finding import Severity

__all__ = ["SECTIONS", "Explanation", "Limit", "as_text", "explain"]

SECTIONS = ("What it checks", "Why it matters", "How it decides", "What to do", "Limits", "References")


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold of a detector, as it stands without a plan."""

    name: str
    default: float
    unit: str
    why: str
    low: float
    high: float
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a detector says of itself."""

    code: str
    name: str
    severity: Severity
    summary: str
    """The docstring's first line."""
    needs: tuple[str, ...]
    sections: Mapping[str, tuple[str, ...]]
    """Title -> paragraphs, in the order of `SECTIONS`; each item of a list is a paragraph that starts with ``- ``."""
    limits: tuple[Limit, ...]


def explain(detector: Detector) -> Explanation:
    """Return the explanation of a detector.

    Raises
    ------
    ValueError
        If a section is missing, empty, unknown or out of order.
    """
    summary, sections = _parse(inspect.getdoc(type(detector)) or "")
    empty = [title for title in SECTIONS if not sections.get(title)]
    if empty or list(sections) != list(SECTIONS):
        raise ValueError(f"{detector.code}: sections are {list(sections)}, expected {list(SECTIONS)}, none of them empty")
    limits = tuple(_limit(item) for item in fields(detector.Thresholds))
    return Explanation(detector.code, detector.name, detector.severity, summary, detector.needs, sections, limits)


def as_text(explanation: Explanation, width: int = 88) -> str:
    """Return an explanation for a terminal."""
    lines = [f"{explanation.code} {explanation.name} ({explanation.severity.word})", "", *words.wrapped(explanation.summary, width)]
    lines += ["", *words.wrapped(f"Needs: {', '.join(explanation.needs)}.", width)]
    for title, paragraphs in explanation.sections.items():
        lines += ["", title]
        for paragraph in paragraphs:
            hang = "    " if paragraph.startswith("- ") else "  "
            lines += words.wrapped(paragraph, width, "  ", hang)
    lines += ["", "Thresholds"]
    for limit in explanation.limits:
        setting = f"{explanation.code}.{limit.name} = {limit.default:g} {limit.unit} ({limit.low:g} to {limit.high:g})."
        text = f"{setting} {limit.why} ({limit.source})"
        lines += words.wrapped(text, width, "  ", "    ")
    return "\n".join(lines) + "\n"


def _limit(item: Field[Any]) -> Limit:
    assert isinstance(item.default, float | int), f"{item.name} is not made by threshold()"
    return Limit(item.name, float(item.default), **item.metadata)


def _parse(doc: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Split a docstring at its underlined titles."""
    lines = doc.splitlines()
    heads = [at for at in range(len(lines) - 1) if lines[at].strip() and lines[at + 1].strip() and set(lines[at + 1].strip()) == {"-"}]
    summary = " ".join(lines[: heads[0] if heads else len(lines)]).strip()
    ends = [*heads[1:], len(lines)] if heads else []
    return summary, {lines[at].strip(): _paragraphs(lines[at + 2 : end]) for at, end in zip(heads, ends, strict=True)}


def _paragraphs(lines: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    fresh = True
    for line in (line.strip() for line in lines):
        if not line:
            fresh = True
        elif fresh or line.startswith("- "):
            found.append(line)
            fresh = False
        else:
            found[-1] += f" {line}"
    return tuple(found)
