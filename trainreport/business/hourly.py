"""Carbon of a run by the grid's factor of each hour, and what a greener start would have brought."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.energy import running_total
from trainreport.business.grid import chosen
from trainreport.model import words
from trainreport.model.ledger import GridCarbon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.business.energy import Running
    from trainreport.business.grid import Factors, Grid
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = ["by_hour", "summed"]

_WINDOW_S = 24 * 3600.0
"""A start is put off by a day at most: the work was there, and it cannot be done before it was."""
_LEAST_WINDOW_S = 6 * 3600.0
"""Where the file or the deadline leaves less than that, nothing is said of greener starts."""
_COVERED = 0.95
"""Share of the energy whose hours the file must have."""


class _Carbon(NamedTuple):
    """Carbon by hours, PUE not included."""

    grams: float
    covered: float
    """Share of the energy whose hours the file has."""


def by_hour(log: RunLog, joules: float, plan: Plan, grid: Grid) -> GridCarbon | str:
    """Return the carbon of a run hour by hour, or why it cannot be told.

    Parameters
    ----------
    log : RunLog
    joules : float
        The energy of the run, PUE not included.
    plan : Plan
        Its region, average factor, PUE and deadline.
    grid : Grid

    Raises
    ------
    UsageError
        If the file has several regions and the plan names none of them.
    """
    region, factors = chosen(grid, plan.rates.grid_region)
    course = running_total(log, joules)
    if course is None:
        return "the run has no times"
    here = _carbon(course, factors, 0.0)
    if here.covered < _COVERED:
        return f"{grid.file} has the hours of {words.share(here.covered)} of the energy only"
    pue, kwh = plan.rates.pue, joules / 3.6e6
    measured = float(course.joules[-1] - course.joules[0]) / 3.6e6
    factor = here.grams / (measured * here.covered)
    average = plan.rates.carbon_g_per_kwh
    average = _mean(course, factors) if average is None else average
    greenest = _greenest(course, factors, here, plan)
    kilograms = factor * kwh * pue / 1000
    return GridCarbon(
        file=grid.file,
        region=region,
        g_per_kwh=factor,
        average_g_per_kwh=average,
        carbon_kg=kilograms,
        average_kg=average * kwh * pue / 1000,
        greenest_kg=None if isinstance(greenest, str) else kilograms * greenest.ratio,
        greenest_start_s=None if isinstance(greenest, str) else float(course.time_s[0]) + greenest.shift_s,
        window_s=0.0 if isinstance(greenest, str) else greenest.window_s,
        why=greenest if isinstance(greenest, str) else _why(course, greenest),
        elsewhere=_elsewhere(course, grid, region, kwh * pue),
    )


def summed(found: Sequence[GridCarbon | None]) -> GridCarbon | None:
    """Return the carbon of several runs together; None where one of them has none."""
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    if len(known) == 1:
        return known[0]
    kwh = sum(one.carbon_kg / one.g_per_kwh for one in known if one.g_per_kwh > 0)
    kilograms, average = sum(one.carbon_kg for one in known), sum(one.average_kg for one in known)
    greener = [one.greenest_kg for one in known if one.greenest_kg is not None]
    told = len(greener) == len(known)
    return GridCarbon(
        file=known[0].file,
        region=known[0].region,
        g_per_kwh=kilograms / kwh if kwh else 0.0,
        average_g_per_kwh=average / kwh if kwh else 0.0,
        carbon_kg=kilograms,
        average_kg=average,
        greenest_kg=sum(greener) if told else None,
        greenest_start_s=None,
        window_s=min(one.window_s for one in known),
        why="each run put off on its own" if told else next(one.why for one in known if one.greenest_kg is None),
    )


class _Greenest(NamedTuple):
    """The best start of the window."""

    shift_s: float
    ratio: float
    """Its carbon, in multiples of that of the true start."""
    window_s: float
    starts: int


def _carbon(course: Running, factors: Factors, shift_s: float) -> _Carbon:
    """Return the carbon of a run that began `shift_s` later."""
    import numpy as np

    first, last = np.searchsorted(factors.end_s, course.time_s[0] + shift_s), np.searchsorted(factors.start_s, course.time_s[-1] + shift_s)
    start, end = factors.start_s[first:last], factors.end_s[first:last]
    part = np.interp(end - shift_s, course.time_s, course.joules) - np.interp(start - shift_s, course.time_s, course.joules)
    whole = float(course.joules[-1] - course.joules[0])
    return _Carbon(float((part * factors.g_per_kwh[first:last]).sum()) / 3.6e6, float(part.sum()) / whole if whole > 0 else 0.0)


def _mean(course: Running, factors: Factors) -> float:
    """Return the mean factor over the time of a run, whatever it drew."""
    import numpy as np

    length = np.clip(np.minimum(factors.end_s, course.time_s[-1]) - np.maximum(factors.start_s, course.time_s[0]), 0.0, None)
    return float((length * factors.g_per_kwh).sum() / length.sum())


def _greenest(course: Running, factors: Factors, here: _Carbon, plan: Plan) -> _Greenest | str:
    """Return the greenest start in the window, at the steps of the file, or why none can be told."""
    import numpy as np

    step = max(300.0, float(np.median(factors.end_s - factors.start_s)))
    latest = _WINDOW_S
    if plan.budget.deadline is not None:
        latest = min(latest, plan.budget.deadline.timestamp() - float(course.time_s[-1]))
        if latest < _LEAST_WINDOW_S:
            return f"the deadline left {words.duration(max(latest, 0.0))} to put the start off"
    found = [(0.0, here.grams / here.covered)]
    for shift in np.arange(step, latest + 1.0, step):
        later = _carbon(course, factors, float(shift))
        if later.covered < _COVERED:
            break
        found.append((float(shift), later.grams / later.covered))
    window = found[-1][0]
    if window < _LEAST_WINDOW_S - step:
        return f"{words.duration(window)} of later starts are in the file, {words.duration(_LEAST_WINDOW_S)} are asked for"
    shift, grams = min(found, key=lambda one: one[1])
    whole = found[0][1]
    return _Greenest(shift, grams / whole if whole > 0 else 1.0, window, len(found))


def _why(course: Running, greenest: _Greenest) -> str:
    drawn = "with the power as measured" if course.measured else "with the energy spread evenly over the run"
    return (
        f"the same run {drawn}, put off by {words.duration(greenest.window_s)} at most; the best of {greenest.starts} starts, "
        "known only afterwards"
    )


def _elsewhere(course: Running, grid: Grid, region: str, kwh: float) -> tuple[str, float] | None:
    """Return the greenest other region of the file at the hours of the run, and kilograms there."""
    there = [(name, _carbon(course, factors, 0.0)) for name, factors in grid.regions.items() if name != region]
    whole = float(course.joules[-1] - course.joules[0]) / 3.6e6
    known = [(one.grams / one.covered / whole * kwh / 1000, name) for name, one in there if one.covered >= _COVERED]
    return (min(known)[1], min(known)[0]) if known else None
