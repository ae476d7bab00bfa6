"""The forecast: the chance that the target is reached, where it will end, and what that rests on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Definitions, Section, Term
from trainreport.reports.spec import Fan

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.model.ledger import Forecast
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import Goal, View

__all__ = ["NAME", "fan", "interval", "section", "sentence", "why_none"]

NAME = "forecast of the target"
_FARTHEST = 4.0  # an end at more times the steps so far would press the curve into a corner


def sentence(view: View) -> str:
    """Return one sentence for page 1: the chance and what it rests on; empty where nothing is foretold."""
    if view.foretold is None:
        return ""
    goal, forecast = view.foretold
    chance = "no chance could be given" if forecast.probability is None else f"{words.share(forecast.probability)} chance of {_limit(goal)}"
    basis = view.ledger.basis.get("forecast", "").rstrip(".")
    return f"Forecast: {chance}{f', {basis}' if basis else ''}."


def why_none(view: View) -> str:
    """Return why nothing is foretold; empty where something is, or where no reason is recorded."""
    return "" if view.ledger.forecast is not None else view.ledger.basis.get("forecast", "")


def section(view: View) -> list[Block]:
    """Return the forecast for those who plan, nothing where there is none: the reason stands under what was not judged."""
    if view.foretold is None:
        return []
    goal, forecast = view.foretold
    by = " or ".join(_ends(view, forecast)) or "the end of the plan"
    where = words.measure(goal.criterion.series, goal.criterion.phase)
    items = [
        Term("Chance", (f"{_chance(forecast)} that {where[:1].lower()}{where[1:]} reaches {_limit(goal)} by {by}",)),
        Term("Where it will end", (_range(goal, forecast),)),
        Term("It rests on", (words.capital(view.ledger.basis.get("forecast", "not recorded")),)),
        Term("Method", (f"{words.capital(forecast.method)}. It knows the curve, not what will be changed in the run",)),
    ]
    return [Section("forecast", _title(goal, forecast), (Definitions(tuple(items), narrow=True),))]


def _chance(forecast: Forecast) -> str:
    return "Not known" if forecast.probability is None else words.share(forecast.probability)


def _limit(goal: Goal) -> str:
    return goal.said(goal.criterion.threshold)


def _title(goal: Goal, forecast: Forecast) -> str:
    if forecast.probability is None:
        return f"Whether {_limit(goal)} will be reached cannot be foretold"
    if goal.result.state == "met" and forecast.probability >= 1:
        return f"{_limit(goal)} is reached already"
    return f"The chance of reaching {_limit(goal)} is {words.share(forecast.probability)}"


def _ends(view: View, forecast: Forecast) -> list[str]:
    step = [] if forecast.at_step is None else [f"step {words.count(forecast.at_step)}"]
    time = [] if forecast.at_time_s is None else [view.when(datetime.fromtimestamp(forecast.at_time_s, UTC))]
    return step + time


def interval(goal: Goal, forecast: Forecast) -> str:
    """Return the 80 % interval in words; empty where there is none."""
    if forecast.low is None or forecast.high is None:
        return ""
    low, high = words.pair(goal.drawn(forecast.low), goal.drawn(forecast.high), shares=goal.percent)
    return low if low == high else f"{low} to {high}"


def _range(goal: Goal, forecast: Forecast) -> str:
    said = interval(goal, forecast)
    if not said:
        return "Not foretold"
    middle = "" if forecast.mid is None else f"; as likely above as below {goal.said(forecast.mid)}"
    return f"{said} (80 % interval){middle}"


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
    label = f"{interval(goal, told).replace(f'{words.GAP}% to', ' to')}\nforetold"
    return (Fan(last, stands, float(told.at_step), goal.drawn(told.low), goal.drawn(told.mid), goal.drawn(told.high), label),)
