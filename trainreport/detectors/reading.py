"""What several detectors read from curves: the finite part, common axes, evidence, and what was spent after a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Evidence, Waste
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Criterion

    Array = npt.NDArray[np.float64]

__all__ = [
    "best",
    "chance_of",
    "evidence",
    "finite",
    "held_out_first",
    "in_unit_of",
    "is_loss",
    "losses_of",
    "meets",
    "since",
    "sound_part",
    "training",
    "turned",
    "waste_after",
]

_LOSS_LIKE = frozenset({"loss", "perplexity", "kl", "elbo", "log_likelihood"})
"""What training minimises, in other words; everything else with a direction is what the model is wanted for."""
_SAME_STEPS = 2
"""Last steps within this factor count the same thing."""


def finite(curve: Curve) -> Curve:
    """Return the curve without the values that are not finite."""
    import numpy as np

    keep = np.isfinite(curve.value)
    return curve if keep.all() else curve.part(keep)


def sound_part(curve: Curve) -> Curve:
    """Return the curve before its first value that is not finite; leading ones are set aside."""
    import numpy as np

    good = np.isfinite(curve.value)
    if good.all():
        return curve
    first = int(np.argmax(good)) if good.any() else len(curve)
    broken = np.flatnonzero(~good[first:])
    end = first + int(broken[0]) if len(broken) else len(curve)
    return curve.part(slice(first, end))


def best(curve: Curve) -> float:
    """Return the best value of a finite curve with a direction."""
    return float(curve.value.max() if curve.direction > 0 else curve.value.min())


def meets(criterion: Criterion, curve: Curve, value: float) -> bool:
    """Return whether a value of a curve meets a criterion, within its tolerance."""
    target, slack = (in_unit_of(curve, criterion, given) for given in (criterion.threshold, criterion.tolerance))
    return criterion.sign * (value - target) >= -slack - 1e-12 * abs(target)


def chance_of(case: Case, curve: Curve) -> float | None:
    """Return what guessing gives by the plan, in the unit of the curve: guessing is the same on whichever data."""
    for one in sorted(case.plan.criteria, key=lambda one: one.phase != curve.phase):
        named = case.curve(one.series, one.phase)
        if one.chance is not None and curve.series == (one.series if named is None else named.series):
            return in_unit_of(curve, one, one.chance)
    return None


@remembered
def held_out_first(case: Case) -> list[Curve]:
    """Return the finite curves on held-out data: those of the plan's criteria, then the loss, then metrics."""
    planned = [case.curve(one.series, one.phase) for one in case.plan.criteria if one.phase != "train"]
    return _usable([*planned, *(case.held_out(name) for name in case.quality_series())])


@remembered
def training(case: Case) -> list[Curve]:
    """Return the finite curves on training data, the loss first."""
    return _usable([case.curve(name, "train") for name in case.training_series()])


def _usable(curves: list[Curve | None]) -> list[Curve]:
    whole = [finite(curve) for curve in curves if curve is not None and curve.direction]
    return [curve for curve in whole if len(curve)]


def turned(curve: Curve) -> Array:
    """Return the values with the sign that makes lower better."""
    return curve.value if curve.direction < 0 else -curve.value


def is_loss(series: str) -> bool:
    """Return whether a series is a loss or says the same: perplexity, ELBO, log-likelihood."""
    return series.split("/", maxsplit=1)[0] in _LOSS_LIKE


def losses_of(names: list[str]) -> list[str]:
    """Return the loss that decides: the whole one if it was logged, else its parts."""
    losses = [name for name in names if is_loss(name)]
    return ["loss"] if "loss" in losses else losses


def since(other: Curve, curve: Curve, at: int) -> Curve:
    """Return the part of `other` from the point `at` of `curve` on; without points where no axis is common.

    By step where both count steps in the same way, else by time, else by epoch; never by position.
    """
    import numpy as np

    for name in _axes(other, curve):
        mine, theirs = getattr(curve, name), getattr(other, name)
        if np.isfinite(mine).all() and np.isfinite(theirs).all() and np.ptp(mine) > 0:
            return other.part(theirs >= mine[at])
    return other.part(slice(0))


def _axes(one: Curve, two: Curve) -> list[str]:
    """Return the axes to try; steps that count epochs here and batches there end far apart and are none."""
    if one.has_step and two.has_step and len(one) and len(two):
        ends = sorted((abs(int(one.step[-1])), abs(int(two.step[-1]))))
        if ends[1] <= _SAME_STEPS * ends[0]:
            return ["step", "time_s", "epoch"]
    return ["time_s", "epoch"]


def evidence(
    curve: Curve,
    statistic: str,
    value: float,
    method: str,
    *,
    unit: str | None = None,
    low: float | None = None,
    high: float | None = None,
    first: int = 0,
    last: int = -1,
) -> Evidence:
    """Return evidence from a curve, with where it stands filled in; `first` and `last` are positions."""
    import numpy as np

    times = [None if not len(curve) or np.isnan(curve.time_s[at]) else float(curve.time_s[at]) for at in (first, last)]
    steps = [int(curve.step[at]) if curve.has_step and len(curve) else None for at in (first, last)]
    return Evidence(
        statistic=statistic,
        value=float(value),
        unit=curve.unit if unit is None else unit,
        method=method,
        n=len(curve),
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        from_step=steps[0],
        to_step=steps[1],
        from_time_s=times[0],
        to_time_s=times[1],
        file=curve.file or None,
    )


def waste_after(case: Case, curve: Curve, at: int | None = None) -> Waste:
    """Return what was spent after a point of a curve: steps, share of the run's time, GPU-seconds if they are known.

    The run begins before its first evaluation (see `_began`); without a point all of it counts.
    """
    import numpy as np

    timed = bool(np.isfinite(curve.time_s).all() and np.ptp(curve.time_s) > 0)
    axis = curve.time_s if timed else curve.step.astype(np.float64)
    first_step, first = _began(case, curve, timed)
    extent = float(axis[-1]) - first
    share = float(axis[-1] - (first if at is None else axis[at])) / extent if extent > 0 else 0.0
    share = min(1.0, max(0.0, share))
    hours = case.ledger.gpu_hours
    return Waste(
        gpu_s=None if hours is None else hours * 3600 * share,
        steps=int(curve.step[-1] - (first_step if at is None else curve.step[at])) if curve.has_step else None,
        share_of_run=share,
    )


def _began(case: Case, curve: Curve, timed: bool) -> tuple[float, float]:
    """Return the step that a run began with, and when or with which step it began by the axis that counts.

    That is a usual interval before the first point, but not before step 0; earlier where the log says so.
    """
    import numpy as np

    step, time = curve.step.astype(np.float64), curve.time_s
    gaps = np.diff(step)
    usual = float(np.median(gaps)) if len(gaps) else 0.0
    first = float(step[0]) - usual
    if curve.has_step:
        first = min(float(step[0]), max(0.0, first))
    if not timed:
        return first, first
    told = case.log.run.started_at
    pace = float(np.median(np.diff(time) / gaps))
    began = float(time[0]) - (float(step[0]) - first) * max(0.0, pace)
    return first, began if told is None else min(began, told.timestamp())


def in_unit_of(curve: Curve, criterion: Criterion, value: float) -> float:
    """Return a value of a criterion in the unit that the curve was logged in."""
    factor = criterion.factor(curve) or 1.0
    return value * 100 if factor == 0.01 else value / factor  # dividing by 0.01 would round: 0.47 would not be 47 %
