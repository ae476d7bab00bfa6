"""Where the objects of a JSON array begin and end, found in a block of bytes without parsing it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places: TypeAlias = npt.NDArray[np.intp]

__all__ = ["Borders", "borders"]

_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_OPENING, _CLOSING = b"{[", b"}]"
_SPREAD, _ALL = 0x26, 0x7F
"""Brackets differ in these bits only, so one comparison finds all four; a table of 256 takes six times as long."""


class Borders(NamedTuple):
    """The elements of an array that are objects or arrays and lie whole in a block."""

    starts: Places
    ends: Places
    """One behind the last byte."""
    closed_at: int | None
    """Where the bracket that closes the array stands; None where it goes on."""


def borders(block: bytes) -> Borders:
    """Return the borders of whole elements; the block begins within the array, between two elements or before one."""
    import numpy as np

    letters = np.frombuffer(block, dtype=np.uint8)
    quotes = _quotes(letters, block)
    at = np.flatnonzero((letters | _SPREAD) == _ALL)  # the four brackets, and a few letters
    at = at[np.searchsorted(quotes, at) % 2 == 0]  # an odd number of quotes before it: within a text
    turn = _turns()[letters[at]]
    at, turn = at[turn != 0], turn[turn != 0]
    depth = np.cumsum(turn, dtype=np.int64)
    below = np.flatnonzero(depth < 0)
    if len(below):
        closed_at = int(at[below[0]])
        at, turn, depth = at[: below[0]], turn[: below[0]], depth[: below[0]]
    starts = at[(depth == 1) & (turn == 1)]
    ends = at[depth == 0] + 1
    return Borders(starts[: len(ends)], ends, closed_at if len(below) else None)


@cache
def _turns() -> npt.NDArray[np.int8]:
    import numpy as np

    table = np.zeros(256, dtype=np.int8)
    table[list(_OPENING)] = 1
    table[list(_CLOSING)] = -1
    return table


def _quotes(letters: npt.NDArray[np.uint8], block: bytes) -> Places:
    """Return where quotes stand that begin or end a text: not those behind an odd number of backslashes."""
    import numpy as np

    quotes = np.flatnonzero(letters == _QUOTE)
    if b"\\" not in block or b'\\"' not in block:  # the first is the faster search
        return quotes
    last_other = np.maximum.accumulate(np.where(letters == _BACKSLASH, -1, np.arange(len(letters))))
    before = quotes - 1
    run = np.where(before >= 0, before - last_other[before], 0)
    return np.asarray(quotes[run % 2 == 0])
