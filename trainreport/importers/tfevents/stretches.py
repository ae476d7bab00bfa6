"""The small records between large ones: short stretches of the file, far from each other, joined to whole blocks.

A log of images holds a few small records between two of them: a block for each would cost more than reading it.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.tfevents.headers import FRAME_BYTES, HEADER_BYTES, LARGE, PADDING, header_length, header_words, small_header_crcs
from trainreport.importers.tfevents.parts import Block, LargeRecord

if TYPE_CHECKING:
    from collections.abc import Generator
    from io import BufferedIOBase

    import numpy as np
    import numpy.typing as npt

__all__ = ["between_large"]

_WINDOW = 1 << 14
"""Bytes that are read at once: another large record may follow, of which little is needed."""
_FAR = 1 << 16
"""Bytes behind the last large record after which no other is expected soon."""
_JOINED = 1 << 20
"""Bytes after which a block ends behind the next large record."""
_HEAD = 256
"""Bytes of a large record that are kept: its large parts mostly begin in them."""

_length_and_crc = Struct("<QI").unpack_from


def between_large(stream: BufferedIOBase, at: int, size: int) -> Generator[Block, None, int]:
    """Yield the records from behind a large one on, as long as other large ones follow soon.

    Parameters
    ----------
    stream : binary file
        Can be sought in.
    at, size : int
        Where to begin, and the bytes of the file.

    Yields
    ------
    Block
        Of many stretches; their records are whole, the checksums of payloads still to be checked.

    Returns
    -------
    int
        The place of a record, or the end of the file, from where the file is to be read in another way.
    """
    goes_on, last = True, None
    while goes_on:
        joined = _Joined(at, size, last)
        goes_on = joined.fill(stream)
        if joined.stretches or joined.large:
            yield joined.block()
        at, last = joined.at, joined.last
    return at


class _Stretch(NamedTuple):
    """Small records that follow on each other."""

    places: npt.NDArray[np.int64]
    """Where each header begins, from the beginning of the stretch."""
    headers: npt.NDArray[np.uint32]
    """The three words of each, shape (n, 3)."""
    size: int

    def comes_again(self, data: npt.NDArray[np.uint8], begin: int, end: int) -> bool:
        """Return whether the same headers stand at the same places behind `begin`, up to the end of the last record."""
        return begin + self.size <= end and bool((header_words(data, self.places + begin) == self.headers).all())


class _Joined:
    """Stretches of a file behind each other; what lies between them is the heads of large records.

    Parameters
    ----------
    at, size : int
        Where reading begins, behind a large record, and the bytes of the file.
    last : _Stretch, optional
        The one before.
    """

    def __init__(self, at: int, size: int, last: _Stretch | None) -> None:
        import numpy as np

        self.data = np.empty(_JOINED + _FAR + 2 * _WINDOW + PADDING, dtype=np.uint8)
        self.used = 0
        self.at, self.size, self.last = at, size, last
        self.stretches: list[tuple[_Stretch, int, int]] = []
        """Each with its place in the data and in the file."""
        self.large: list[LargeRecord] = []
        self._behind_large = at

    def fill(self, stream: BufferedIOBase) -> bool:
        """Read until the block is full; return whether to go on with another one."""
        while self.used < _JOINED or self.at > self._behind_large:
            if not self._read(stream):
                self._take_back()
                return False
            if self.at == self.size or self.at - self._behind_large > _FAR:
                return False
        return True

    def block(self) -> Block:
        """Return the records found."""
        import numpy as np

        self.data[self.used : self.used + PADDING] = 0
        found = [stretch for stretch, _, _ in self.stretches]
        counts = [len(stretch.places) for stretch in found]
        begins = np.array([begin for _, begin, _ in self.stretches], dtype=np.int64).repeat(counts)
        ats = np.array([at for _, _, at in self.stretches], dtype=np.int64).repeat(counts)
        nothing = np.zeros(0, dtype=np.int64)  # where there are large records only
        places = np.concatenate([nothing, *(stretch.places for stretch in found)])
        lengths = np.concatenate([nothing, *(stretch.headers[:, 0] for stretch in found)])
        return Block(self.data[: self.used + PADDING], places + begins + HEADER_BYTES, lengths, places + ats, large=tuple(self.large))

    def _read(self, stream: BufferedIOBase) -> bool:
        """Take the small records of one window, and a large one behind them; return False where neither is for sure."""
        count = min(_WINDOW, self.size - self.at)
        window = self.data.data[self.used : self.used + count]
        stream.seek(self.at)
        if stream.readinto(window) < count:
            return False  # the file became shorter
        end = self._take(count)
        header = window[end : end + HEADER_BYTES].tobytes()
        if len(header) < HEADER_BYTES:
            return not header or self.at + len(header) < self.size
        length = header_length(header)
        if length is None or self.at + FRAME_BYTES + length > self.size:
            return False
        if length < LARGE:
            return end > 0  # the next window begins with it
        head = window[end + HEADER_BYTES : end + HEADER_BYTES + _HEAD].tobytes()
        self.large.append(LargeRecord(self.at + HEADER_BYTES, length, head))
        self.used += HEADER_BYTES + len(head)
        self.at += FRAME_BYTES + length
        self._behind_large = self.at
        return True

    def _take(self, count: int) -> int:
        """Take the small records that begin a window and are whole; return where they end in it."""
        import numpy as np

        begin, known = self.used, self.last
        if known is not None and not known.comes_again(self.data, begin, begin + count):
            known = None
        more, end = _walk(self.data.data[begin : begin + count], known.size if known is not None else 0)
        if more:
            places = np.array([*(known.places.tolist() if known is not None else ()), *more], dtype=np.int64)
            known = _Stretch(places, header_words(self.data, places + begin), end)
        if known is not None:
            self.stretches.append((known, begin, self.at))
            self.last = known
        self.used += end
        self.at += end
        return end

    def _take_back(self) -> None:
        """Take back the last record in front of what cannot be read here: it may have been cut and others written behind."""
        if self.at > self._behind_large:
            stretch, begin, at = self.stretches.pop()
            end = int(stretch.places[-1])
            self.at = at + end
            if end:
                self.stretches.append((_Stretch(stretch.places[:-1], stretch.headers[:-1], end), begin, at))


def _walk(window: memoryview, at: int) -> tuple[list[int], int]:
    """Return where the headers of small records stand that follow on each other and are whole, and where these end."""
    places, crcs, limit = [], small_header_crcs().data, len(window)
    while at + FRAME_BYTES <= limit:
        length, crc = _length_and_crc(window, at)
        end = at + FRAME_BYTES + length
        if length >= LARGE or crcs[length] != crc or end > limit:
            break
        places.append(at)
        at = end
    return places, at
