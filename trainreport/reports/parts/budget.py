"""What was used beside what was agreed: money, hours, time, energy, carbon, deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, State, Table
from trainreport.reports.parts.key_figures import over
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.model.money import Money
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]


class _Line(NamedTuple):
    """One limit, and what was used of it."""

    name: str
    """As in the group ``budget_line`` of the wording."""
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
            Column(words.label("column.what"), 1.1),
            Column(words.label("column.used"), 1.3, "right"),
            Column(words.label("column.agreed"), 1.3, "right"),
            Column(words.label("column.state"), 1.3),
            Column(words.label("column.known"), 4.0),
        )
        rows = tuple(
            Row(
                (
                    Cell(words.label(f"budget_line.{line.name}")),
                    Cell(line.used or "–"),
                    Cell(line.agreed or "–"),
                    Cell("", state=line.state),
                    Cell(line.how or "–"),
                )
            )
            for line in lines
        )
        blocks.append(Table(columns, rows, words.label("budget.all_runs") if view.several else "", dense=True))
    else:
        blocks.append(Paragraph(words.label("budget.nothing")))
    after = view.after_best
    if after is not None:
        text = words.label(f"budget.after_best_{'leading' if view.several else 'run'}", money=words.money(after))
        blocks.append(Paragraph(text, "quiet"))
    return Part("budget", words.label("short.budget"), _title(lines), tuple(blocks), fresh=False)


def _title(lines: list[_Line]) -> str:
    agreed = [line for line in lines if line.agreed is not None]
    if not agreed:
        return words.label("budget.none_agreed")
    passed = [words.label(f"budget_of.{line.name}") for line in agreed if line.state.tone == "bad"]
    unknown = [words.label(f"budget_of.{line.name}") for line in agreed if line.state.tone == "warn"]
    rest = words.label("budget.rest", limits=words.joined(unknown)) if unknown else ""
    if passed:
        return words.label("budget.beyond", limits=words.joined(passed)) + rest
    if len(unknown) == len(agreed):
        return words.label("budget.not_known")
    return words.label("budget.inside") + rest


def _lines(view: View) -> list[_Line | None]:
    total, limits = view.total, view.plan.budget
    return [
        _money(view),
        _line(view, "gpu_hours", total.gpu_hours, limits.gpu_hours, words.hours, basis="hours"),
        _line(view, "time", total.wall_s, limits.wall_time_s, words.duration),
        _line(view, "energy", total.energy_kwh, limits.energy_kwh, words.energy, basis="energy"),
        _line(view, "carbon", total.carbon_kg, limits.carbon_kg, lambda kg: f"{words.mass(kg)} CO₂e", basis="carbon"),
        _deadline(view),
    ]


def _money(view: View) -> _Line | None:
    spent, limit = view.spent, view.plan.budget.money
    if limit is None or spent is None or limit.currency != spent.currency:
        return _of("money", _said(spent), _said(limit), None, _basis(view, "cost"))
    return _of("money", _said(spent), _said(limit), spent.share_of(limit), _basis(view, "cost"))


def _said(money: Money | None) -> str | None:
    return None if money is None else words.money(money)


def _line(view: View, name: str, used: float | None, limit: float | None, say: Callable[[float], str], *, basis: str = "") -> _Line | None:
    share = used / limit if used is not None and limit else None
    return _of(name, None if used is None else say(used), None if limit is None else say(limit), share, _basis(view, basis))


def _of(name: str, used: str | None, limit: str | None, share: float | None, how: str) -> _Line | None:
    if used is None and limit is None:
        return None
    state = State("○", words.label("state.no_limit"), "quiet") if limit is None else _unknown() if share is None else over(share)
    return _Line(name, used, limit, state, how)


def _unknown() -> State:
    return State("○", words.label("state.not_known"), "warn")


def _basis(view: View, name: str) -> str:
    text = view.total.basis.get(name, "").removeprefix("not known:").strip().rstrip(".")
    return retold(f"{words.capital(text)}.") if text else ""


def _deadline(view: View) -> _Line | None:
    limit, now = view.plan.budget.deadline, view.assessment.as_of or view.ended_at
    if limit is None:
        return None
    agreed = words.date(limit, view.plan.display_zone)
    if now is None:
        return _Line("deadline", None, agreed, _unknown(), words.label("budget.no_times"))
    late = now > limit
    state = State("▲", words.label("state.passed"), "bad") if late else State("✓", words.label("state.not_passed"), "good")
    return _Line("deadline", words.date(now, view.plan.display_zone), agreed, state, words.label("budget.as_of"))
