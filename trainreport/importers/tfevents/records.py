"""The framing of TFRecord files: where each record of a block lies, and where to go on after a bad one.

A record is its length (8 bytes, little endian), the masked CRC of these 8 bytes, the payload, and the payload's
masked CRC. A header of a small record has six zero bytes, and its CRC makes it all but unmistakable: so the
headers of a block are found all at once and then checked to follow on each other, with no walk in Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO

from trainreport.importers.tfevents.checksum import contribution, mask, masked_crc32c

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

__all__ = ["HEADER_BYTES", "LARGE", "Block", "Damage", "LargeRecord", "blocks", "header_length"]

HEADER_BYTES = 12
FRAME_BYTES = 16
LARGE = 1 << 16
"""Payload bytes from which on a record is not read whole."""
PADDING = 16
"""Zero bytes behind a block, so that fixed-width looks past its last record stay inside."""

_HEADER = Struct("<QI")
_LARGEST_BLOCK = 1 << 22
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


def header_length(header: bytes) -> int | None:
    """Return the payload bytes that a header tells, or None where its checksum does not match.

    Parameters
    ----------
    header : bytes
        At least `HEADER_BYTES`.
    """
    length: int
    length, crc = _HEADER.unpack_from(header)
    return length if masked_crc32c(header[:8]) == crc else None


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
        if not raw:  # the file became shorter while it was read
            size = at
            break
        data = _padded(raw)
        places, lengths = find_headers(data, len(raw))
        if damaged_from is not None:
            if not len(places):
                at += max(len(raw) - HEADER_BYTES + 1, 1)
                continue
            yield Damage(damaged_from, at + int(places[0]), _BAD_HEADER)
            damaged_from = None
            at += int(places[0])
            continue
        chain, end = _chain(places, lengths, len(raw))
        stop = header_length(raw[end:]) if len(raw) - end >= HEADER_BYTES else None
        ...
