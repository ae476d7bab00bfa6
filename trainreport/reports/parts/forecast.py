"""The forecast: the chance that the target is reached, where it will end, and what that rests on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Definitions, Section, Term
from trainreport.reports.retold import retold
from trainreport.reports.spec import Fan

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.model.ledger import Forecast
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import Goal, View

__all__ = ["fan", "interval", "section", "sentence", "why_none"]

_FARTHEST = 4.0  # an end at more times the steps so far would press the curve into a corner


def sentence(view: View) -> str:
    """Return one sentence for page 1: the chance and what it rests on; empty where nothing is foretold."""
    if view.foretold is None:
        return ""
    goal, forecast = view.foretold
    chance = words.label("forecast.no_chance")
    if forecast.probability is not None:
        chance = words.label("forecast.chance_of", share=words.share(forecast.probability), limit=_limit(goal))
    basis = retold(view.ledger.basis.get("forecast", "").rstrip("."))
    return words.label("forecast.page_1", said=f"{chance}, {basis}" if basis else chance)


def why_none(view: View) -> str:
    """Return why nothing is foretold; empty where something is, or where no reason is recorded."""
    return "" if view.ledger.forecast is not None else view.ledger.basis.get("forecast", "")


def section(view: View) -> list[Block]:
    """Return the forecast for those who plan, nothing where there is none: the reason stands under what was not judged."""
    if view.foretold is None:
        return []
    goal, forecast = view.foretold
    by = words.label("list.or").join(_ends(view, forecast)) or words.label("forecast.plan_end")
    where = words.within(words.measure(goal.criterion.series, goal.criterion.phase))
    basis = words.capital(view.ledger.basis.get("forecast", ""))
    said = {
        "chance": words.label("forecast.chance_that", chance=_chance(forecast), measure=where, limit=_limit(goal), by=by),
        "end": _range(goal, forecast),
        "basis": retold(basis) if basis else words.label("forecast.not_recorded"),
        "method": f"{retold(words.capital(forecast.method))}. {words.label('forecast.knows')}",
    }
    items = [Term(words.label(f"forecast_term.{name}"), (text,)) for name, text in said.items()]
    return [Section("forecast", _title(goal, forecast), (Definitions(tuple(items), narrow=True),))]


def _chance(forecast: Forecast) -> str:
    return words.label("forecast.not_known") if forecast.probability is None else words.share(forecast.probability)


def _limit(goal: Goal) -> str:
    return goal.said(goal.criterion.threshold)


def _title(goal: Goal, forecast: Forecast) -> str:
    if forecast.probability is None:
        return words.label("forecast.cannot", limit=_limit(goal))
    if goal.result.state == "met" and forecast.probability >= 1:
        return words.label("forecast.already", limit=_limit(goal))
    return words.label("forecast.title", limit=_limit(goal), share=words.share(forecast.probability))


def _ends(view: View, forecast: Forecast) -> list[str]:
    step = [] if forecast.at_step is None else [words.label("evidence.step", step=words.count(forecast.at_step))]
    time = [] if forecast.at_time_s is None else [view.when(datetime.fromtimestamp(forecast.at_time_s, UTC))]
    return step + time


def interval(goal: Goal, forecast: Forecast) -> str:
    """Return the 80 % interval in words; empty where there is none."""
    if forecast.low is None or forecast.high is None:
        return ""
    low, high = words.pair(goal.drawn(forecast.low), goal.drawn(forecast.high), shares=goal.percent)
    return low if low == high else words.label("evidence.range", low=low, high=high)


def _range(goal: Goal, forecast: Forecast) -> str:
    said = interval(goal, forecast)
    if not said:
        return words.label("forecast.not_foretold")
    interval_said = words.label("forecast.interval", range=said)
    return interval_said if forecast.mid is None else f"{interval_said}; {words.label('forecast.middle', value=goal.said(forecast.mid))}"


def fan(view: View, curve: Curve) -> tuple[Fan, ...]:
    """Return the forecast as it is drawn after `curve`, nothing where it is of another curve or ends too far away."""
    import numpy as np

    if view.foretold is None or not curve.has_step:
        return ()
    goal, told = view.foretold
    if goal.criterion.series not in (curve.series, curve.logged) or goal.criterion.phase != curve.phase:
        return ()
    finite = curve.value[np.isfinite(curve.value)]
    if told.at_step is None or told.low is None or told.mid is None or told.high is None or not len(finite):
        return ()
    last = float(curve.step[-1])
    if not last < told.at_step <= _FARTHEST * last:
        return ()
    best = finite.max() if goal.criterion.sign > 0 else finite.min()
    stands = float(best if goal.criterion.statistic == "best" else finite[-1])
    label = words.label(
        "chart.foretold", range=interval(goal, told).replace(f"{words.GAP}% ", " ", 1) if goal.percent else interval(goal, told)
    )
    return (Fan(last, stands, float(told.at_step), goal.drawn(told.low), goal.drawn(told.mid), goal.drawn(told.high), label),)
