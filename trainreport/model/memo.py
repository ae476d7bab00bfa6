"""Remembers what was worked out of a log, a case or a curve, for as long as that lives."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["remembered"]

P = ParamSpec("P")
T = TypeVar("T")
Owner = TypeVar("Owner")


def remembered(compute: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Return `compute`, run once for each owner and each set of further arguments, which must be hashable.

    Many detectors ask the same of one log, case or curve, and none of these ever changes.
    """
    known: WeakKeyDictionary[Owner, dict[Any, T]] = WeakKeyDictionary()

    @wraps(compute)
    def answer(owner: Owner, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answers = known.setdefault(owner, {})
        key = (args, tuple(sorted(kwargs.items())))
        if key not in answers:
            answers[key] = compute(owner, *args, **kwargs)
        return answers[key]

    return answer
