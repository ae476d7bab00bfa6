"""The four key figures of page 1: the criterion that decides, money, time, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import KeyFigure, KeyFigures, State

if TYPE_CHECKING:
    from trainreport.reports.view import View

__all__ = ["build", "criterion_state", "over"]

_NO_TARGET = State("○", "no target agreed", "quiet")
_NO_BUDGET = State("○", "no budget agreed", "quiet")


def build(view: View) -> KeyFigures:
    """Return the four key figures; one that is not known says why."""
    return KeyFigures((_quality(view), _money(view), _time(view), _energy(view)))


def criterion_state(state: str) -> State:
    """Return how a criterion ended as sign and word."""
    return {
        "met": State("✓", "met", "good"),
        "missed": State("✕", "missed", "bad"),
        "not-measured": State("○", "not measured", "warn"),
    }[state]


def over(share: float) -> State:
    """Return how a share of a budget stands."""
    if share > 1:
        return State("▲", f"{words.share(share - 1)} over", "bad")
    return State("✓", "inside", "good")


def _unknown(label: str, why: str) -> KeyFigure:
    reason = why.removeprefix("not known:").strip().rstrip(".")
    return KeyFigure(label, "not known", None, f"because {reason}", known=False)


def _of(label: str, view: View) -> str:
    return f"{label}, all runs" if view.several else label


def _quality(view: View) -> KeyFigure:
    goal = view.deciding
    if goal is not None:
        label = words.measure(goal.criterion.series, goal.criterion.phase)
        value, limit = goal.texts()
        notes = [f"· {limit} agreed"]
        notes += [f"baseline {goal.said(goal.criterion.baseline)}"] if goal.criterion.baseline is not None else []
        if goal.result.value is None:
            return _unknown(label, goal.result.reason or "it was not logged")
        return KeyFigure(label, value, criterion_state(goal.result.state), " · ".join(notes))
    best = view.best
    if best is None:
        return _unknown("Quality on unseen data", "the logs hold no measure of it")
    shares = words.is_share(best.series, abs(best.value))
    value = words.share(best.value) if shares else words.number(best.value)
    return KeyFigure(words.measure(best.series, best.phase), value, _NO_TARGET, f"· best of {words.plural(best.evaluations, 'evaluation')}")


def _money(view: View) -> KeyFigure:
    spent, budget = view.spent, view.plan.budget
    if spent is None:
        return _hours(view)
    after = view.after_best
    late = f"{words.money(after)} after the best" if after is not None and not view.several else ""
    if budget.money is None or budget.money.currency != spent.currency:
        return KeyFigure("Spent", words.money(spent), _NO_BUDGET, f"· {late}" if late else "")
    notes = " · ".join(part for part in (words.money(budget.money), late) if part)
    return KeyFigure("Spent", words.money(spent), over(spent.share_of(budget.money)), notes)


def _hours(view: View) -> KeyFigure:
    used = view.total.gpu_hours
    why = (view.total.basis.get("cost") or "no price of an hour was given").removeprefix("not known:").strip()
    if used is None:
        return _unknown("Spent", why)
    limit = view.plan.budget.gpu_hours
    state = _NO_BUDGET if not limit else over(used / limit)
    note = f"{words.hours(limit)} · money not known: {why}" if limit else f"· money not known: {why}"
    return KeyFigure(_of("GPU-hours", view), words.hours(used), state, note.rstrip("."))


def _time(view: View) -> KeyFigure:
    wall, budget = view.total.wall_s, view.plan.budget
    if wall is None:
        return _unknown("Time", view.total.basis.get("hours") or "the logs hold no times")
    deadline, ended = budget.deadline, view.ended_at
    notes = [words.agreed(budget.wall_time_s)] if budget.wall_time_s else []
    notes += [f"deadline {words.date(deadline, view.plan.display_zone, year=False)}"] if deadline else []
    state = over(wall / budget.wall_time_s) if budget.wall_time_s else None
    if deadline and ended and ended > deadline:
        state = State("▲", "deadline passed", "bad")
    elif deadline and ended and state is None:
        state = State("✓", "inside", "good")
    return KeyFigure(_of("Time", view), words.duration(wall), state or State("○", "no limit agreed", "quiet"), " · ".join(notes))


def _energy(view: View) -> KeyFigure:
    used, budget = view.total.energy_kwh, view.plan.budget
    if used is None:
        return _unknown("Energy", view.total.basis.get("energy") or "power was not logged")
    notes = [words.energy(budget.energy_kwh)] if budget.energy_kwh else []
    if view.total.carbon_kg is not None:
        notes.append(f"{words.mass(view.total.carbon_kg)} CO₂e")
    notes.append(view.total.energy_basis)
    notes += [f"PUE{words.GAP}{words.number(view.total.pue)}"] if view.total.pue != 1 else []
    state = over(used / budget.energy_kwh) if budget.energy_kwh else None
    return KeyFigure(_of("Energy", view), words.energy(used), state, " · ".join(notes))
