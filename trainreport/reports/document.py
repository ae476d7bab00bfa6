"""From an assessment to a document: everything computed, worded and cleaned, nothing rendered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.errors import UsageError, did_you_mean
from trainreport.reports import words
from trainreport.reports.audience import AUDIENCES
from trainreport.reports.blocks import Document, Paragraph
from trainreport.reports.comparison import compared
from trainreport.reports.glyphs import cleaned
from trainreport.reports.language import ENGLISH, speaking, spoken
from trainreport.reports.links import without_dead_links
from trainreport.reports.parts import (
    accuracy,
    budget,
    capacity,
    closing,
    coverage,
    criteria,
    findings,
    learning,
    machine,
    method,
    provenance,
    ranking,
    risks,
    runs,
    sponsor,
)
from trainreport.reports.retold import MARKS, retold, retold_tree
from trainreport.reports.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.decision import Assessment
    from trainreport.reports.blocks import Part

__all__ = ["build", "build_comparison"]

_PARTS = {
    "decision": sponsor.build,
    "reasons-and-criteria": criteria.build,
    "budget": budget.build,
    "risks": risks.build,
    "learning": learning.build,
    "machine": machine.build,
    "capacity": capacity.build,
    "findings": findings.build,
    "runs": runs.build,
    "coverage": coverage.build,
    "method": method.build,
    "accuracy": accuracy.build,
    "provenance": provenance.build,
}
"""What each part is made by, in the order of the report; the glossary and the line to sign follow from them."""


def build(assessment: Assessment, *, audience: str = "all", title: str | None = None, language: str = ENGLISH) -> Document:
    """Return the report on an assessment.

    Parameters
    ----------
    assessment : Assessment
    audience : str
        One of `AUDIENCES`: whose parts it holds.
    title : str, optional
        Stands at the foot of every page and in the window; the plan's title, else the run's name.
    language : str
        One of `language.languages`: what it is written in.

    Raises
    ------
    UsageError
        If `audience` or `language` is not one of them.
    """
    with speaking(language):
        return _built(assessment, audience, title, language)


def _built(assessment: Assessment, audience: str, title: str | None, language: str) -> Document:
    import numpy as np

    if audience not in AUDIENCES:
        raise UsageError(f"{audience!r} is no audience{did_you_mean(audience, AUDIENCES)}; expected {', '.join(AUDIENCES)}")
    view = View(assessment, audience)
    with np.errstate(over="ignore", invalid="ignore"):  # values may lie near the largest float
        parts = [part for name, make in _PARTS.items() if view.shows(name) and (part := make(view)) is not None]
    parts = _with_a_word_on_english([retold_tree(part) for part in parts])
    parts += [closing.glossary(parts)] if view.shows("glossary") else []
    parts += [closing.signature(view)] if view.shows("sign") else []
    return _document(view, parts, retold(assessment.decision.headline), title, language)


def _with_a_word_on_english(parts: list[Part]) -> list[Part]:
    """Return the parts; the first of them with English in another language says where that is from."""
    if spoken() == ENGLISH:
        return parts
    first = next((part for part in parts if any(MARKS[0] in text for text in closing.texts(part))), None)
    note = Paragraph(words.label("page.english"), "quiet")
    return [replace(part, blocks=(*part.blocks, note)) if part is first else part for part in parts]


def build_comparison(assessment: Assessment) -> Document:
    """Return the comparison of the runs of an assessment."""
    view = View(assessment)
    part = ranking.build(view, compared(assessment))
    return _document(view, [part, closing.glossary([part])], part.title, None, ENGLISH)


def _document(view: View, parts: Sequence[Part], summary: str, title: str | None, language: str) -> Document:
    assessment = view.assessment
    name = (
        title or assessment.plan.title or (words.label("masthead.title", n=len(assessment.runs)) if view.several else view.run.log.run.name)
    )
    ended = f" · {words.label('masthead.run_of', date=f'{view.ended_at:%Y-%m-%d}')}" if view.ended_at is not None else ""
    return cleaned(
        Document(
            title=words.short(name, 120),
            language=language,
            running=f"{words.short(name, 70)}{ended}",
            summary=summary,
            parts=without_dead_links(tuple(parts)),
            generator=f"trainreport {assessment.version}",
        )
    )
