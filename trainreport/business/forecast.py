"""Whether a run will reach its target within budget and deadline, and where it will end.

A fitted model answers, shipped as arrays in ``forecast_model.json`` with a card that says what it was fitted on and how well
it did on problems that it had not seen. Past runs of the same task correct the chance. It declines rather than guess.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.business.horizon import horizon
from trainreport.model import words
from trainreport.model.curve import Curve, curve
from trainreport.model.ledger import Forecast
from trainreport.model.memo import remembered
from trainreport.stats.progress import FEWEST, progress
from trainreport.stats.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from trainreport.business.horizon import Horizon
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Criterion, Plan
    from trainreport.model.run import RunLog
    from trainreport.stats.progress import Progress

    Array = npt.NDArray[np.float64]

__all__ = ["FLOOR", "LEVELS", "MODEL", "STEEPNESS", "Past", "bounds", "card", "corrected", "forecast", "unlikeness"]

MODEL = files("trainreport.business") / "forecast_model.json"
LEVELS = (0.1, 0.5, 0.9)
"""Quantiles that are fitted: the ends of an 80 % interval and its middle."""
STEEPNESS = 0.01
"""What is still to come is fitted as the inverse hyperbolic sine of itself, divided by this and by the scale of the
curve: as it is where it is small, by its order of magnitude where it is large."""
FLOOR = 0.3
"""A lower end below this, on that scale, is no further gain at all."""
EARLIEST = 0.05
"""Share of the budget before which no model was fitted."""
FINISHED = 0.9
"""A past run that used this much of the budget without reaching the target is taken not to reach it."""
BANDWIDTH = 0.3
"""How unlike, in logarithms of the distance to the target, a past run may be before it hardly counts."""
OWN_WEIGHT = 4.0
"""Past runs that the curve's own evidence weighs as much as."""
_NEAR = 1e-3
"""Share of the way to the target below which distances are alike."""
_NORMAL_90 = 1.281552
_FURTHEST = 9.0
"""What is still to come is at most 40 times the scale of the curve, whatever the trees add up to."""


class Past(NamedTuple):
    """A run of the same task up to a moment or to its end; score turned so that higher is better."""

    used: Array
    """Share of the budget at each evaluation."""
    best: Array
    """Best score up to each evaluation."""
    target: float
    reached_at: float
    """Share of the budget at which the target was reached; infinite where it was not within it."""

    @classmethod
    def of(cls, used: Array, score: Array, target: float) -> Past:
        """Return the past of a run."""
        import numpy as np

        met = used[(score >= target) & (used <= 1)]
        return cls(used, np.maximum.accumulate(score), target, float(met[0]) if len(met) else math.inf)

    @property
    def known(self) -> bool:
        """Whether the outcome is: the target was reached, or the run went on to near the end of the budget."""
        return math.isfinite(self.reached_at) or float(self.used[-1]) >= FINISHED

    def at(self, used: float) -> float:
        """Return the best score at a share of the budget."""
        return float(self.best[max(0, int(self.used.searchsorted(used, "right")) - 1)])


def card() -> dict[str, Any]:
    """Return what the model was fitted on, its calibration and its figures on problems held out."""
    return dict(_model()["card"])


def forecast(
    log: RunLog, plan: Plan, *, ledger: Ledger | None, history: Sequence[RunLog] = (), as_of: datetime | None = None
) -> tuple[Forecast | None, str]:
    """Return the forecast for the plan's first mandatory criterion, and its basis; or None and the reason.

    Parameters
    ----------
    log : RunLog
    plan : Plan
    ledger : Ledger or None
        What the run took so far.
    history : sequence of RunLog
        Other runs of the same task; those whose end is known correct the chance.
    as_of : datetime or None
        What stands for now; without it the end of the log.
    """
    criterion = next((one for one in plan.criteria if one.mandatory), None)
    if criterion is None:
        return None, "not forecast: the plan has no mandatory criterion"
    seen = _seen(log, criterion)
    if isinstance(seen, str):
        return None, f"not forecast: {seen}"
    course, score = seen
    end = horizon(course, log.run, plan, ledger, as_of)
    used = None if end is None else end.used(course, log.run)
    if end is None or used is None:
        return None, "not forecast: the plan sets no budget, deadline, steps or epochs that the log can be measured by"
    now = float(used[-1])
    if now >= 1:
        return None, f"not forecast: {end.name} are used up" if end.axis != "time_s" else f"not forecast: {end.name} is used up"
    if now < EARLIEST:
        return None, f"not forecast: only {words.share(now)} of {end.name} is used; from {words.share(EARLIEST)} on it can be"
    past = list(_known(history, log, criterion, end))
    told, basis = _told(criterion, used, score, end, past)
    return (None if told is None else _within(told, *_natural(criterion, course, score * criterion.sign))), basis


def _told(criterion: Criterion, used: Array, score: Array, end: Horizon, past: list[Past]) -> tuple[Forecast | None, str]:
    """Return the forecast from a curve in the unit of the criterion, sign turned, and its basis."""
    import numpy as np

    target, best = _target(criterion), criterion.statistic == "best"
    standing = progress(np.maximum(used, 1e-9), score, target)
    now = np.array([standing.best if best else standing.last])
    fitted = _model()["best" if best else "final"]
    said = fitted["trees"].predict(standing.features[None])
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is declined below
        ends = bounds(said, fitted["widen"], now, np.array([standing.scale]), best=best)[0]
    if not np.isfinite(ends).all():
        return None, "not forecast: the values are too large to be reckoned with"
    if best:
        chance, why = _chance(standing, Past.of(used, score, target), past)
    else:
        chance, why = _inside(ends, target), "chance read off the interval"
    low, mid, high = sorted(float(criterion.sign * value) for value in ends)
    basis = f"from {words.plural(len(used), 'evaluation')} over {words.share(float(used[-1]))} of {end.name}; {why}"
    method = "boosted trees fitted on public training runs, checked on problems that were left out"
    return Forecast(criterion.id, criterion.threshold, chance, low, mid, high, end.at_step, end.at_time_s, method), basis


def _chance(standing: Progress, run: Past, past: list[Past]) -> tuple[float, str]:
    """Return the chance that the target is reached by the end, and how it is known."""
    if standing.best >= run.target:
        return 1.0, "the target is reached"
    odds = float(_model()["event"].predict(standing.features[None])[0, 0])
    chance = 1 / (1 + math.exp(-odds))
    if not past:
        return chance, "no past run of the same task is at hand"
    return corrected(chance, *unlikeness(run, past)), f"{words.plural(len(past), 'past run')} of the same task corrected the chance"


def unlikeness(run: Past, past: Iterable[Past]) -> tuple[Array, Array]:
    """Return how far past runs stood from this one at the same share of the budget, and whether each reached the target later.

    Parameters
    ----------
    run : Past
        Up to now, target not reached.
    past : iterable of Past
        With known outcome; those that had reached the target by now tell nothing and are left out.

    Returns
    -------
    unlike : ndarray
        Squared difference of the logarithms of the distance to the target, now and, at half weight, at half of the time.
    reached : ndarray
        1 or 0.
    """
    import numpy as np

    now, extent = float(run.used[-1]), run.target - float(run.best[0])
    mine = [math.log((run.target - run.at(at)) / extent + _NEAR) for at in (now, now / 2)]
    found = []
    for one in past:
        if one.reached_at > now:
            whole, half = (math.log(max(one.target - one.at(at), 0.0) / extent + _NEAR) for at in (now, now / 2))
            found.append(((whole - mine[0]) ** 2 + (half - mine[1]) ** 2 / 2, float(math.isfinite(one.reached_at))))
    unlike, reached = np.array(found).reshape(-1, 2).T
    return unlike, reached


def corrected(chance: float, unlike: Array, reached: Array, bandwidth: float = BANDWIDTH, own_weight: float = OWN_WEIGHT) -> float:
    """Return a chance corrected by past runs: the mean of a beta distribution that began at the chance."""
    import numpy as np

    alike = np.exp(-unlike / (2 * bandwidth**2))
    return float((own_weight * chance + alike @ reached) / (own_weight + alike.sum()))


def bounds(said: Array, widen: float, now: Array, scale: Array, *, best: bool) -> Array:
    """Return (low, mid, high) of the score at the end for each row.

    Parameters
    ----------
    said : ndarray, shape (rows, 3)
        Quantiles of what is still to come, as fitted.
    widen : float
        By how much the ends are moved apart, so that the interval holds what it says on problems not fitted on.
    now, scale : ndarray, shape (rows,)
        Where the score stands, and its scale.
    best : bool
        Whether the score is the best so far, which cannot fall.
    """
    import numpy as np

    low, mid, high = np.sort(said, axis=1).T
    fixed = (low < FLOOR) & best
    low, high = np.where(fixed, low, np.minimum(low - widen, mid)), np.where(fixed, high, np.maximum(high + widen, mid))
    moved = np.clip(np.stack([low, mid, high], axis=1), -_FURTHEST, _FURTHEST)
    if best:
        moved = np.maximum(moved, 0.0)
        moved[fixed, 0] = 0.0
    ends: Array = now[:, None] + np.sinh(moved) * STEEPNESS * scale[:, None]
    return ends


def _within(told: Forecast, least: float, most: float) -> Forecast:
    """Return a forecast whose ends lie within the natural range; the chance stays as it is."""
    return replace(told, **{name: min(max(getattr(told, name), least), most) for name in ("low", "mid", "high")})


def _natural(criterion: Criterion, course: Curve, values: Array) -> tuple[float, float]:
    """Return between what the values of a series can lie, in the unit of the criterion; never narrower than what was logged.

    A share lies between none and all. A loss or an error that was above 0 at each evaluation, with a target that is not
    below it, is taken not to fall below 0.
    """
    if course.is_share:
        percent = course.is_percent if criterion.unit == "as logged" else criterion.unit == "percent"
        return min(0.0, float(values.min())), max(100.0 if percent else 1.0, float(values.max()))
    positive = course.direction < 0 and float(values.min()) > 0 and criterion.threshold >= 0
    return 0.0 if positive else -math.inf, math.inf


def _inside(ends: Array, target: float) -> float:
    """Return the chance of an end at or above a target: a normal distribution on either side of the middle."""
    low, mid, high = (float(one) for one in ends)
    side = max(high - mid if target > mid else mid - low, 1e-12 * max(1.0, abs(mid)))
    return 0.5 * math.erfc((target - mid) / side * _NORMAL_90 / math.sqrt(2))


def _target(criterion: Criterion) -> float:
    return criterion.sign * criterion.threshold - criterion.tolerance


def _known(history: Sequence[RunLog], log: RunLog, criterion: Criterion, end: Horizon) -> Iterator[Past]:
    """Yield the past runs whose end is known: they reached the target, or went on to near the end of the budget."""
    for other in history:
        seen = None if other.run.id == log.run.id else _seen(other, criterion)
        if seen is None or isinstance(seen, str):
            continue
        used = end.used(seen[0], other.run)
        if used is None:
            continue
        past = Past.of(used, seen[1], _target(criterion))
        if past.known:
            yield past


@remembered
def _seen(log: RunLog, criterion: Criterion) -> tuple[Curve, Array] | str:
    """Return the evaluations with their score in the unit of the criterion, sign turned so that higher is better; or why not."""
    import numpy as np

    course = curve(log, criterion.series, criterion.phase, criterion.series)
    if course is None:
        return f"no series {criterion.series!r} in phase {criterion.phase!r} was logged"
    if not np.isfinite(course.value[-1:]).all():
        return f"{course.logged} ends in a value that is not a number"
    good = np.isfinite(course.value)
    if good.sum() < FEWEST:
        return f"{course.logged} has {words.plural(int(good.sum()), 'evaluation')}, a forecast takes {FEWEST}"
    course = course.part(good)
    factor = criterion.factor(course)
    if factor is None:
        return f"{course.logged} and its threshold differ in unit; the plan does not say which is in percent"
    if np.ptp(course.value) == 0:
        return f"{course.logged} has the same value at every evaluation"
    return course, course.value * factor * criterion.sign


@cache
def _model() -> dict[str, Any]:
    data = json.loads(MODEL.read_text(encoding="utf-8"))
    quantiles = {name: {"trees": Trees.parse(data[name]), "widen": data[name]["widen"]} for name in ("best", "final")}
    return {"card": data["card"], "event": Trees.parse(data["event"]), **quantiles}
