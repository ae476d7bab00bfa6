"""The two charts of page 1: progress against the target, and money against the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import curves, words
from trainreport.reports.blocks import Figure
from trainreport.reports.spec import Axis, Band, FigureSpec, Level, Line, Mark, Panel

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.reports.curves import Shape
    from trainreport.reports.view import View

__all__ = ["build", "learned_sentence", "progress"]

_HEIGHT_MM = 52.0


def build(view: View) -> tuple[Figure, ...]:
    """Return the charts that can be drawn: two, one, or none."""
    learned, paid = view.progress is not None, _spending(view, 60.0) is not None
    found = (progress(view, 108.0 if paid else 150.0) if learned else None, _spending(view, 60.0 if learned else 110.0))
    return tuple(figure for figure in found if figure is not None)


def learned_sentence(view: View) -> str:
    """Return what the curve says."""
    best, goal = view.best, view.deciding
    if best is None:
        return "How the model did on its training data" if view.progress and view.progress.phase == "train" else "How the model did"
    if view.stopped_improving:
        return f"It stopped improving {_way(best.share)}"
    if goal is not None and goal.result.state == "met":
        return "It kept improving and reached the target"
    return "It was still improving at the end"


def _way(share: float) -> str:
    said = words.fraction(share)
    return {"shortly": "shortly after the start", "half": "half of the way in"}.get(said, f"{said} of the way in")


def progress(view: View, width: float) -> Figure:
    """Return the curve that decides, with target, best checkpoint and what was paid for after it."""
    curve = view.progress
    assert curve is not None
    levels = _levels(view, curve)
    shape = curves.shape([curve], [level.value for level in levels])
    last = float(curve.step[-1])
    name = f"{_phase(curve)} {words.series_name(curve.series)}"
    panel = Panel(
        lines=curves.lines(curve, f"{shape.said(curves.ends(curve)[1])}\nat the end", "accent"),
        y=shape.axis,
        title=name,
        levels=levels,
        bands=(Band(float(view.best.step), last, "paid for after the best checkpoint"),) if view.best and view.stopped_improving else (),
        marks=_best_mark(view, curve, shape),
    )
    spec = FigureSpec((panel,), curves.x_axis(curve), width, _HEIGHT_MM)
    caption = f"{curve.logged}. {curves.smoothing_sentence([curve])}{' Logarithmic scale.' if shape.axis.log else ''}"
    return Figure("progress", learned_sentence(view), spec, caption, _alt(view, curve, shape))


def _phase(curve: Curve) -> str:
    return {"train": "training"}.get(curve.phase, curve.phase)


def _levels(view: View, curve: Curve) -> tuple[Level, ...]:
    goal = next((g for g in view.goals if g.criterion.series in (curve.series, curve.logged) and g.criterion.phase == curve.phase), None)
    if goal is None:
        return ()
    target = Level(goal.drawn(goal.criterion.threshold), f"target {goal.said(goal.criterion.threshold)}")
    if goal.criterion.baseline is None:
        return (target,)
    return target, Level(goal.drawn(goal.criterion.baseline), f"baseline {goal.said(goal.criterion.baseline)}", "quiet")


def _best_mark(view: View, curve: Curve, shape: Shape) -> tuple[Mark, ...]:
    best = view.best
    if best is None:
        return ()
    if (best.series, best.phase) == (curve.series, curve.phase):
        value = best.value
    else:
        import numpy as np

        value = float(curve.value[int(np.abs(curve.step - best.step).argmin())])
    return (Mark(float(best.step), value, f"best checkpoint\nstep {words.count(best.step)} · {shape.said(value)}"),)


def _alt(view: View, curve: Curve, shape: Shape) -> str:
    first, last = curves.ends(curve)
    text = f"Line chart of {_phase(curve)} {words.series_name(curve.series)} from {shape.said(first)} to {shape.said(last)}"
    text += f" over {words.count(float(curve.step[-1]))} {'steps' if curve.has_step else 'points'}"
    return f"{text}; best at step {words.count(view.best.step)}." if view.best else f"{text}."


def _spending(view: View, width: float) -> Figure | None:
    """Return what was spent over time: money, else GPU-hours; None where neither, or no time, is known."""
    wall, cost = view.ledger.wall_s, view.ledger.cost
    used = float(cost.amount) if cost is not None else view.ledger.gpu_hours
    if not wall or not used:
        return None
    unit = cost.currency if cost is not None else "GPU-hours"
    limit = view.plan.budget.gpu_hours
    if cost is not None:
        agreed = view.plan.budget.money
        limit = float(agreed.amount) if agreed is not None and agreed.currency == cost.currency else None
    return Figure("spending", _spent_sentence(view, used, limit), _spending_spec(view, used, limit, unit, width), _spending_caption(view, unit), _spent_alt(used, limit, unit, wall))


def _spending_spec(view: View, used: float, limit: float | None, unit: str, width: float) -> FigureSpec:
    import numpy as np

    wall = view.ledger.wall_s or 0.0
    scale, hours_unit = (3600.0, "h") if wall >= 7200 else (60.0, "min")
    end = wall / scale
    over = limit is not None and used > limit
    tone = "bad" if over else "accent"
    marks = [Mark(end * limit / used, limit, "", "bad")] if over and limit else []
    if view.stopped_improving and view.best_share is not None:
        marks.append(Mark(end * view.best_share, used * view.best_share, f"best checkpoint\n{_amount(used * view.best_share, unit)}"))
    panel = Panel(
        lines=(Line(np.array([0.0, end]), np.array([0.0, used]), _amount(used, unit).replace(words.GAP, "\n"), tone),),  # type: ignore[arg-type]
        y=Axis("money", low=0.0, high=1.08 * max(used, limit or 0.0)),
        title="money spent" if unit != "GPU-hours" else "GPU-hours used",
        levels=(Level(limit, f"budget {_amount(limit, unit)}"),) if limit else (),
        marks=tuple(marks),
    )
    return FigureSpec((panel,), Axis("number", hours_unit), width, _HEIGHT_MM)


def _amount(value: float, unit: str) -> str:
    return f"{value:,.2f}{words.GAP}{unit}" if value < 100 and unit != "GPU-hours" else f"{value:,.{1 if value < 100 else 0}f}{words.GAP}{unit}"


def _spent_sentence(view: View, used: float, limit: float | None) -> str:
    thing = "money" if view.ledger.cost is not None else "hours"
    if view.stopped_improving and view.best_share is not None and view.best_share < 0.93:
        return f"{words.capital(words.fraction(1 - view.best_share))} of the {thing} came after"
    if limit:
        return f"It went {words.share(used / limit - 1)} over budget" if used > limit else f"It took {words.share(used / limit)} of the budget"
    return f"Where the {thing} went"


def _spending_caption(view: View, unit: str) -> str:
    what = "GPU-hours" if unit == "GPU-hours" else "Cost"
    whose = " of the leading run" if view.several else ""
    return f"{what}{whose}, spread evenly over the run's time."


def _spent_alt(used: float, limit: float | None, unit: str, wall: float) -> str:
    against = f" against a budget of {_amount(limit, unit)}" if limit else ""
    return f"Line chart: {_amount(used, unit)} spent over {words.duration(wall)}{against}."
