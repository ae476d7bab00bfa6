"""What was spent beside what was agreed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model import clock, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Plan

__all__ = ["BudgetLine", "budget_lines"]


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """One agreed limit and what was used of it."""

    name: str
    """``money``, ``gpu_hours``, ``wall_time``, ``energy_kwh``, ``carbon_kg`` or ``deadline``."""
    label: str
    spent: str
    limit: str
    share: float | None
    """Spent as a share of the limit; None for the deadline."""
    over: bool

    @property
    def excess(self) -> str:
        """Return ``40 % over``, or ``late`` for a deadline."""
        return "late" if self.share is None else f"{words.share(self.share - 1)} over"


def budget_lines(total: Ledger, plan: Plan, as_of: datetime | None) -> list[BudgetLine]:
    """Return one line for each limit of the plan on which something is known.

    Parameters
    ----------
    total : Ledger
        Of all runs given: the budget covers them together.
    plan : Plan
    as_of : datetime or None
        What stands for now.
    """
    budget = plan.budget
    lines: list[BudgetLine | None] = []
    if budget.money is not None and total.cost is not None:
        share = total.cost.share_of(budget.money)
        lines.append(BudgetLine("money", "Spent", words.money(total.cost), words.money(budget.money), share, share > 1))
    lines += [
        _line("gpu_hours", "GPU-hours", total.gpu_hours, budget.gpu_hours, words.hours),
        _line("wall_time", "Time", total.wall_s, budget.wall_time_s, words.duration),
        _line("energy_kwh", "Energy", total.energy_kwh, budget.energy_kwh, words.energy),
        _line("carbon_kg", "Carbon", total.carbon_kg, budget.carbon_kg, _carbon),
    ]
    if budget.deadline is not None and as_of is not None:
        zone = clock.zone(plan.display_zone)
        today, limit = as_of.astimezone(zone).date().isoformat(), budget.deadline.astimezone(zone).date().isoformat()
        lines.append(BudgetLine("deadline", "Deadline", today, limit, None, as_of > budget.deadline))
    return [line for line in lines if line is not None]


def _line(name: str, label: str, spent: float | None, limit: float | None, say: Callable[[float], str]) -> BudgetLine | None:
    if spent is None or limit is None:
        return None
    share = spent / limit
    return BudgetLine(name, label, say(spent), say(limit), share, share > 1)


def _carbon(kilograms: float) -> str:
    return f"{words.mass(kilograms)} CO₂e"
