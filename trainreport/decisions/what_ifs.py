"""What would have cost less, or would from now on: each course with its price, only where evidence supports it."""

from __future__ import annotations

from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.devices import device_of, devices
from trainreport.business.energy import mean_utilization
from trainreport.decisions.options import WAITING, chance
from trainreport.model import words
from trainreport.model.curve import curves
from trainreport.model.decision import Option

if TYPE_CHECKING:
    from trainreport.business.devices import Device
    from trainreport.decisions.facts import Facts
    from trainreport.model.ledger import Course, Taken
    from trainreport.model.money import Money
    from trainreport.model.plan import Rate

__all__ = ["for_run"]

_LATE = 0.95
"""A best checkpoint after this share of the run is its end."""
_ROOM = 1.1
"""Memory that a smaller GPU must have, in multiples of the most that was used: allocators leave some unused."""
_WORTH = 0.01
"""A saving below this share of the cost is none."""
_SAME = "as before: the same training"


def for_run(facts: Facts, course: Course) -> tuple[Option, ...]:
    """Return the courses that the evidence supports, those of this run first."""
    found = [_stop(facts, course), _revert(facts, course), _cure(facts), _smaller(facts), _spot(facts), _greener(facts)]
    return tuple(one for one in found if one is not None)


def _stop(facts: Facts, course: Course) -> Option | None:
    """Return what ending a run saves that is not done."""
    whole, status = course.at_completion, facts.case.log.run.status
    if whole is None or status not in ("running", "unknown") or facts.broke_off:
        return None
    left = _left(whole.mid, facts)
    ends = [_left(one, facts) for one in (whole.low, whole.high) if one is not None]
    between = [words.money(one) for one in ends if one is not None]
    hours = None if whole.mid.gpu_hours is None else whole.mid.gpu_hours - (facts.case.ledger.gpu_hours or 0.0)
    return Option(
        title="Stop now",
        does=f"End the run at {whole.done}; what is left of the plan is not spent",
        cost=None,
        cost_note="nothing more" if left is not None else "not priced" if hours is None else f"saves {words.hours(hours)} of GPU time",
        chance="reached already" if facts.all_met else f"given up: {chance(facts)}",
        who="Sponsor",
        saves=left,
        saves_note=" to ".join(dict.fromkeys(between)) if len(set(between)) > 1 else "",
    )


def _left(whole: Taken, facts: Facts) -> Money | None:
    """Return what a run will cost beyond what it did."""
    spent = facts.case.ledger.cost
    return None if spent is None or whole.cost is None else whole.cost - spent


def _revert(facts: Facts, course: Course) -> Option | None:
    """Return what ending at the best checkpoint would have saved, where it lay clearly before the end."""
    best, cost = facts.best, facts.case.ledger.cost
    if best is None or best.share >= _LATE or course.to_best is None:
        return None
    until = course.to_best.cost
    return Option(
        title="Revert to the best checkpoint",
        does=f"Use the checkpoint from step {words.count(best.step)}, and end the next run of this kind there",
        cost=until,
        cost_note="a run up to there" if until is not None else "not priced: no cost is known",
        chance="reached already" if facts.all_met else _SAME,
        who="ML engineer",
        saves=None if cost is None or until is None else cost - until,
    )


def _cure(facts: Facts) -> Option | None:
    """Return what mending the pipeline saves, where it is known what the GPUs wait for: low utilization alone does not say."""
    found = next(
        (one for code in WAITING[:-1] for one in facts.found(code) if one.impact is not None and one.impact.money is not None), None
    )
    cost = facts.case.ledger.cost
    if found is None or cost is None or found.impact is None or found.impact.money is None or found.impact.money.share_of(cost) < _WORTH:
        return None
    saved = found.impact.money
    return Option(
        title="Fix the pipeline",
        does=f"Mend what the GPU waits for ({found.code}): {found.action.effort} of work",
        cost=cost - saved,
        cost_note="such a run without the waiting",
        chance=_SAME,
        who=found.action.owner,
        saves=saved,
    )


def _spot(facts: Facts) -> Option | None:
    """Return what spot capacity saves, where the run can be resumed (TR305)."""
    found = next(iter(facts.found("TR305")), None)
    cost = facts.case.ledger.cost
    if found is None or cost is None or found.impact is None or found.impact.money is None:
        return None
    return Option(
        title="Run the next one on spot capacity",
        does="The same GPUs at the plan's spot rate, with frequent checkpoints; work lost to interruptions comes on top",
        cost=cost - found.impact.money,
        cost_note="such a run",
        chance=_SAME,
        who=found.action.owner,
        saves=found.impact.money,
    )


class _Need(NamedTuple):
    """What the GPUs of a run did."""

    model: str
    hours: float
    peak_flops: float
    share: float
    """Mean utilization of the busiest."""
    memory_b: float


def _smaller(facts: Facts) -> Option | None:
    """Return the cheapest GPU of the plan's rates that the run would fit, where the GPUs are too large (TR206)."""
    need = _need(facts) if facts.found("TR206") else None
    cost = facts.case.ledger.cost
    if need is None or cost is None:
        return None
    every = ((pattern, _at(need, pattern, rate)) for pattern, rate in facts.case.plan.rates.by_model)
    fits = [(*found, pattern) for pattern, found in every if found is not None and found[0].amount < cost.amount]
    if not fits:
        return None
    price, longer, pattern = min(fits, key=lambda one: (one[0].amount, one[2]))
    takes = "in about the same time" if longer <= 1 else f"in about {words.number(longer, 2)} times the time"
    return Option(
        title=f"Take {pattern} for the next one",
        does=f"It holds the {words.memory(need.memory_b)} that were used at most, and has the arithmetic that was used, {takes}",
        cost=price,
        cost_note="such a run at the plan's rate, by peak figures",
        chance="as before, if its memory bandwidth suffices",
        who="Platform team",
        saves=cost - price,
    )


def _need(facts: Facts) -> _Need | None:
    import numpy as np

    gpus = [one for one in facts.case.ledger.devices if one.kind == "gpu"]
    models = {one.model for one in gpus}
    device = device_of(gpus[0].model) if len(models) == 1 else None
    shares = [share for one in gpus if (share := mean_utilization(facts.case.log, one)) is not None]
    used = [float(np.nanmax(one.value)) for one in curves(facts.case.log, "gpu/memory_used") if np.isfinite(one.value).any()]
    if device is None or device.peak_flops is None or not shares or not used or gpus[0].model is None:
        return None
    return _Need(gpus[0].model, sum(one.hours for one in gpus), device.peak_flops, max(shares), max(used))


def _at(need: _Need, pattern: str, rate: Rate) -> tuple[Money, float] | None:
    """Return what a run costs on another GPU and how many times as long it takes, None where it does not fit or nothing is known."""
    other = _named(pattern)
    if (
        other is None
        or other.peak_flops is None
        or other.memory_b is None
        or fnmatchcase(need.model, pattern)
        or other.memory_b < _ROOM * need.memory_b
    ):
        return None
    longer = max(1.0, need.peak_flops * need.share / other.peak_flops)
    return rate.price.times(round(need.hours * longer, 9)), longer


def _named(pattern: str) -> Device | None:
    """Return the GPU that a pattern of the plan names: the only one of the table that it can mean."""
    exact = device_of(pattern)
    if exact is not None:
        return exact
    plain = pattern.strip("*").removeprefix("NVIDIA ").removeprefix("Tesla ").strip()
    like = [one for one in devices() if plain and plain in one.pattern]
    return like[0] if len(like) == 1 else None


def _greener(facts: Facts) -> Option | None:
    """Return what a later start would have saved in carbon, by the factors of the grid."""
    grid = facts.case.ledger.grid
    if grid is None or grid.greenest_kg is None or grid.greenest_start_s is None or grid.greenest_kg > (1 - _WORTH) * grid.carbon_kg:
        return None
    start = facts.case.log.run.started_at
    later = grid.greenest_start_s - start.timestamp() if start is not None else 0.0
    at = datetime.fromtimestamp(grid.greenest_start_s, UTC)
    return Option(
        title="Start at a greener hour",
        does=f"{words.duration(later)} later ({at:%H:%M} UTC) it would have brought {words.mass(grid.greenest_kg)} of CO₂e "
        f"in place of {words.mass(grid.carbon_kg)}, {words.share(1 - grid.greenest_kg / grid.carbon_kg)} less",
        cost=facts.case.ledger.cost,
        cost_note="no saving in money",
        chance=_SAME,
        who="ML engineer",
    )
