"""A search over settings: of what kind it is, and what ending poor runs early would have spared."""

from __future__ import annotations

from bisect import bisect_left
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trainreport.model.case import Sibling

__all__ = ["kind_of_search", "replay"]

_FEW = 0.5
"""A grid has fewer values of each setting than half its runs."""


def kind_of_search(runs: Sequence[Sibling], settings: Mapping[str, set[str]]) -> str:
    """Return ``grid search`` where all combinations of few values were tried, else ``search``.

    Random and Bayesian searches both draw values that hardly repeat: their values do not tell them apart.
    """
    combinations = {tuple(one.params.get(name, "") for name in settings) for one in runs}
    few = all(len(values) <= max(2, _FEW * len(runs)) for values in settings.values())
    return "grid search" if few and len(combinations) == prod(len(values) for values in settings.values()) else "search"


def replay(runs: Sequence[Sibling], sign: int, from_share: float) -> list[float]:
    """Return at which share of its length the median stopping rule would have ended each run, 1 where never.

    Parameters
    ----------
    runs : sequence of Sibling
        Each with a course.
    sign : int
        +1 where higher is better.
    from_share : float
        Share of the longest run before which none is ended.

    References
    ----------
    Golovin et al., Google Vizier, KDD 2017, section 3.2: here with the best value so far, not the running mean.
    """
    first = from_share * max(one.course[-1][0] for one in runs)
    steps = {step for one in runs for step, _ in one.course[:-1] if step >= first}
    reached = {step: sorted(value for one in runs if (value := _value_at(one, step)) is not None) for step in steps}
    return [_ended(one, reached, sign) for one in runs]


def _ended(one: Sibling, reached: Mapping[int, Sequence[float]], sign: int) -> float:
    stop = next((step for step, best in one.course[:-1] if step in reached and _behind(best, reached[step], sign)), None)
    end = one.course[-1][0]
    return 1.0 if stop is None or end <= 0 else stop / end


def _behind(best: float, reached: Sequence[float], sign: int) -> bool:
    """Return whether a value is worse than the median of the others, out of what all had reached by a step, in order."""
    at = bisect_left(reached, best)
    others, middle = len(reached) - 1, (len(reached) - 1) // 2

    def other(place: int) -> float:
        return reached[place + (place >= at)]

    if others < 2:
        return False
    return sign * (best - (other(middle) if others % 2 else (other(middle - 1) + other(middle)) / 2)) < 0


def _value_at(one: Sibling, step: int) -> float | None:
    """Return the best value that a run had reached by a step, None where it had none."""
    return next((value for at, value in reversed(one.course) if at <= step), None)
