"""The shortcut for logs that repeat: when the last records came in turn, the next are taken to come in that turn too.

A template is the bytes of one turn with the bits left out that may differ: wall times, steps, numbers, checksums of
payloads. Bytes that equal it are the same records again, headers and tags compared bit by bit. Only where the records
lie, and of which classes they are, is learned so: numbers and checksums are then read like those of any block.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from trainreport.importers.tfevents.classes import kept_bits
from trainreport.importers.tfevents.headers import FRAME_BYTES, HEADER_BYTES
from trainreport.importers.tfevents.parts import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.classes import Class

__all__ = ["Rhythm", "shortest_period"]

_REPEATS = 8  # turns after which the next is expected
_LONGEST = 1024  # records of a turn


@dataclass(frozen=True, slots=True)
class _Turn:
    """Records that come in turn, several times over so that all is a whole number of words."""

    expected: npt.NDArray[np.uint64]
    kept: npt.NDArray[np.uint64]
    """Bits of the template that are compared."""
    starts: npt.NDArray[np.int64]
    """Where each payload begins."""
    lengths: npt.NDArray[np.int64]
    classes: npt.NDArray[np.intp]


@dataclass(slots=True)
class Rhythm:
    """What the records read so far tell of the next."""

    _turn: _Turn | None = None
    _last: tuple[Block, npt.NDArray[np.intp], Sequence[Class]] | None = None

    def learn(self, block: Block, codes: npt.NDArray[np.intp], classes: Sequence[Class]) -> None:
        """Take a block whose records are of these classes, -1 for none, as what the next one may repeat."""
        self._last = (block, codes, classes)

    def _expected(self) -> _Turn | None:
        """Return the turn at the end of the last block; it is looked for only when there is a next one."""
        if self._last is not None:
            block, codes, classes = self._last
            count = shortest_period(codes[-_REPEATS * _LONGEST :])
            self._turn = None if count is None else _turn(block, codes[-count:], classes)
            self._last = None
        return self._turn

    def block(self, data: npt.NDArray[np.uint8], limit: int, offset: int) -> Block | None:
        """Return as much of the data as the last turn over and over again is, or None.

        Parameters
        ----------
        data : ndarray of uint8
            Bytes with `PADDING` behind them; a record begins with the first.
        limit : int
            Bytes without the padding.
        offset : int
            Place in the file of the first.
        """
        import numpy as np

        turn = self._expected()
        if turn is None:
            return None
        words = len(turn.expected)
        count = limit // (8 * words)
        same = (data[: count * words * 8].view("<u8").reshape(count, words) & turn.kept) == turn.expected
        if not same.all():
            count = int(same.all(axis=1).argmin())
        if not count:
            self._turn = None
            return None
        starts = (np.arange(count)[:, None] * (8 * words) + turn.starts).ravel()
        lengths, classes = np.tile(turn.lengths, count), np.tile(turn.classes, count)
        return Block(data, starts, lengths, starts + (offset - HEADER_BYTES), classes)


def shortest_period(codes: npt.NDArray[np.intp]) -> int | None:
    """Return the smallest number of codes that the end of `codes` repeats often enough, or None."""
    import numpy as np

    newest = codes[::-1]
    for period in np.flatnonzero(newest[1 : len(codes) // _REPEATS + 1] == newest[:1]).tolist()[:64]:
        count = period + 1
        span = newest[: _REPEATS * count]
        if (span[count:] == span[:-count]).all():
            return count if (span[:count] >= 0).all() else None
    return None


def _turn(block: Block, codes: npt.NDArray[np.intp], classes: Sequence[Class]) -> _Turn | None:
    """Return the template of the last records of a block, or None where other bytes lie between them."""
    import numpy as np

    starts, lengths = block.starts[-len(codes) :], block.lengths[-len(codes) :]
    begin, end = int(starts[0]) - HEADER_BYTES, int(starts[-1] + lengths[-1]) + FRAME_BYTES - HEADER_BYTES
    size = end - begin
    if size != int(lengths.sum()) + FRAME_BYTES * len(codes):
        return None
    bits = {code: kept_bits(classes[code].layout, classes[code].step_width, classes[code].length) for code in set(codes.tolist())}
    kept = b"".join(b"\xff" * HEADER_BYTES + bits[code] + bytes(FRAME_BYTES - HEADER_BYTES) for code in codes.tolist())
    times = 8 // gcd(size, 8)
    mask = np.frombuffer(kept * times, dtype="<u8")
    expected = np.frombuffer(block.data[begin:end].tobytes() * times, dtype="<u8") & mask
    at = (np.arange(times)[:, None] * size + (starts - begin)).ravel()
    return _Turn(expected, mask, at, np.tile(lengths, times), np.tile(codes, times))
