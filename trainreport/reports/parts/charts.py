"""The two charts of page 1: progress against the target, and money against the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model.words import fraction as said_of_whole
from trainreport.reports import curves, words
from trainreport.reports.blocks import Figure
from trainreport.reports.language import numeral
from trainreport.reports.parts import forecast
from trainreport.reports.spec import Axis, Band, FigureSpec, Level, Line, Mark, Panel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.curve import Curve
    from trainreport.model.decision import RunAssessment
    from trainreport.reports.curves import Shape
    from trainreport.reports.spec import Fan
    from trainreport.reports.view import View

__all__ = ["build", "learned_sentence", "progress"]

_HEIGHT_MM = 52.0
_GPU_HOURS = "GPU-hours"
_FEW = 5  # evaluations that say nothing of a course
_LONG = 11  # letters of a fraction in words that a heading over the small chart has room for


def build(view: View) -> tuple[Figure, ...]:
    """Return the charts that can be drawn: two, one, or none."""
    learned, paid = view.progress is not None, _spending(view, 60.0) is not None
    found = (progress(view, 108.0 if paid else 150.0) if learned else None, _spending(view, 60.0 if learned else 110.0))
    return tuple(figure for figure in found if figure is not None)


def learned_sentence(view: View) -> str:
    """Return what the curve says."""
    best, goal = view.best, view.deciding
    if best is None:
        return words.label("learned.on_training" if view.progress and view.progress.phase == "train" else "learned.plain")
    if best.evaluations < _FEW:
        return words.counted("learned.few", best.evaluations)
    if view.stopped_improving:
        return words.label(f"learned_until.{said_of_whole(best.share)}")
    if goal is not None and goal.result.state == "met":
        return words.label("learned.reached")
    return words.label("learned.still")


def progress(view: View, width: float) -> Figure:
    """Return the curve that decides, with target, best checkpoint and what was paid for after it."""
    curve = view.progress
    assert curve is not None
    levels, fans = _levels(view, curve), forecast.fan(view, curve)
    ends = [value for fan in fans for value in (fan.low, fan.high)]
    shape = curves.shape([curve], [*(level.value for level in levels), *ends])
    last = float(curve.step[-1])
    name = words.phase_series(curve.series, curve.phase)
    after = "after_best_paid" if view.spent is not None or view.ledger.gpu_hours else "after_best"
    label = "" if fans else words.label("chart.at_the_end", value=shape.said(curves.ends(curve)[1]))
    panel = Panel(
        lines=curves.lines(curve, label, "accent"),
        y=shape.axis,
        title=name,
        levels=levels,
        bands=(Band(float(view.best.step), last, words.label(f"chart.{after}")),) if view.best and view.stopped_improving else (),
        marks=_best_mark(view, curve, shape),
        fans=fans,
    )
    spec = FigureSpec((panel,), curves.x_axis(curve), width, _HEIGHT_MM)
    caption = f"{curve.logged}. {curves.smoothing_sentence([curve])}"
    caption += f" {words.label('chart.log_scale')}" if shape.axis.log else ""
    caption += f" {words.label('chart.fan', step=words.count(fans[0].end))}" if fans else ""
    return Figure("progress", learned_sentence(view), spec, caption, _alt(view, curve, shape, fans))


def _levels(view: View, curve: Curve) -> tuple[Level, ...]:
    goal = next((g for g in view.goals if g.criterion.series in (curve.series, curve.logged) and g.criterion.phase == curve.phase), None)
    if goal is None:
        return ()
    target = Level(goal.drawn(goal.criterion.threshold), words.label("chart.target", value=goal.said(goal.criterion.threshold)))
    if goal.criterion.baseline is None:
        return (target,)
    return target, Level(
        goal.drawn(goal.criterion.baseline), words.label("chart.baseline", value=goal.said(goal.criterion.baseline)), "quiet"
    )


def _best_mark(view: View, curve: Curve, shape: Shape) -> tuple[Mark, ...]:
    best = view.best
    if best is None:
        return ()
    if (best.series, best.phase) == (curve.series, curve.phase):
        value = best.value
    else:
        import numpy as np

        value = float(curve.value[int(np.abs(curve.step - best.step).argmin())])
    return (Mark(float(best.step), value, words.label("chart.best", step=words.count(best.step), value=shape.said(value))),)


def _alt(view: View, curve: Curve, shape: Shape, fans: tuple[Fan, ...]) -> str:
    first, last = curves.ends(curve)
    text = words.label(
        "chart.alt",
        series=words.phase_series(curve.series, curve.phase),
        first=shape.said(first),
        last=shape.said(last),
        end=words.count(float(curve.step[-1])),
        unit=words.label(f"axis.{'steps' if curve.has_step else 'points'}"),
    )
    said = [words.label("chart.alt_best", step=words.count(view.best.step))] if view.best else []
    said += [words.label("chart.alt_fan", step=words.count(fan.end), low=shape.said(fan.low), high=shape.said(fan.high)) for fan in fans]
    return f"{'; '.join([text, *said])}."


@dataclass(frozen=True, slots=True, eq=False)
class _Spending:
    """What was spent over time: of the one run, or of all runs together."""

    hours: npt.NDArray[np.float64]
    amounts: npt.NDArray[np.float64]
    unit: str
    limit: float | None

    @property
    def total(self) -> float:
        return float(self.amounts[-1])

    @property
    def kind(self) -> str:
        return "hours" if self.unit == _GPU_HOURS else "money"

    @property
    def over(self) -> bool:
        return self.limit is not None and self.total > self.limit


def _spent(view: View) -> _Spending | None:
    """Return the spending, each run's spread evenly over its time; None where no amount or no time is known."""
    import numpy as np

    runs = [run for run in view.assessment.runs if run.ledger.cost is not None or run.ledger.gpu_hours]  # not the parent of a search
    priced = all(run.ledger.cost is not None for run in runs)
    amounts = [float(run.ledger.cost.amount) if priced and run.ledger.cost else run.ledger.gpu_hours or 0.0 for run in runs]
    if not all(run.ledger.wall_s for run in runs) or not sum(amounts):
        return None
    spans = [run.ledger.wall_s or 0.0 for run in runs]
    starts = _starts(runs, spans)
    grid = np.unique([*starts, *(start + span for start, span in zip(starts, spans, strict=True))])
    total = sum(amount * np.clip((grid - start) / span, 0.0, 1.0) for amount, start, span in zip(amounts, starts, spans, strict=True))
    cost, budget = runs[0].ledger.cost, view.plan.budget
    if not priced or cost is None:
        return _Spending(grid / 3600, np.asarray(total), _GPU_HOURS, budget.gpu_hours)
    fits = budget.money is not None and budget.money.currency == cost.currency
    return _Spending(
        grid / 3600, np.asarray(total), cost.currency, float(budget.money.amount) if budget.money is not None and fits else None
    )


def _starts(runs: list[RunAssessment], spans: list[float]) -> list[float]:
    """Return each run's start in seconds after the first; end to end where a start is not known."""
    moments = [run.log.run.started_at for run in runs]
    known = [moment.timestamp() for moment in moments if moment is not None]
    if len(known) < len(spans):
        return [sum(spans[:i]) for i in range(len(spans))]
    return [moment - min(known) for moment in known]


def _spending(view: View, width: float) -> Figure | None:
    spent = _spent(view)
    if spent is None:
        return None
    told = {"amount": _amount(spent.total, spent.unit), "hours": words.hours(float(spent.hours[-1]))}
    alt = words.label("spending.alt", **told)
    if spent.limit:
        alt = words.label("spending.alt_budget", **told, budget=_amount(spent.limit, spent.unit))
    return Figure(
        "spending",
        _spent_sentence(view, spent),
        _spending_spec(view, spent, width),
        words.label(f"spending.{spent.kind}_{'several' if view.several else 'one'}"),
        alt,
    )


def _spending_spec(view: View, spent: _Spending, width: float) -> FigureSpec:
    import numpy as np

    minutes = spent.hours[-1] < 2
    scale, unit = (60.0, "min") if minutes else (1.0, "h")
    limit, total = spent.limit, spent.total
    marks = [Mark(float(np.interp(limit, spent.amounts, spent.hours)) * scale, limit, "", "bad")] if spent.over and limit else []
    if view.stopped_improving and view.best_share is not None and not view.several:
        amount = total * view.best_share
        marks.append(
            Mark(float(spent.hours[-1]) * scale * view.best_share, amount, words.label("spending.best", amount=_amount(amount, spent.unit)))
        )
    panel = Panel(
        lines=(
            Line(
                spent.hours * scale, spent.amounts, _amount(total, spent.unit).replace(words.GAP, "\n"), "bad" if spent.over else "accent"
            ),
        ),
        y=Axis("money", low=0.0, high=1.14 * max(total, limit or 0.0)),
        title=words.label(f"spending.title_{spent.kind}"),
        levels=(Level(limit, words.label("spending.budget", amount=_amount(limit, spent.unit))),) if limit else (),
        marks=tuple(marks),
    )
    return FigureSpec((panel,), Axis("number", unit, low=0.0), width, _HEIGHT_MM)


def _amount(value: float, unit: str) -> str:
    places = 0 if value >= 100 else 1 if unit == _GPU_HOURS else 2
    return f"{numeral(f'{value:,.{places}f}')}{words.GAP}{words.label('axis.gpu_hours') if unit == _GPU_HOURS else unit}"


def _spent_sentence(view: View, spent: _Spending) -> str:
    if not view.several and view.stopped_improving and view.best_share is not None and view.best_share < 0.93:
        part = words.capital(words.fraction(1 - view.best_share))
        return words.label(f"spending.after_{spent.kind}", part=part if len(part) < _LONG else words.share(1 - view.best_share))
    if spent.limit and spent.over:
        return words.label("spending.over", share=words.share(spent.total / spent.limit - 1))
    if spent.limit:
        return words.label("spending.of_budget", share=words.share(spent.total / spent.limit))
    return words.label(f"spending.went_{spent.kind}")
