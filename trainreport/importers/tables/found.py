"""What could not be read of a file: the first of it kept, the rest counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from trainreport.errors import InputError, StrictError
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from trainreport.importers.recording import Source

__all__ = ["LARGEST", "Troubles", "content_of"]

LARGEST = 256 << 20
"""Bytes of a file that is read as a whole."""
_KEPT = 50


class Troubles:
    """Collects the problems of one file; of each kind the first are kept, so that a file of garbage costs no memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._kept: list[Problem] = []
        self._seen: Counter[str] = Counter()

    def add(self, place: str, what: str, *, kind: str = "", about: Literal["content", "clock", "meaning"] = "content") -> None:
        """Note a problem.

        Parameters
        ----------
        place : str
            ``line 12``, or empty for the whole file.
        what : str
            What was found and what was expected.
        kind : str
            Problems of one kind, such as those of one column, are counted together.

        Raises
        ------
        StrictError
            If the source is read strictly.
        """
        name = self._source.name
        if self._source.strict and about == "content":
            raise StrictError(f"{name}, {place}: {what}; read without strict to go on behind it" if place else f"{name}: {what}")
        self._seen[kind] += 1
        if self._seen[kind] <= _KEPT:
            self._kept.append(Problem(name, place, what, about))

    @property
    def count(self) -> int:
        """How many there were."""
        return self._seen.total()

    def all(self) -> tuple[Problem, ...]:
        """Return the problems that were kept, and one for each kind of which there were more."""
        rest = [(kind, seen - _KEPT) for kind, seen in self._seen.items() if seen > _KEPT]
        of = {kind: f" of {kind}" if kind else "" for kind, _ in rest}
        return (*self._kept, *(Problem(self._source.name, "", f"and {more:,} more like these{of[kind]}") for kind, more in rest))


def content_of(source: Source) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    InputError
        If it is larger than is read at once.
    """
    size = source.path.stat().st_size
    if size > LARGEST:
        raise InputError(f"{size:,} bytes; at most {LARGEST:,} are read of this format")
    return source.path.read_bytes()
