"""The recordings of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainreport.importers.spans import Span, span_of

if TYPE_CHECKING:
    from trainreport.importers.recording import Event, Recording

__all__ = ["Group", "MachinePart"]


@dataclass(frozen=True, slots=True, eq=False)
class MachinePart:
    """A log of hardware, and the span of it that belongs to a run (seconds since 1970; None: all of it)."""

    recording: Recording
    from_s: float | None = None
    to_s: float | None = None


@dataclass(slots=True)
class Group:
    """The recordings of one run."""

    key: str
    folder: str
    training: list[Recording] = field(default_factory=list)
    machine: list[MachinePart] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    """What is known of the run from its folder, besides what its recordings tell."""

    @property
    def span(self) -> Span | None:
        """First and last time of the training recordings, in seconds since 1970."""
        return span_of(self.training)
