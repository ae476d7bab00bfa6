"""The console of a run: the lines that tell of trouble, as events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.importers.recording import Event

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Console"]

_TROUBLE = re.compile(rb"error|exception|warning|out of memory|oom|killed|\bxid\b|nan\b|diverg|sigterm|preempt", re.IGNORECASE)
_KEPT = 200
_LONGEST = 500
_LONGEST_PENDING = 1 << 16


class Console:
    """Takes output in pieces of whatever length, standard output and standard error apart."""

    def __init__(self) -> None:
        self.lines = 0
        self._events: list[Event] = []
        self._left_out = 0
        self._pending: dict[int, bytes] = {}

    def add(self, stream: int, text: bytes, time_s: float | None, file: str) -> None:
        """Take a piece; `stream` is 0 for standard error, 1 for standard output."""
        whole = self._pending.get(stream, b"") + text
        *lines, rest = re.split(rb"[\r\n]+", whole)
        self._pending[stream] = rest[-_LONGEST_PENDING:]
        self.take(lines, time_s, file)

    def take(self, lines: Iterable[bytes], time_s: float | None, file: str, first: int | None = None) -> None:
        """Take whole lines, the first of which has a number in its file where that is known."""
        for number, line in enumerate(lines):
            self.lines += bool(line.strip())
            if not _TROUBLE.search(line):
                continue
            if len(self._events) >= _KEPT:
                self._left_out += 1
                continue
            message = line[:_LONGEST].decode("utf-8", "replace").strip()
            place = None if first is None else first + number
            self._events.append(Event("output", message, time_s, level="warning", file=file, line=place))

    def events(self, file: str) -> tuple[Event, ...]:
        """Return the lines that tell of trouble, and how many there were in all; nothing where nothing was written."""
        self.take([rest for rest in self._pending.values() if rest], None, file)
        self._pending = {}
        if not self.lines:
            return ()
        more = f", {self._left_out:,} of them not kept" if self._left_out else ""
        told = f"{self.lines:,} lines of console output; {len(self._events) + self._left_out:,} tell of errors or warnings{more}"
        return (*self._events, Event("console", told, file=file))
