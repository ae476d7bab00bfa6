"""Where a run ends by its plan: at the budget, the deadline or the last planned step, whichever comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from trainreport.model.curve import Curve
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Plan
    from trainreport.model.run import Run

    Array = npt.NDArray[np.float64]

__all__ = ["Horizon", "horizon"]


@dataclass(frozen=True, slots=True)
class Horizon:
    """The end of a run by its plan."""

    axis: str
    """``time_s``, ``step`` or ``epoch``: what is counted."""
    length: float
    """How much of it there is from the start of the run to that end."""
    name: str
    """What sets the end, in words."""
    at_step: int | None
    at_time_s: float | None
    """Seconds since 1970 UTC."""

    def used(self, curve: Curve, run: Run) -> Array | None:
        """Return the share of the way at each evaluation of a run, None where it cannot be known."""
        import numpy as np

        place = _axis(curve, self.axis)
        if place is None:
            return None
        start = _start(curve, run) if self.axis == "time_s" else 0.0
        return np.maximum.accumulate(np.maximum(place - start, 0.0)) / self.length


_OVER = 1e-9
"""Seconds that stand for an end that lay before the run began, such as a deadline that had passed: all of it is used."""


def horizon(curve: Curve, run: Run, plan: Plan, ledger: Ledger | None, as_of: datetime | None) -> Horizon | None:
    """Return the end that comes first, None where the plan sets none that the log can be measured by.

    Parameters
    ----------
    curve : Curve
        Evaluations of the run.
    run : Run
    plan : Plan
        Its budget for time, GPU-hours and money, its deadline, and the steps and epochs that were planned.
    ledger : Ledger or None
        What the run took so far: GPU-hours and money go on at the same pace.
    as_of : datetime or None
        What stands for now; a run that stands still meanwhile comes nearer to its deadline.
    """
    counted = list(_counted(curve, plan))
    time = _axis(curve, "time_s")
    start = _start(curve, run)
    if time is None or time[-1] <= start:
        return min(counted, key=lambda end: end.length / _last(curve, end.axis)) if counted else None
    alive = max(time[-1], run.ended_at.timestamp() if run.ended_at else time[-1]) - start
    idle = max(0.0, as_of.timestamp() - start - alive) if as_of is not None else 0.0
    lengths = {name: max(length, _OVER) for name, length in _lengths(plan, ledger, alive, start + idle)}
    lengths |= {end.name: (time[-1] - start) * end.length / _last(curve, end.axis) for end in counted}
    if not lengths:
        return None
    name = min(lengths, key=lambda one: lengths[one])
    at_time = start + idle + lengths[name]
    for end in counted:
        if end.name == name:
            return Horizon(end.axis, end.length, name, end.at_step, at_time)
    step = _axis(curve, "step")
    at_step = None if step is None else round(float(step[-1]) * lengths[name] / (time[-1] - start))
    return Horizon("time_s", lengths[name], name, at_step, at_time)


def _lengths(plan: Plan, ledger: Ledger | None, alive: float, deadline_from: float) -> Iterator[tuple[str, float]]:
    """Yield (what sets an end, seconds from the start of the run to it)."""
    budget = plan.budget
    if budget.wall_time_s is not None:
        yield f"the budget of {words.duration(budget.wall_time_s)}", budget.wall_time_s
    if budget.deadline is not None:
        yield "the time to the deadline", budget.deadline.timestamp() - deadline_from
    if ledger is None:
        return
    if budget.gpu_hours is not None and ledger.gpu_hours:
        yield f"the budget of {words.count(budget.gpu_hours)} GPU-hours", alive * budget.gpu_hours / ledger.gpu_hours
    if budget.money is not None and ledger.cost is not None and ledger.cost.amount and ledger.cost.currency == budget.money.currency:
        yield f"the budget of {words.money(budget.money)}", alive / ledger.cost.share_of(budget.money)


def _counted(curve: Curve, plan: Plan) -> Iterator[Horizon]:
    """Yield the ends that the plan counts in steps or epochs, where the log counts them too."""
    steps, epochs = plan.training.steps, plan.training.epochs
    if steps is not None and _last(curve, "step") > 0:
        yield Horizon("step", float(steps), f"the {words.count(steps)} steps that were planned", steps, None)
    if epochs is not None and _last(curve, "epoch") > 0:
        step = round(_last(curve, "step") * epochs / _last(curve, "epoch")) or None
        yield Horizon("epoch", epochs, f"the {words.number(epochs)} epochs that were planned", step, None)


def _axis(curve: Curve, name: str) -> Array | None:
    """Return what an axis says at each evaluation, None where it was not logged for all."""
    import numpy as np

    place: Array = np.asarray(getattr(curve, name), dtype=np.float64)
    there = len(place) > 0 and bool(np.isfinite(place).all()) and (name != "step" or curve.has_step)
    return place if there else None


def _last(curve: Curve, axis: str) -> float:
    place = _axis(curve, axis)
    return 0.0 if place is None else float(place[-1])


def _start(curve: Curve, run: Run) -> float:
    """Return when the run began: its own start, at the latest its first evaluation; 0 where no time is known."""
    time = _axis(curve, "time_s")
    if time is None:
        return 0.0
    first = float(time.min())
    return first if run.started_at is None else min(first, run.started_at.timestamp())
