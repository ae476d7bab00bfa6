"""What was used beside what was agreed: money, hours, time, energy, carbon, deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, State, Table
from trainreport.reports.parts.key_figures import over

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.model.money import Money
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_UNKNOWN = State("○", "not known", "warn")
_NOT_AGREED = State("○", "no limit agreed", "quiet")


class _Line(NamedTuple):
    """One limit, and what was used of it."""

    label: str
    used: str | None
    agreed: str | None
    state: State
    how: str


def build(view: View) -> Part:
    """Return the table of limits, and what part of the money brought nothing."""
    lines = [line for line in _lines(view) if line is not None]
    blocks: list[Block] = []
    if lines:
        columns = (
            Column("What", 1.1),
            Column("Used", 1.3, "right"),
            Column("Agreed", 1.3, "right"),
            Column("State", 1.3),
            Column("How it is known", 4.0),
        )
        rows = tuple(
            Row((Cell(line.label), Cell(line.used or "–"), Cell(line.agreed or "–"), Cell("", state=line.state), Cell(line.how or "–")))
            for line in lines
        )
        blocks.append(Table(columns, rows, "The budget covers all runs together." if view.several else "", dense=True))
    else:
        blocks.append(Paragraph("The logs hold no times, no hardware and no prices, and the plan names no limit."))
    after = view.after_best
    if after is not None:
        whose = "The leading run took" if view.several else "The run took"
        text = f"{whose} {words.money(after)} after its best checkpoint, if its cost is spread evenly over its time."
        blocks.append(Paragraph(text, "quiet"))
    return Part("budget", "Budget", _title(lines), tuple(blocks), fresh=False)


def _title(lines: list[_Line]) -> str:
    agreed = [line for line in lines if line.agreed is not None]
    if not agreed:
        return "No budget and no deadline were agreed"
    passed = [line.label.lower() for line in agreed if line.state.tone == "bad"]
    unknown = [line.label.lower() for line in agreed if line.state is _UNKNOWN]
    rest = f"; {words.joined(unknown)} not known" if unknown else ""
    if passed:
        return f"Beyond what was agreed: {words.joined(passed)}{rest}"
    if len(unknown) == len(agreed):
        return "What was used of the agreed limits is not known"
    return f"What is known stays inside the agreed limits{rest}"


def _lines(view: View) -> list[_Line | None]:
    total, limits = view.total, view.plan.budget
    return [
        _money(view),
        _line(view, "GPU-hours", total.gpu_hours, limits.gpu_hours, words.hours, basis="hours"),
        _line(view, "Time", total.wall_s, limits.wall_time_s, words.duration),
        _line(view, "Energy", total.energy_kwh, limits.energy_kwh, words.energy, basis="energy"),
        _line(view, "Carbon", total.carbon_kg, limits.carbon_kg, lambda kg: f"{words.mass(kg)} CO₂e", basis="carbon"),
        _deadline(view),
    ]


def _money(view: View) -> _Line | None:
    spent, limit = view.spent, view.plan.budget.money
    if limit is None or spent is None or limit.currency != spent.currency:
        return _of("Money", _said(spent), _said(limit), None, _basis(view, "cost"))
    return _of("Money", _said(spent), _said(limit), spent.share_of(limit), _basis(view, "cost"))


def _said(money: Money | None) -> str | None:
    return None if money is None else words.money(money)


def _line(view: View, label: str, used: float | None, limit: float | None, say: Callable[[float], str], *, basis: str = "") -> _Line | None:
    share = used / limit if used is not None and limit else None
    return _of(label, None if used is None else say(used), None if limit is None else say(limit), share, _basis(view, basis))


def _of(label: str, used: str | None, limit: str | None, share: float | None, how: str) -> _Line | None:
    if used is None and limit is None:
        return None
    state = _NOT_AGREED if limit is None else _UNKNOWN if share is None else over(share)
    return _Line(label, used, limit, state, how)


def _basis(view: View, name: str) -> str:
    text = view.total.basis.get(name, "").removeprefix("not known:").strip().rstrip(".")
    return f"{words.capital(text)}." if text else ""


def _deadline(view: View) -> _Line | None:
    limit, now = view.plan.budget.deadline, view.assessment.as_of or view.ended_at
    if limit is None:
        return None
    agreed = words.date(limit, view.plan.display_zone)
    if now is None:
        return _Line("Deadline", None, agreed, _UNKNOWN, "The logs hold no times.")
    late = now > limit
    state = State("▲", "passed", "bad") if late else State("✓", "not passed", "good")
    return _Line("Deadline", words.date(now, view.plan.display_zone), agreed, state, "Used: the last time in the logs, or --as-of.")
