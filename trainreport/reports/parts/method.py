"""For the auditor: how each check that was made decides, with the limits that it used."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from trainreport import detectors
from trainreport.errors import UsageError
from trainreport.model.finding import State
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Section, Table
from trainreport.reports.parts import explained
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.model.finding import Outcome
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]


def build(view: View) -> Part:
    """Return one row for each check that found something or was clear; those not made used no limit."""
    every = (*view.run.outcomes, *(view.assessment.portfolio.outcomes if view.assessment.portfolio else ()))
    made = sorted((one for one in every if one.state in (State.FOUND, State.CLEAR)), key=lambda one: one.code)
    limits = {one.code: _limits(view, one.code) for one in made}
    changed = [f"{one.code}.{name}" for one in made for name, _, moved in limits[one.code] if moved]
    blocks: list[Block] = [Paragraph(_changed(changed))]
    rows = tuple(_row(one, limits[one.code]) for one in made)
    if rows:
        columns = (
            Column(words.label("column.check"), 1.3),
            Column(words.label("column.decides"), 3.6),
            Column(words.label("column.limits"), 2.6),
        )
        blocks.append(Section("limits", words.label("method.section"), (Table(columns, rows, dense=True),)))
    return Part("method", words.label("short.method"), words.counted("method.title", len(made)), tuple(blocks), fresh=False)


def _changed(names: list[str]) -> str:
    changed = words.label("method.changed", names=words.joined(names, len(names))) if names else words.label("method.unchanged")
    return f"{changed} {words.label('method.how')}"


def _limits(view: View, code: str) -> list[tuple[str, str, bool]]:
    """Return name, value in words, and whether the plan changed it; nothing for a check that is no longer installed."""
    try:
        detector = detectors.detector(code)
    except UsageError:
        return []
    found = []
    for item in fields(detector.Thresholds):
        default: Any = item.default
        value = view.plan.thresholds.get((code, item.name), default)
        found.append((item.name, words.quantity(float(value), item.metadata["unit"]), value != default))
    return found


def _row(outcome: Outcome, limits: list[tuple[str, str, bool]]) -> Row:
    said = [f"{name} = {value}{words.label('evidence.changed') if moved else ''}" for name, value, moved in limits]
    return Row(
        (
            Cell(words.finding_name(outcome.name), note=outcome.code),
            Cell(retold(explained.how(outcome.code)) or words.label("method.unexplained")),
            Cell("; ".join(said) or words.label("method.none")),
        )
    )
