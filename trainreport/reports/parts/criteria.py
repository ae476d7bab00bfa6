"""Why the verdict is what it is, and how each criterion ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Listing, Paragraph, Part, Reasons, Row, Section, Stance, State, Table
from trainreport.reports.parts import forecast
from trainreport.reports.parts.key_figures import criterion_state

if TYPE_CHECKING:
    from trainreport.model.decision import Decision
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import Goal, View

__all__ = ["build"]

_FOR = State("✓", "for", "good")
_AGAINST = State("✕", "against", "bad")


def build(view: View) -> Part:
    """Return the reasons, the conditions and the table of criteria."""
    decision = view.assessment.decision
    blocks: list[Block] = []
    if decision.reasons:
        blocks.append(Section("reasons", "What speaks for and against", (_reasons(view, decision),)))
    if decision.conditions:
        blocks.append(Section("conditions", "On these conditions", (Listing(decision.conditions),)))
    blocks.append(_criteria(view))
    blocks += forecast.section(view)
    if decision.what_would_change_it:
        blocks.append(Section("change", "What would change this", (Paragraph(decision.what_would_change_it),)))
    return Part("reasons-and-criteria", "Reasons", _title(view), tuple(blocks))


def _title(view: View) -> str:
    goals = view.goals
    if not goals:
        return "No criteria were agreed, so none can be passed"
    missed = sum(goal.result.state == "missed" for goal in goals)
    blank = sum(goal.result.state == "not-measured" for goal in goals)
    if not missed and not blank:
        return "The criterion is met" if len(goals) == 1 else f"All {len(goals)} criteria are met"
    said = [f"{missed} missed"] if missed else []
    said += [f"{blank} not measured"] if blank else []
    of = "the only criterion" if len(goals) == 1 else f"{len(goals)} criteria"
    return f"Of {of}, {words.joined(said)}" if len(goals) > 1 else f"The only criterion is {'missed' if missed else 'not measured'}"


def _reasons(view: View, decision: Decision) -> Reasons:
    anchors = {finding.code: f"f-{finding.fingerprint}" for finding in reversed((*view.run.findings, *view.over_all))}
    items = [
        Stance(_FOR if reason.supports else _AGAINST, reason.text, reason.ref, anchors.get(reason.ref, ""))
        for reason in sorted(decision.reasons, key=lambda reason: reason.supports)
    ]
    return Reasons(tuple(items))


def _criteria(view: View) -> Block:
    if not view.goals:
        why = "The plan names no criteria." if view.plan.given else "No plan was given."
        text = f"{why} “trainreport plan new” writes a plan to fill in; agreed before training, it makes the verdict a firm one."
        return Section("criteria", "Criteria", (Paragraph(text),))
    columns = (
        Column("Criterion", 2.6),
        Column("Reached", 1.0, "right"),
        Column("Agreed", 1.0, "right"),
        Column("At step", 1.0, "right"),
        Column("State", 1.25),
        Column("How it was judged", 3.0),
    )
    return Section("criteria", "How each criterion ended", (Table(columns, tuple(_row(goal) for goal in view.goals)),))


def _row(goal: Goal) -> Row:
    criterion, result = goal.criterion, goal.result
    value, limit = goal.texts()
    sign = "≥" if criterion.comparator == ">=" else "≤"
    kind = "mandatory" if criterion.mandatory else "wished for"
    judged = [result.reason, "" if result.confirmed else "not confirmed: its neighbours do not meet it", criterion.worth or ""]
    told = " ".join(f"{words.capital(part.rstrip('.'))}." for part in judged if part)
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
