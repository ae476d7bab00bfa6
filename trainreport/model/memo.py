"""Remembers what was worked out of a log, for as long as the log lives."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.model.run import RunLog

__all__ = ["once_per_log"]

P = ParamSpec("P")
T = TypeVar("T")


def once_per_log(compute: Callable[Concatenate[RunLog, P], T]) -> Callable[Concatenate[RunLog, P], T]:
    """Return `compute`, run once for each log and each set of further arguments, which must be hashable.

    Many detectors ask the same of one log, and a log never changes.
    """
    known: WeakKeyDictionary[RunLog, dict[Any, T]] = WeakKeyDictionary()

    @wraps(compute)
    def remembered(log: RunLog, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answers = known.setdefault(log, {})
        key = (args, tuple(sorted(kwargs.items())))
        if key not in answers:
            answers[key] = compute(log, *args, **kwargs)
        return answers[key]

    return remembered
