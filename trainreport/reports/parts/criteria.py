"""Why the verdict is what it is, and how each criterion ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Listing, Paragraph, Part, Reasons, Row, Section, Stance, State, Table
from trainreport.reports.parts import forecast
from trainreport.reports.parts.key_figures import criterion_state
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.model.decision import Decision
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import Goal, View

__all__ = ["build"]


def build(view: View) -> Part:
    """Return the reasons, the conditions and the table of criteria."""
    decision = view.assessment.decision
    blocks: list[Block] = []
    if decision.reasons:
        blocks.append(Section("reasons", words.label("reasons.title"), (_reasons(view, decision),)))
    if decision.conditions:
        blocks.append(Section("conditions", words.label("reasons.conditions"), (Listing(tuple(map(retold, decision.conditions))),)))
    blocks.append(_criteria(view))
    blocks += forecast.section(view)
    if decision.what_would_change_it:
        blocks.append(Section("change", words.label("reasons.change"), (Paragraph(retold(decision.what_would_change_it)),)))
    return Part("reasons-and-criteria", words.label("short.reasons"), _title(view), tuple(blocks))


def _title(view: View) -> str:
    goals = view.goals
    if not goals:
        return words.label("criteria.none")
    missed = sum(goal.result.state == "missed" for goal in goals)
    blank = sum(goal.result.state == "not-measured" for goal in goals)
    if not missed and not blank:
        return words.counted("criteria.met", len(goals))
    if len(goals) == 1:
        return words.label("criteria.only_missed" if missed else "criteria.only_blank")
    said = [words.label("criteria.missed", n=missed)] if missed else []
    said += [words.label("criteria.blank", n=blank)] if blank else []
    return words.label("criteria.of", n=len(goals), said=words.joined(said))


def _reasons(view: View, decision: Decision) -> Reasons:
    anchors = {finding.code: f"f-{finding.fingerprint}" for finding in reversed((*view.run.findings, *view.over_all))}
    items = [
        Stance(
            _stance(supports=reason.supports), retold(reason.text), reason.ref if reason.ref in anchors else "", anchors.get(reason.ref, "")
        )
        for reason in sorted(decision.reasons, key=lambda reason: reason.supports)
    ]
    return Reasons(tuple(items))


def _stance(*, supports: bool) -> State:
    return State("✓", words.label("reasons.for"), "good") if supports else State("✕", words.label("reasons.against"), "bad")


def _criteria(view: View) -> Block:
    if not view.goals:
        why = words.label("criteria.not_in_plan" if view.plan.given else "criteria.no_plan")
        return Section("criteria", words.label("criteria.short"), (Paragraph(f"{why} {words.label('criteria.advice')}"),))
    columns = (
        Column(words.label("column.criterion"), 2.6),
        Column(words.label("column.reached"), 1.0, "right"),
        Column(words.label("column.agreed"), 1.0, "right"),
        Column(words.label("column.at_step"), 1.0, "right"),
        Column(words.label("column.state"), 1.25),
        Column(words.label("column.judged"), 3.0),
    )
    return Section("criteria", words.label("criteria.ended"), (Table(columns, tuple(_row(goal) for goal in view.goals)),))


def _sentence(text: str) -> str:
    return f"{words.capital(text.rstrip('.'))}." if text else ""


def _row(goal: Goal) -> Row:
    criterion, result = goal.criterion, goal.result
    value, limit = goal.texts()
    sign = "≥" if criterion.comparator == ">=" else "≤"
    kind = words.label("criteria.mandatory" if criterion.mandatory else "criteria.wished")
    judged = [retold(_sentence(result.reason)), "" if result.confirmed else words.label("criteria.not_confirmed")]
    told = " ".join(part for part in (*judged, _sentence(criterion.worth or "")) if part)
    return Row(
        (
            Cell(words.measure(criterion.series, criterion.phase), note=f"{criterion.id} · {kind}"),
            Cell(value if result.value is not None else "–"),
            Cell(f"{sign} {limit}"),
            Cell(words.count(result.step) if result.step is not None else "–"),
            Cell("", state=criterion_state(result.state)),
            Cell(told or "–"),
        )
    )
