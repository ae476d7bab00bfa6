"""The framing of TFRecord files: where each record of a block lies, and where to go on after a bad one.

Files are read in blocks; a large record (images, graphs) is passed over, and nothing is allocated by a length
that a file only claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.importers.tfevents.headers import (
    FRAME_BYTES,
    HEADER_BYTES,
    LARGE,
    PADDING,
    Chain,
    find_headers,
    header_length,
    likely_headers,
)
from trainreport.importers.tfevents.parts import Block, Damage, LargeRecord
from trainreport.importers.tfevents.stretches import between_large

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.template import Rhythm

__all__ = ["BAD_HEADER", "CUT_SHORT", "blocks"]

BAD_HEADER = "no readable record"
CUT_SHORT = "the file ends inside a record, or is damaged up to its end"

_LARGEST_BLOCK = 1 << 21
_SMALLEST_BLOCK = 1 << 19


def blocks(stream: BufferedIOBase, size: int, rhythm: Rhythm | None = None) -> Iterator[Block | Damage]:
    """Yield what a file consists of, in its order, reading at most a few MB at a time.

    Parameters
    ----------
    stream : binary file
        Can be sought in.
    size : int
        Its bytes when reading began; what is written later is not looked at.
    rhythm : Rhythm, optional
        May tell, from the blocks before, where the records of the next one lie. Without it the file is read by no shortcut.

    Yields
    ------
    Block
        Records that are whole, of `LARGE` bytes or more those between the small ones and behind them; the checksums of
        payloads are still to be checked.
    Damage
        What had to be passed over to get to the next record with a good header, or to the end of the file.
    """
    at, want = 0, _SMALLEST_BLOCK
    damaged_from: int | None = None
    while at < size:
        data, limit = _read(stream, at, min(want, size - at))
        if limit < min(want, size - at):
            size = at + limit  # the file became shorter while it was read
        known = rhythm.block(data, limit, at) if rhythm is not None and damaged_from is None else None
        if known is not None:
            yield known
            end = int(known.starts[-1] + known.lengths[-1]) + FRAME_BYTES - HEADER_BYTES
            at, want = at + end, min(want * 2, _LARGEST_BLOCK) if limit - end < _SMALLEST_BLOCK else _SMALLEST_BLOCK
            continue
        part = _Part(data, limit, at, size)
        part.read(damaged_from)
        yield from part.damages
        if part.runs or part.large is not None:
            yield part.block()
        at, damaged_from = part.next_at, part.damaged_from
        want = min(want * 2, _LARGEST_BLOCK)
        if part.large is not None:
            want = _SMALLEST_BLOCK
            at = at if rhythm is None else (yield from between_large(stream, at, size))
    if damaged_from is not None:
        yield Damage(damaged_from, size, CUT_SHORT)
    elif at < size:
        yield Damage(at, size, CUT_SHORT)


def _read(stream: BufferedIOBase, at: int, count: int) -> tuple[npt.NDArray[np.uint8], int]:
    """Return bytes of a file with `PADDING` behind them, and how many they are without it."""
    import numpy as np

    data = np.empty(count + PADDING, dtype=np.uint8)
    stream.seek(at)
    found = stream.readinto(data.data[:count])
    data[found:] = 0
    return data[: found + PADDING], found


class _Part:
    """One read of the file: the small records that lie whole in it, and how to go on behind it.

    Parameters
    ----------
    data : ndarray of uint8
        What was read, with `PADDING` behind it.
    limit : int
        Bytes that were read.
    at, size : int
        Where in the file they begin, and the bytes of the file.
    """

    def __init__(self, data: npt.NDArray[np.uint8], limit: int, at: int, size: int) -> None:
        self.data, self.limit, self.at, self.size = data, limit, at, size
        self.chain = Chain(*likely_headers(data, limit), limit)
        self.runs: list[range] = []
        self.damages: list[Damage] = []
        self.large: LargeRecord | None = None
        self.damaged_from: int | None = None
        self.next_at = at

    def read(self, damaged_from: int | None) -> None:
        """Follow the records from the first byte or, when that lies in damage, from the first good header."""
        if damaged_from is not None or not self._ends_well(self.chain.follow(0)[1]):
            self.chain = Chain(*find_headers(self.data, self.limit), self.limit)
        place = 0 if damaged_from is None else self._resume(damaged_from, behind=-1)
        while place is not None:
            runs, end = self.chain.follow(place)
            self.runs += runs
            damage = self._stop_at(end)
            place = None if damage is None else self._resume(self.at + damage, behind=damage)

    def _ends_well(self, end: int) -> bool:
        """Return whether the records up to `end` are all up to the end of this part, or up to a large one."""
        header = self._bytes(end, end + HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return True
        length = header_length(header)
        return length is not None and (length >= LARGE or end + FRAME_BYTES + length > self.limit)

    def _bytes(self, start: int, end: int) -> bytes:
        return self.data[start : min(end, self.limit)].tobytes()

    def block(self) -> Block:
        """Return the records found."""
        import numpy as np

        numbers = np.concatenate([np.arange(run.start, run.stop) for run in self.runs or [range(0)]])
        places = self.chain.places[numbers]
        large = () if self.large is None else (self.large,)
        return Block(self.data, places + HEADER_BYTES, self.chain.lengths[numbers], places + self.at, large=large)

    def _stop_at(self, end: int) -> int | None:
        """Decide how to go on at `end`, where no whole small record begins; return where damage begins, if it does."""
        self.next_at = self.at + end
        header = self._bytes(end, end + HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            is_cut = bool(header) and self.at + self.limit == self.size
            return end if is_cut else None
        length = header_length(header)
        if length is None:
            return self._without_overwritten(end)
        if self.next_at + FRAME_BYTES + length > self.size:
            return end
        if length >= LARGE:
            self.large = LargeRecord(self.next_at + HEADER_BYTES, length)
            self.next_at += FRAME_BYTES + length
        return None

    def _without_overwritten(self, end: int) -> int:
        """Take back the last record where it was cut and others were written behind: its header is good, its payload not."""
        if not self.runs or self.chain.ends[self.runs[-1][-1]] != end:
            return end
        last = self.runs[-1][-1]
        place = int(self.chain.places[last])
        if masked_crc32c(self._bytes(place + HEADER_BYTES, end - 4)) == int.from_bytes(self._bytes(end - 4, end), "little"):
            return end
        self.runs[-1] = self.runs[-1][:-1]
        self.runs = [run for run in self.runs if run]
        return place

    def _resume(self, damaged_from: int, behind: int) -> int | None:
        """Return the place of the next good header, or None where this part has none."""
        place = self.chain.behind(behind)
        if place is None:
            self.damaged_from = damaged_from
            is_end = self.at + self.limit == self.size
            self.next_at = self.size if is_end else self.at + self.limit - HEADER_BYTES + 1
        else:
            self.damages.append(Damage(damaged_from, self.at + place, BAD_HEADER))
        return place
