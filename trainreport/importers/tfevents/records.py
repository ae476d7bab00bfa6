"""The framing of TFRecord files: where each record of a block lies, and where to go on after a bad one.

Files are read in blocks; a large record (images, graphs) is passed over, and nothing is allocated by a length
that a file only claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.importers.tfevents.headers import FRAME_BYTES, HEADER_BYTES, LARGE, PADDING, Chain, find_headers, header_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

__all__ = ["BAD_HEADER", "CUT_SHORT", "Block", "Damage", "LargeRecord", "blocks"]

BAD_HEADER = "no readable record"
CUT_SHORT = "the file ends inside a record, or is damaged up to its end"

_LARGEST_BLOCK = 1 << 21
_SMALLEST_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A stretch of a file and the small records in it."""

    data: npt.NDArray[np.uint8]
    """The bytes, with `PADDING` behind them."""
    offset: int
    """Place in the file of the first byte of `data`."""
    starts: npt.NDArray[np.int64]
    """Where the payload of each record begins in `data`."""
    lengths: npt.NDArray[np.int64]
    """Payload bytes of each record."""

    def payload(self, record: int) -> bytes:
        """Return the payload of a record by its position in the block."""
        start = int(self.starts[record])
        return self.data[start : start + int(self.lengths[record])].tobytes()

    def place(self, record: int) -> int:
        """Return the byte in the file where a record's header begins."""
        return self.offset + int(self.starts[record]) - HEADER_BYTES


@dataclass(frozen=True, slots=True)
class LargeRecord:
    """A record whose payload was not read."""

    offset: int
    """Place in the file of the first byte of the payload."""
    length: int


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes of the file that hold no readable record."""

    offset: int
    end: int
    what: str


def blocks(stream: BinaryIO, size: int) -> Iterator[Block | LargeRecord | Damage]:
    """Yield what a file consists of, in its order, reading at most a few MB at a time.

    Parameters
    ----------
    stream : binary file
        Can be sought in.
    size : int
        Its bytes when reading began; what is written later is not looked at.

    Yields
    ------
    Block
        Small records that are whole; the checksums of their payloads are still to be checked.
    LargeRecord
        One record of `LARGE` bytes or more.
    Damage
        What had to be passed over to get to the next record with a good header, or to the end of the file.
    """
    at, want = 0, _SMALLEST_BLOCK
    damaged_from: int | None = None
    while at < size:
        stream.seek(at)
        raw = stream.read(min(want, size - at))
        if len(raw) < min(want, size - at):
            size = at + len(raw)  # the file became shorter while it was read
        part = _Part(raw, at, size)
        part.read(damaged_from)
        yield from part.damages
        if part.runs:
            yield part.block()
        if part.large is not None:
            yield part.large
        at, damaged_from = part.next_at, part.damaged_from
        want = _SMALLEST_BLOCK if part.large is not None else min(want * 2, _LARGEST_BLOCK)
    if damaged_from is not None:
        yield Damage(damaged_from, size, CUT_SHORT)
    elif at < size:
        yield Damage(at, size, CUT_SHORT)


class _Part:
    """One read of the file: the small records that lie whole in it, and how to go on behind it.

    Parameters
    ----------
    raw : bytes
        What was read.
    at, size : int
        Where in the file that began, and the bytes of the file.
    """

    def __init__(self, raw: bytes, at: int, size: int) -> None:
        import numpy as np

        self.raw, self.at, self.size = raw, at, size
        self.data = np.frombuffer(raw + bytes(PADDING), dtype=np.uint8)
        self.chain = Chain(*find_headers(self.data, len(raw)), len(raw))
        self.runs: list[range] = []
        self.damages: list[Damage] = []
        self.large: LargeRecord | None = None
        self.damaged_from: int | None = None
        self.next_at = at

    def read(self, damaged_from: int | None) -> None:
        """Follow the records from the first byte or, when that lies in damage, from the first good header."""
        place = 0 if damaged_from is None else self._resume(damaged_from, behind=-1)
        while place is not None:
            runs, end = self.chain.follow(place)
            self.runs += runs
            damage = self._stop_at(end)
            place = None if damage is None else self._resume(self.at + damage, behind=damage)

    def block(self) -> Block:
        """Return the records found."""
        import numpy as np

        numbers = np.concatenate([np.arange(run.start, run.stop) for run in self.runs])
        return Block(self.data, self.at, self.chain.places[numbers] + HEADER_BYTES, self.chain.lengths[numbers])

    def _stop_at(self, end: int) -> int | None:
        """Decide how to go on at `end`, where no whole small record begins; return where damage begins, if it does."""
        self.next_at = self.at + end
        header = self.raw[end : end + HEADER_BYTES]
        if len(header) < HEADER_BYTES:
            is_cut = bool(header) and self.at + len(self.raw) == self.size
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
        if masked_crc32c(self.raw[place + HEADER_BYTES : end - 4]) == int.from_bytes(self.raw[end - 4 : end], "little"):
            return end
        self.runs[-1] = self.runs[-1][:-1]
        self.runs = [run for run in self.runs if run]
        return place

    def _resume(self, damaged_from: int, behind: int) -> int | None:
        """Return the place of the next good header, or None where this part has none."""
        place = self.chain.behind(behind)
        if place is None:
            self.damaged_from = damaged_from
            is_end = self.at + len(self.raw) == self.size
            self.next_at = self.size if is_end else self.at + len(self.raw) - HEADER_BYTES + 1
        else:
            self.damages.append(Damage(damaged_from, self.at + place, BAD_HEADER))
        return place
