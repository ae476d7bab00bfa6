"""Best value so far against what was spent, over all runs in the order in which they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.model.series import direction
from trainreport.reports import curves, words
from trainreport.reports.blocks import Figure
from trainreport.reports.decimate import decimate
from trainreport.reports.spec import Axis, FigureSpec, Level, Line, Mark, Panel

if TYPE_CHECKING:
    from trainreport.model.decision import Checkpoint, RunAssessment
    from trainreport.reports.view import View

__all__ = ["build"]

_FEWEST = 3
_FEW_DOTS, _MOST_DOTS = 40, 200
_WIDTH_MM, _HEIGHT_MM = 120.0, 46.0


class _Try(NamedTuple):
    """A run: what had been spent when it was done, and its best value."""

    run: RunAssessment
    spent: float
    best: Checkpoint


def build(view: View) -> Figure | None:
    """Return the chart; None where fewer than three runs are judged alike, or their starts or spending are not known."""
    import numpy as np

    leading, unit = view.best, _unit(view)
    tries = [] if leading is None else _tries(view, leading, unit)
    if leading is None or len(tries) < _FEWEST:
        return None
    values, spent = np.array([one.best.value for one in tries]), np.array([one.spent for one in tries])
    so_far = (np.maximum if direction(leading.series) >= 0 else np.minimum).accumulate(values)
    first = int(np.argmax(values == so_far[-1]))
    levels = _levels(view, leading)
    shape = curves.scale(leading.series, np.array([*values, *(level.value for level in levels)]))
    x, y = decimate(spent, values, _MOST_DOTS // 2)
    dots = [Mark(float(at), float(value), "", "second") for at, value in zip(x, y, strict=True)]
    caption = "Dots: the best checkpoint of each run, in the order of their starts, at what all runs had taken by the end of that run."
    if len(x) < len(spent):
        caption = words.label("runs.dots_many")
    name, label = f"{words.short(tries[first].run.log.run.name, 28)}\n{shape.said(so_far[-1])}", "best so far"
    if len(x) > _FEW_DOTS:  # no room between them
        name, label = "", f"{label}\n{name}"
    dots.append(Mark(float(spent[first]), float(values[first]), name))
    line = Line(np.repeat(spent, 2)[1:], np.repeat(so_far, 2)[:-1], label)
    panel = Panel((line,), shape.axis, words.series_name(leading.series), levels, marks=tuple(dots))
    alt = f"Step line of the best {words.series_name(leading.series)} so far over {words.count(len(tries))} runs, "
    return Figure(
        "search",
        _title(first, spent.tolist(), unit),
        FigureSpec((panel,), Axis("number", unit, low=0.0), _WIDTH_MM, _HEIGHT_MM),
        caption,
        f"{alt}from {shape.said(so_far[0])} to {shape.said(so_far[-1])}.",
    )


def _title(first: int, spent: list[float], unit: str) -> str:
    if first == len(spent) - 1:
        return f"The last of {words.count(len(spent))} runs is the best"
    thing = {"GPU-hours": "GPU-hours", "h": "hours"}.get(unit, "money")
    return f"{words.share(1 - spent[first] / spent[-1])} of the {thing} came after the best run"


def _levels(view: View, leading: Checkpoint) -> tuple[Level, ...]:
    goal = view.deciding
    if goal is None or (goal.criterion.series, goal.criterion.phase) != (leading.series, leading.phase):
        return ()
    return (Level(goal.drawn(goal.criterion.threshold), f"target {goal.said(goal.criterion.threshold)}"),)


def _unit(view: View) -> str:
    """Return what spending is counted in: money where every run is priced alike, else GPU-hours, else hours."""
    ledgers = [run.ledger for run in view.assessment.runs if run.best is not None]
    currencies = {one.cost.currency if one.cost is not None else "" for one in ledgers}
    if len(currencies) == 1 and "" not in currencies:
        return currencies.pop()
    return "GPU-hours" if all(one.gpu_hours is not None for one in ledgers) else "h"


def _tries(view: View, leading: Checkpoint, unit: str) -> list[_Try]:
    """Return the runs that are judged by the same series as the leading one, in the order of time; nothing where a figure lacks."""
    runs = [run for run in view.assessment.runs if run.best is not None]
    alike = [run for run in runs if run.best is not None and (run.best.series, run.best.phase) == (leading.series, leading.phase)]
    starts = {id(run): run.log.run.started_at for run in alike}
    costs = {id(run): _cost(run, unit) for run in alike}
    if None in starts.values() or None in costs.values():
        return []
    total, found = 0.0, []
    for run in sorted(alike, key=lambda one: (starts[id(one)], one.log.run.id)):
        total += costs[id(run)] or 0.0
        if run.best is not None:
            found.append(_Try(run, total, run.best))
    return found if total > 0 else []


def _cost(run: RunAssessment, unit: str) -> float | None:
    ledger = run.ledger
    if unit == "GPU-hours":
        return ledger.gpu_hours
    if unit == "h":
        return None if ledger.wall_s is None else ledger.wall_s / 3600
    return None if ledger.cost is None else float(ledger.cost.amount)
