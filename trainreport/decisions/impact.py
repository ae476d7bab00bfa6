"""Puts money and time on findings. The only place where waste becomes an amount."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.model import words
from trainreport.model.finding import Impact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.model.finding import Finding, Outcome
    from trainreport.model.ledger import Ledger
    from trainreport.model.money import Money
    from trainreport.model.plan import Plan

__all__ = ["priced"]


def priced(outcomes: Iterable[Outcome], ledger: Ledger, plan: Plan) -> tuple[Outcome, ...]:
    """Return the outcomes with the impact of each finding: its share of the run's cost, of budget and of time."""
    return tuple(
        replace(outcome, findings=tuple(replace(finding, impact=_impact(finding, ledger, plan)) for finding in outcome.findings))
        for outcome in outcomes
    )


def _impact(finding: Finding, ledger: Ledger, plan: Plan) -> Impact | None:
    waste = finding.waste
    share = _share(finding, ledger)
    if share is None and waste.steps is None:
        return None
    money = None if share is None or ledger.cost is None else ledger.cost.times(round(share, 9))
    delay_s = None if share is None or ledger.wall_s is None else share * ledger.wall_s
    return Impact(money, delay_s if waste.gpu_s is None or finding.device is None else None, _text(finding, money, share, plan))


def _share(finding: Finding, ledger: Ledger) -> float | None:
    """Return what was wasted as a share of the run, at most all of it."""
    waste = finding.waste
    if waste.gpu_s is not None and ledger.gpu_hours:
        return min(waste.gpu_s / 3600 / ledger.gpu_hours, 1.0)
    return waste.share_of_run


def _text(finding: Finding, money: Money | None, share: float | None, plan: Plan) -> str:
    waste = finding.waste
    parts = []
    if money is not None:
        budget = plan.budget.money
        of_budget = f", {words.share(money.share_of(budget))} of the budget" if budget is not None else ""
        parts.append(f"{words.money(money)}{of_budget}")
    if waste.gpu_s is not None:
        parts.append(f"{words.hours(waste.gpu_s / 3600)} of GPU time")
    elif share is not None:
        parts.append(f"{words.share(share)} of the run")
    if waste.steps is not None:
        parts.append(words.plural(waste.steps, "step"))
    return " · ".join(parts)
