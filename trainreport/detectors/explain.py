"""The explanation of a detector, parsed from its docstring: one text for terminal, report, audit pack and docs."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import Field

    from trainreport.detectors.base import Detector
    from trainreport.model.finding import Severity

__all__ = ["SECTIONS", "Explanation", "Limit", "as_markdown", "as_text", "catalogue", "explain"]

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

    def __str__(self) -> str:
        return as_text(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": as_markdown(self), "text/plain": as_text(self)}


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


def as_markdown(explanation: Explanation, level: int = 3) -> str:
    """Return an explanation as GitHub-flavoured Markdown, its title a heading of this level."""
    lines = [f"{'#' * level} {explanation.code} {explanation.name}", "", f"{explanation.severity.word} · {_plain(explanation.summary)}", ""]
    lines.append(f"Needs: {_plain(', '.join(explanation.needs))}.")
    for title, paragraphs in explanation.sections.items():
        lines += ["", f"**{title}.**"]
        before = ""
        for paragraph in paragraphs:
            item = paragraph.startswith("- ")
            lines += [*([] if item and before.startswith("- ") else [""]), f"{'- ' if item else ''}{_plain(paragraph.removeprefix('- '))}"]
            before = paragraph
    if explanation.limits:
        lines += ["", "| threshold | default | may be | why | source |", "|---|---|---|---|---|"]
    for limit in explanation.limits:
        cells = (f"{limit.default:g} {limit.unit}", f"{limit.low:g} to {limit.high:g}", limit.why, limit.source)
        lines.append(f"| `{explanation.code}.{limit.name}` | {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def catalogue(explanations: Sequence[Explanation]) -> str:
    """Return all explanations as one page of Markdown, with a table of codes that leads to each."""
    rows = [
        f"| [{one.code}](#{one.code.lower()}-{one.name}) | {one.name} | {one.severity.word} | {_plain(one.summary)} |"
        for one in explanations
    ]
    head = [
        "# What trainreport finds",
        "",
        f"{len(explanations)} findings. `trainreport explain --all --format markdown` writes this page; each text stands in its detector.",
        "",
        "| code | name | severity | what it checks |",
        "|---|---|---|---|",
        *rows,
    ]
    return "\n".join([*head, "", *(as_markdown(one, 2) for one in explanations)])


def _plain(text: str) -> str:
    """Return a text of which Markdown takes nothing for markup; what stands between double backticks is code."""
    parts = text.split("``")
    return "".join(f"`{part}`" if i % 2 else re.sub(r"([\\*_<>\[\]])", r"\\\1", part) for i, part in enumerate(parts))


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
