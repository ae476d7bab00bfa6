"""What detectors of cost and schedule read: spending up to a run beside what was agreed, and what is still to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.business.budget import budget_lines
from trainreport.business.ledger import total_cost
from trainreport.business.pace import last_sign, step_times
from trainreport.detectors.facts_of_run import progress_of_plan
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Outcome, Severity
from trainreport.model.ledger import Ledger
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainreport.business.budget import BudgetLine
    from trainreport.detectors.base import Detector
    from trainreport.detectors.facts_of_run import PlanProgress
    from trainreport.model.case import Case, Family, Sibling
    from trainreport.model.money import Money
    from trainreport.model.run import RunLog

__all__ = ["Ahead", "ahead", "done", "earlier", "evidence", "lines", "outcome", "said", "so_far", "standing"]

_NOUNS = {"money": "money", "gpu_hours": "GPU time", "wall_time": "time", "energy_kwh": "energy", "carbon_kg": "carbon"}


class Ahead(NamedTuple):
    """What a run takes to its planned end, in multiples of what it took so far."""

    done: PlanProgress
    whole: float
    """All of it, at the pace so far."""
    low: float
    """At the pace of its quickest third, from here on."""
    high: float
    """At the pace of its slowest third."""
    paced: bool
    """Whether the pace is known, so that there is an interval."""


class _Taken(NamedTuple):
    """What some runs took together, one after the other."""

    wall_s: float | None = None
    """Seconds during which at least one of them was alive."""
    reached: float = float("-inf")
    """Until when the last of them was alive."""
    gpu_hours: float | None = None
    cost: Money | None = None
    energy_j: float | None = None
    carbon_kg: float | None = None

    def and_then(self, span: tuple[float, float] | None, more: Ledger | Sibling, factor: float = 1.0) -> _Taken:
        """Return what they took with one more, which began after them."""
        wall, reached = self.wall_s, self.reached
        if span is not None:
            wall, reached = (wall or 0.0) + max(0.0, span[1] - max(span[0], reached)), max(reached, span[1])
        cost = more.cost if factor == 1 or more.cost is None else more.cost.times(round(factor, 9))
        return _Taken(
            wall,
            reached,
            _added(self.gpu_hours, more.gpu_hours, factor),
            total_cost([self.cost, cost]),
            _added(self.energy_j, more.energy_j, factor),
            _added(self.carbon_kg, more.carbon_kg, factor),
        )


def earlier(case: Case) -> tuple[Sibling, ...]:
    """Return the other runs that began before this one; without a time a run comes last."""
    return case.family.in_order[: _before(case)]


def _before(case: Case) -> int:
    return case.family.before(case.log.run.started_at, case.log.run.id)


def lines(case: Case, names: Sequence[str], factor: float = 1.0) -> list[BudgetLine]:
    """Return how some limits of the plan stand with this run and all before it.

    Parameters
    ----------
    case : Case
    names : sequence of str
        As in `BudgetLine`.
    factor : float
        What this run takes, in multiples of what it took so far; 0 leaves it out.
    """
    return [line for line in budget_lines(_spent(case, factor), case.plan, None) if line.name in names]


def standing(line: BudgetLine, at: str = "at") -> str:
    """Return ``money at 560 EUR of the 400 EUR agreed``; or ``money to …``."""
    return f"{_NOUNS[line.name]} {at} {line.spent} of the {line.limit} agreed"


def said(found: Sequence[BudgetLine]) -> str:
    """Return how limits stand, in one phrase."""
    return words.joined([f"{standing(line)}, {words.share(line.share or 0.0)}" for line in found])


def so_far(case: Case) -> str:
    """Return whose spending is meant: the run's own, or with those before it."""
    before = _before(case)
    return "this run" if not before else f"this run and the {words.plural(before, 'run')} before it"


def evidence(case: Case, line: BudgetLine, statistic: str, low: float | None = None, high: float | None = None) -> Evidence:
    """Return the share of a limit as evidence."""
    basis = {"money": "cost", "gpu_hours": "hours", "energy_kwh": "energy", "carbon_kg": "carbon"}.get(line.name, "")
    method = case.ledger.basis.get(basis, "first to last sign of life, time in which runs overlap counted once")
    return Evidence(f"{statistic}, {_NOUNS[line.name]}", line.share or 0.0, "1", method, _before(case) + 1, low=low, high=high)


def outcome(
    judge: Detector,
    case: Case,
    limits: Any,
    found: list[BudgetLine],
    *,
    how: Callable[[list[BudgetLine]], str],
    action: Action,
    confidence: Confidence,
) -> Outcome:
    """Return whether some limits of the plan were passed; one that was passed by little is a minor matter.

    Parameters
    ----------
    judge, case, limits
        As in `Detector.check`.
    found : list of BudgetLine
        How the limits stand, by `lines`.
    how : callable
        What the message says at its end of those that were passed.
    action : Action
    confidence : Confidence
    """
    over = [line for line in found if (line.share or 0.0) > limits.over]
    if not over:
        return judge.clear(f"{so_far(case)}: {said(found)}")
    worst = max(line.share or 0.0 for line in over)
    brought = [f"{standing(line, 'to')} ({line.excess})" for line in over]
    return judge.found(
        judge.finding(
            f"{words.capital(so_far(case))} brought {words.joined(brought)}{how(over)}.",
            evidence=tuple(evidence(case, line, "share of the limit spent") for line in over),
            action=action,
            confidence=confidence,
            limits=limits,
            severity=Severity.MINOR if worst <= limits.over + limits.slight else None,
        )
    )


def done(case: Case) -> bool:
    """Return whether a run is done: its tool says so, or it did all that was planned."""
    progress = progress_of_plan(case)
    return case.log.run.status == "finished" or (progress is not None and progress.share >= 1)


def ahead(case: Case, least: float) -> Ahead | str:
    """Return what is still to come of a run that is not done, or why nothing is.

    Parameters
    ----------
    case : Case
    least : float
        Share of the planned length that must be done before anything is said.
    """
    progress = progress_of_plan(case)
    if done(case):
        return "the run is done"
    if progress is None:
        return "neither the plan nor the parameters say how long the run is to be"
    if progress.share < least:
        return f"the run did {progress.words}; from {words.share(least)} on its end can be foretold"
    last = last_sign(case.log)
    if last is not None and _last_start(case.family) > last:
        return f"the run ended at {progress.words}, and another began after it"
    still = (1 - progress.share) / progress.share
    thirds = _thirds(case.log)
    quick, slow = thirds or (1.0, 1.0)
    return Ahead(progress, 1 + still, 1 + still * min(quick, 1.0), 1 + still * max(slow, 1.0), thirds is not None)


def _thirds(log: RunLog) -> tuple[float, float] | None:
    """Return the pace of the quickest and of the slowest third of a run beside that of the whole, None where it is not known."""
    import numpy as np

    times = step_times(log)
    if times is None or len(times.seconds) < 3:
        return None
    paces = [float(third.mean()) for third in np.array_split(times.seconds, 3)]
    whole = float(times.seconds.mean())
    return min(paces) / whole, max(paces) / whole


def _spent(case: Case, factor: float) -> Ledger:
    """Return what this run, times a factor, and all before it took together."""
    own, start, taken = case.ledger, case.log.run.started_at, _taken(case.family)[_before(case)]
    if factor > 0:
        span = None if start is None or own.wall_s is None else (start.timestamp(), start.timestamp() + factor * own.wall_s)
        taken = taken.and_then(span, own, factor)
    return Ledger(
        wall_s=taken.wall_s,
        gpu_hours=taken.gpu_hours,
        cost=taken.cost,
        energy_j=taken.energy_j,
        pue=own.pue,
        carbon_kg=taken.carbon_kg,
    )


@remembered
def _taken(family: Family) -> list[_Taken]:
    """Return what none, the first, the first two … runs took together, in the order in which they began."""
    taken = [_Taken()]
    for one in family.in_order:
        span = (one.started_at.timestamp(), one.ended_at.timestamp()) if one.started_at and one.ended_at else None
        taken.append(taken[-1].and_then(span, one))
    return taken


@remembered
def _last_start(family: Family) -> float:
    """Return when the last of the runs began."""
    return max((one.started_at.timestamp() for one in family if one.started_at is not None), default=float("-inf"))


def _added(known: float | None, more: float | None, factor: float) -> float | None:
    return known if more is None else (known or 0.0) + more * factor
