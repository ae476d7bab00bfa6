"""Judges the plan's criteria, all at one checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.errors import did_you_mean
from trainreport.model import words
from trainreport.model.decision import Checkpoint, CriterionResult
from trainreport.model.series import direction

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case
    from trainreport.model.curve import Curve
    from trainreport.model.plan import Criterion

__all__ = ["Judgement", "judge"]

_LAST_SHARE = 0.1
"""``mean_last`` is the mean of the last 10 % of evaluations."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The criteria of a run, judged at its best checkpoint."""

    results: tuple[CriterionResult, ...]
    best: Checkpoint | None

    @property
    def mandatory(self) -> list[CriterionResult]:
        """The results that must be met."""
        return [result for result in self.results if result.mandatory]

    @property
    def all_met(self) -> bool:
        """Whether there are mandatory criteria and all are met."""
        return bool(self.mandatory) and all(one.state == "met" for one in self.mandatory)


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """A criterion with its curve, values in the unit of the threshold; or the reason why there is none."""

    criterion: Criterion
    curve: Curve | None
    values: npt.NDArray[np.float64] | None
    reason: str


def judge(case: Case) -> Judgement:
    """Return the criteria of a run, judged at one checkpoint, and that checkpoint.

    The checkpoint is the one where all mandatory criteria are met, the best of these by the first
    criterion; where there is none, the best by the first. Without a measurable criterion it is the best
    of the first series with a known direction on held-out data.
    """
    measured = [_measure(case, criterion) for criterion in case.plan.criteria]
    usable = [one for one in measured if one.values is not None]
    if not usable:
        return Judgement(tuple(_not_measured(one) for one in measured), _best_without_criteria(case))
    step = _checkpoint_step(usable)
    first = usable[0]
    assert first.curve is not None
    best = _checkpoint(first.curve, step)
    return Judgement(tuple(_result(one, step) for one in measured), best)


def _measure(case: Case, criterion: Criterion) -> _Measured:
    import numpy as np

    curve = case.curve(criterion.series, criterion.phase)
    if curve is None:
        return _Measured(criterion, None, None, _missing_series(case, criterion))
    if not np.isfinite(curve.value).any():
        return _Measured(criterion, curve, None, f"{curve.logged} was logged {words.plural(len(curve), 'time')}, never as a number")
    factor, reason = _to_unit_of(criterion, curve)
    if factor is None:
        return _Measured(criterion, None, None, reason)
    return _Measured(criterion, curve, curve.value * factor, reason)


def _missing_series(case: Case, criterion: Criterion) -> str:
    frame = case.log.frame
    there = sorted({str(name) for name in frame.loc[frame["phase"] == criterion.phase, "series"].unique()})
    near = did_you_mean(criterion.series, there)
    logged = f"; logged in that phase: {', '.join(there[:8])}" if there and not near else ""
    return f"no series {criterion.series!r} in phase {criterion.phase!r} was logged{near}{logged}"


def _to_unit_of(criterion: Criterion, curve: Curve) -> tuple[float | None, str]:
    """Return what the logged values are multiplied by to be in the unit of the threshold, and a sentence that says so."""
    factor = criterion.factor(curve)
    if factor is None:
        kind, threshold = ("percent", "a share") if curve.is_percent else ("a share", "percent")
        return None, (
            f"{curve.logged} is logged as {kind}, the threshold {criterion.threshold:g} looks like {threshold}; "
            f'say unit = "share" or unit = "percent" in the plan'
        )
    if factor == 1:
        return factor, ""
    return factor, "logged in percent, read as a share" if factor < 1 else "logged as a share, read in percent"


def _not_measured(one: _Measured) -> CriterionResult:
    never_a_number = one.curve is not None
    return CriterionResult(
        id=one.criterion.id,
        state="missed" if never_a_number else "not-measured",
        value=None,
        threshold=one.criterion.threshold,
        comparator=one.criterion.comparator,
        step=None,
        reason=one.reason,
        mandatory=one.criterion.mandatory,
    )


def _checkpoint_step(usable: list[_Measured]) -> int:
    """Return the step at which everything is judged."""
    import numpy as np

    first = usable[0]
    assert first.curve is not None
    assert first.values is not None
    steps, values = first.curve.step, first.values
    finite = np.isfinite(values)
    if first.criterion.statistic != "best":
        return int(steps[finite][-1])
    score = np.where(finite, first.criterion.sign * values, -np.inf)
    meets = finite.copy()
    for one in usable:
        if one.criterion.mandatory and one.criterion.statistic == "best":
            meets &= np.array([one.criterion.met_by(value) for value in _values_at(one, steps)])
    pool = meets if meets.any() else finite
    return int(steps[int(np.argmax(np.where(pool, score, -np.inf)))])


def _values_at(one: _Measured, steps: npt.NDArray[np.int64]) -> list[float]:
    """Return the value at each step; those of a curve that was evaluated at just these steps are its own."""
    import numpy as np

    assert one.curve is not None
    assert one.values is not None
    if np.array_equal(one.curve.step, steps) and (np.diff(steps) > 0).all() and np.isfinite(one.values).all():
        return [float(value) for value in one.values.tolist()]
    return [_value_at(one, int(step)) for step in steps]


def _value_at(one: _Measured, step: int) -> float:
    """Return the finite value evaluated nearest to `step`, the earlier of two as near."""
    import numpy as np

    assert one.curve is not None
    assert one.values is not None
    finite = np.isfinite(one.values)
    distance = np.abs(one.curve.step[finite] - step)
    return float(one.values[finite][int(np.argmin(distance))])


def _result(one: _Measured, step: int) -> CriterionResult:
    import numpy as np

    if one.values is None or one.curve is None:
        return _not_measured(one)
    criterion = one.criterion
    finite = np.isfinite(one.values)
    values, steps = one.values[finite], one.curve.step[finite]
    seen = f"{words.plural(len(values), 'evaluation')} of {one.curve.logged}"
    at: int | None
    if criterion.statistic == "best":
        position = int(np.argmin(np.abs(steps - step)))
        value, at = float(values[position]), int(steps[position])
        confirmed = criterion.met_by(_median_around(values, position))
        how = f"best of {seen}, at step {words.count(at)}"
    elif criterion.statistic == "final":
        value, at, confirmed = float(values[-1]), int(steps[-1]), True
        how = f"last of {seen}, at step {words.count(at)}"
    else:
        last = max(1, round(len(values) * _LAST_SHARE))
        value, at, confirmed = float(values[-last:].mean()), int(steps[-1]), True
        how = f"mean of the last {last} of {seen}, up to step {words.count(at)}"
    met = criterion.met_by(value)
    return CriterionResult(
        id=criterion.id,
        state="met" if met else "missed",
        value=value,
        threshold=criterion.threshold,
        comparator=criterion.comparator,
        step=at,
        reason=f"{how}; {one.reason}" if one.reason else how,
        mandatory=criterion.mandatory,
        confirmed=confirmed or not met,
    )


def _median_around(values: npt.NDArray[np.float64], position: int) -> float:
    """Return the median of a value and its two nearest neighbours."""
    import numpy as np

    start = min(max(position - 1, 0), max(len(values) - 3, 0))
    return float(np.median(values[start : start + 3]))


def _checkpoint(curve: Curve, step: int) -> Checkpoint:
    import numpy as np

    position = int(np.flatnonzero(curve.step == step)[0])
    epoch, time = float(curve.epoch[position]), float(curve.time_s[position])
    return Checkpoint(
        step=step,
        epoch=epoch if np.isfinite(epoch) else None,
        time_s=time if np.isfinite(time) else None,
        series=curve.series,
        phase=curve.phase,
        value=float(curve.value[position]),
        last_step=int(curve.step[-1]),
        evaluations=int(np.isfinite(curve.value).sum()),
    )


def _best_without_criteria(case: Case) -> Checkpoint | None:
    """Return the best point of the first held-out series with a known direction, None where there is none."""
    import numpy as np

    for series in case.quality_series():
        curve = case.held_out(series)
        if curve is None or not np.isfinite(curve.value).any():
            continue
        score = np.where(np.isfinite(curve.value), direction(series) * curve.value, -np.inf)
        return _checkpoint(curve, int(curve.step[int(np.argmax(score))]))
    return None
