"""Spans of time, and which of very many touch one: thousands of runs meet thousands of logs of their hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trainreport.importers.recording import Recording

__all__ = ["Span", "Spans", "overlap_share", "span_of"]

Span = tuple[float, float]
"""First and last time, in seconds since 1970."""


def span_of(recordings: Iterable[Recording]) -> Span | None:
    """Return the span from the first start to the last end, None where no start is known."""
    known = [(one.started_at, one.ended_at) for one in recordings]
    starts = [start.timestamp() for start, _ in known if start is not None]
    ends = [end.timestamp() for _, end in known if end is not None]
    return (min(starts), max([*ends, *starts])) if starts else None


def overlap_share(one: Span | None, other: Span | None, of: Callable[[float, float], float]) -> float:
    """Return the shared time as a share of what `of` makes of both lengths, such as the shorter (``min``); 0 where a span is not known."""
    if one is None or other is None:
        return 0.0
    shared = min(one[1], other[1]) - max(one[0], other[0])
    whole = of(one[1] - one[0], other[1] - other[0])
    if shared < 0:
        return 0.0
    return 1.0 if whole == 0 else shared / whole


class Spans:
    """Many spans, by position; one that is not known touches nothing."""

    def __init__(self, spans: Sequence[Span | None]) -> None:
        import numpy as np

        nowhere = (np.nan, np.nan)
        self._starts, self._ends = np.array([nowhere if one is None else one for one in spans], dtype=np.float64).reshape(-1, 2).T.copy()

    def touching(self, span: Span) -> list[int]:
        """Return the positions of those that share an instant with `span`."""
        found: list[int] = ((self._starts <= span[1]) & (self._ends >= span[0])).nonzero()[0].tolist()
        return found
