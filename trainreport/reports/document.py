"""From an assessment to a document: everything computed, worded and cleaned, nothing rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Document
from trainreport.reports.glyphs import cleaned
from trainreport.reports.parts import accuracy, closing, coverage, criteria, findings, learning, machine, provenance, runs, sponsor
from trainreport.reports.view import View

if TYPE_CHECKING:
    from trainreport.model.decision import Assessment

__all__ = ["build"]

_PARTS = (
    sponsor.build,
    criteria.build,
    learning.build,
    machine.build,
    findings.build,
    runs.build,
    coverage.build,
    accuracy.build,
    provenance.build,
)


def build(assessment: Assessment, *, title: str | None = None) -> Document:
    """Return the report on an assessment.

    Parameters
    ----------
    assessment : Assessment
    title : str, optional
        Stands at the foot of every page and in the window; the plan's title, else the run's name.
    """
    view = View(assessment)
    parts = [part for make in _PARTS if (part := make(view)) is not None]
    parts += [closing.glossary(parts), closing.signature(view)]
    name = title or assessment.plan.title or (f"{len(assessment.runs)} training runs" if view.several else view.run.log.run.name)
    ended = f" · run {view.ended_at:%Y-%m-%d}" if view.ended_at is not None else ""
    return cleaned(
        Document(
            title=words.short(name, 120),
            language="en",
            running=f"{words.short(name, 70)}{ended}",
            summary=assessment.decision.headline,
            parts=tuple(parts),
            generator=f"trainreport {assessment.version}",
        )
    )
