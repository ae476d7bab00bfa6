"""The four key figures of page 1: the criterion that decides, money, time, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import KeyFigure, KeyFigures, State
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.reports.blocks import Tone
    from trainreport.reports.view import View

__all__ = ["build", "criterion_state", "over"]

_CRITERION: dict[str, tuple[str, Tone]] = {"met": ("✓", "good"), "missed": ("✕", "bad"), "not-measured": ("○", "warn")}


def build(view: View) -> KeyFigures:
    """Return the four key figures; one that is not known says why."""
    return KeyFigures((_quality(view), _money(view), _time(view), _energy(view)))


def criterion_state(state: str) -> State:
    """Return how a criterion ended as sign and word."""
    sign, tone = _CRITERION[state]
    return State(sign, words.label(f"criterion.{state}"), tone)


def _open(name: str) -> State:
    return State("○", words.label(f"state.{name}"), "quiet")


def over(share: float) -> State:
    """Return how a share of a budget stands."""
    if share > 1:
        return State("▲", words.label("state.over", share=words.share(share - 1)), "bad")
    return State("✓", words.label("state.inside"), "good")


def _unknown(label: str, why: str, otherwise: str) -> KeyFigure:
    """Return a figure that is not known: `why` as the ledger or a criterion says, else the wording `otherwise`."""
    reason = _reason(why) or words.label(f"key.{otherwise}")
    return KeyFigure(label, words.label("state.not_known"), None, words.label("key.because", reason=reason), known=False)


def _reason(why: str) -> str:
    return retold(why.removeprefix("not known:").strip().rstrip("."))


def _of(name: str, view: View) -> str:
    return words.label("key.all_runs", what=words.label(f"key.{name}")) if view.several else words.label(f"key.{name}")


def _quality(view: View) -> KeyFigure:
    goal = view.deciding
    if goal is not None:
        label = words.measure(goal.criterion.series, goal.criterion.phase)
        value, limit = goal.texts()
        notes = [f"· {words.label('key.agreed', limit=limit)}"]
        notes += [words.label("chart.baseline", value=goal.said(goal.criterion.baseline))] if goal.criterion.baseline is not None else []
        if goal.result.value is None:
            return _unknown(label, goal.result.reason, "not_logged")
        return KeyFigure(label, value, criterion_state(goal.result.state), " · ".join(notes))
    best = view.best
    if best is None:
        return _unknown(words.label("key.quality"), "", "no_measure")
    shares = words.is_share(best.series, abs(best.value))
    value = words.share(best.value) if shares else words.number(best.value)
    return KeyFigure(
        words.measure(best.series, best.phase), value, _open("no_target"), f"· {words.counted('key.best_of', best.evaluations)}"
    )


def _money(view: View) -> KeyFigure:
    spent, budget = view.spent, view.plan.budget
    if spent is None:
        return _hours(view)
    after = view.after_best
    late = words.label("key.after_best", money=words.money(after)) if after is not None and not view.several else ""
    if budget.money is None or budget.money.currency != spent.currency:
        return KeyFigure(words.label("key.spent"), words.money(spent), _open("no_budget"), f"· {late}" if late else "")
    notes = " · ".join(part for part in (words.money(budget.money), late) if part)
    return KeyFigure(words.label("key.spent"), words.money(spent), over(spent.share_of(budget.money)), notes)


def _hours(view: View) -> KeyFigure:
    used = view.total.gpu_hours
    cost = view.total.basis.get("cost", "")
    if used is None:
        return _unknown(words.label("key.spent"), cost, "no_price")
    limit = view.plan.budget.gpu_hours
    state = _open("no_budget") if not limit else over(used / limit)
    note = f"{words.hours(limit) if limit else ''} · {words.label('key.money_not_known', why=_reason(cost) or words.label('key.no_price'))}"
    return KeyFigure(_of("gpu_hours", view), words.hours(used), state, note.strip())


def _time(view: View) -> KeyFigure:
    wall, budget = view.total.wall_s, view.plan.budget
    if wall is None:
        return _unknown(words.label("key.time"), view.total.basis.get("hours", ""), "no_times")
    deadline, ended = budget.deadline, view.ended_at
    notes = [words.agreed(budget.wall_time_s)] if budget.wall_time_s else []
    notes += [words.label("key.deadline", date=words.date(deadline, view.plan.display_zone, year=False))] if deadline else []
    state = over(wall / budget.wall_time_s) if budget.wall_time_s else None
    if deadline and ended and ended > deadline:
        state = State("▲", words.label("state.deadline_passed"), "bad")
    elif deadline and ended and state is None:
        state = State("✓", words.label("state.inside"), "good")
    return KeyFigure(_of("time", view), words.duration(wall), state or _open("no_limit"), " · ".join(notes))


def _energy(view: View) -> KeyFigure:
    used, budget = view.total.energy_kwh, view.plan.budget
    if used is None:
        return _unknown(words.label("key.energy"), view.total.basis.get("energy", ""), "no_power")
    notes = [words.energy(budget.energy_kwh)] if budget.energy_kwh else []
    if view.total.carbon_kg is not None:
        notes.append(f"{words.mass(view.total.carbon_kg)} CO₂e")
    notes.append(words.label(f"energy_basis.{view.total.energy_basis}"))
    notes += [f"PUE{words.GAP}{words.number(view.total.pue)}"] if view.total.pue != 1 else []
    state = over(used / budget.energy_kwh) if budget.energy_kwh else None
    return KeyFigure(_of("energy", view), words.energy(used), state, " · ".join(notes))
