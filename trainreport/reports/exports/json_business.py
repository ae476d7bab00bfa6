"""Business figures as plain dictionaries: capacity, lineage, what a run took up to its marks, courses with their price."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trainreport.business.capacity import NextRun, capacity
from trainreport.business.lineage import lineage
from trainreport.business.profiled import profiled
from trainreport.model import clock

if TYPE_CHECKING:
    from trainreport.business.capacity import Spread
    from trainreport.model.decision import Assessment, Option, RunAssessment
    from trainreport.model.ledger import Course, GridCarbon, Taken
    from trainreport.model.money import Money

__all__ = ["capacity_of", "course_of", "grid_of", "instant", "lineage_of", "money", "number", "option_of", "profile_of", "redactions_of"]


def capacity_of(assessment: Assessment) -> dict[str, Any]:
    """Return busy, idle and unseen GPU-hours by day, team and device, sharing, waits, and what the next run needs."""
    leading = assessment.leading
    rest = [run for run in assessment.runs if run is not leading]
    found = capacity([(run.log, run.ledger) for run in (leading, *rest)], assessment.plan)
    return {
        "uses": [
            {
                "day": None if use.day is None else use.day.isoformat(),
                "team": use.team or None,
                "node": use.node,
                "device": use.device,
                "model": use.model,
                "busy_h": number(use.busy_h),
                "idle_h": number(use.idle_h),
                "unseen_h": number(use.unseen_h),
            }
            for use in found.uses
        ],
        "shared": [{"node": one.node, "device": one.device, "hours": number(one.hours), "runs": list(one.runs)} for one in found.shared],
        "owners": [
            {
                "team": one.team or None,
                "project": one.project or None,
                "runs": one.runs,
                "gpu_hours": number(one.gpu_hours),
                "cost": money(one.cost),
            }
            for one in found.owned
        ],
        "queue_waits": [{"run": name, "seconds": number(seconds)} for name, seconds in found.waits],
        "next_run": _next_run(found.next_run),
    }


def profile_of(run: RunAssessment) -> dict[str, Any] | None:
    """Return what profilers recorded of a run, each measure by process and GPU, the worst first; None without a profile."""
    found = profiled(run.log)
    if found is None:
        return None
    return {
        "steps": found.steps,
        "seconds": number(found.seconds),
        "measures": [
            {
                "name": measure.name,
                "unit": measure.unit,
                "told": [
                    {**one._asdict(), "median": number(one.median), "low": number(one.low), "high": number(one.high)}
                    for one in measure.told
                ],
            }
            for measure in found.measures
        ],
    }


def redactions_of(assessment: Assessment) -> list[dict[str, Any]]:
    """Return each pseudonym with its kind and how often it was put in; empty where nothing was removed."""
    return [] if assessment.redaction is None else [one._asdict() for one in assessment.redaction.removed]


def _next_run(found: NextRun | str) -> dict[str, Any]:
    if isinstance(found, str):
        return {"known": False, "reason": found}
    return {
        "known": True,
        "kind": found.kind,
        "runs": found.runs,
        "chance_inside": number(found.inside),
        "gpu_hours": _spread(found.gpu_hours),
        "wall_s": _spread(found.wall_s),
        "memory_bytes": _spread(found.memory_bytes),
        "cost": None if found.cost is None else dict(zip(("low", "mid", "high"), map(money, found.cost), strict=True)),
    }


def _spread(found: Spread | None) -> dict[str, float | None] | None:
    return None if found is None else {"low": number(found.low), "mid": number(found.mid), "high": number(found.high)}


def lineage_of(assessment: Assessment) -> dict[str, Any] | None:
    """Return training compute over the lineage beside the dated thresholds."""
    found = lineage([(run.log.run, run.ledger) for run in assessment.runs], assessment.plan)
    if found is None:
        return None
    return {
        "flop": found.flop,
        "upper_bound": found.bound,
        "runs": found.runs,
        "runs_unknown": found.unknown,
        "before": [{"name": one.name, "flop": one.flop, "source": one.source} for one in found.before],
        "method": found.method,
        "thresholds": [
            {"flop": one.flop, "name": one.name, "jurisdiction": one.jurisdiction, "since": one.since.isoformat(), "share": number(share)}
            for one, share in found.beside()
        ],
    }


def course_of(course: Course) -> dict[str, Any]:
    """Return what a run took up to its marks, and will have taken at its end."""
    whole = course.at_completion
    ends = None if whole is None else {"low": _taken(whole.low), "mid": _taken(whole.mid), "high": _taken(whole.high)}
    return {
        "to_convergence": _taken(course.to_convergence),
        "to_best": _taken(course.to_best),
        "at_completion": ends,
        "basis": dict(course.why),
    }


def _taken(one: Taken | None) -> dict[str, Any] | None:
    return None if one is None else {"wall_s": number(one.wall_s), "gpu_hours": number(one.gpu_hours), "cost": money(one.cost)}


def grid_of(grid: GridCarbon | None) -> dict[str, Any] | None:
    """Return carbon by the factor of each hour."""
    if grid is None:
        return None
    there = None if grid.elsewhere is None else {"region": grid.elsewhere[0], "carbon_kg": number(grid.elsewhere[1])}
    return {
        "file": grid.file,
        "region": grid.region or None,
        "g_per_kwh": number(grid.g_per_kwh),
        "average_g_per_kwh": number(grid.average_g_per_kwh),
        "average_carbon_kg": number(grid.average_kg),
        "greenest_carbon_kg": number(grid.greenest_kg),
        "greenest_start": instant(grid.greenest_start_s),
        "window_s": number(grid.window_s),
        "greenest_basis": grid.why,
        "elsewhere": there,
    }


def option_of(option: Option) -> dict[str, Any]:
    """Return a course with its price."""
    return {
        "title": option.title,
        "does": option.does,
        "cost": money(option.cost),
        "cost_note": option.cost_note,
        "saves": money(option.saves),
        "saves_note": option.saves_note,
        "chance": option.chance,
        "owner": option.who,
        "recommended": option.recommended,
        "advised": option.advised,
    }


def money(money: Money | None) -> dict[str, str] | None:
    """Return an amount in plain decimal, with its currency."""
    return None if money is None else {"amount": money.plain(), "currency": money.currency}


def number(value: float | None) -> float | None:
    """Return a finite number, free of the last noisy digits of its computation."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.12g}")


def instant(seconds: float | None) -> str | None:
    """Return ISO 8601 of seconds since 1970."""
    return None if seconds is None or not math.isfinite(seconds) else clock.iso(datetime.fromtimestamp(seconds, UTC))
