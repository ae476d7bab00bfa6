"""Headers of TFRecord records: found all at once in a block, and followed from one to the next.

A header is the length of the payload (8 bytes, little endian) and the masked CRC of these 8 bytes. That of a small
record has six zero bytes, and its CRC makes it all but unmistakable: so the headers of a block can be looked for
without walking from record to record in Python, and a good record behind damage is found by the same means.
"""

from __future__ import annotations

from functools import cache
from struct import Struct
from typing import TYPE_CHECKING, Any

from trainreport.importers.tfevents.checksum import contribution, crc32c, mask, masked_crc32c

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["FRAME_BYTES", "HEADER_BYTES", "LARGE", "PADDING", "Chain", "find_headers", "header_length", "words"]

HEADER_BYTES = 12
FRAME_BYTES = 16
"""What a record has besides its payload: the header, and the payload's checksum."""
LARGE = 1 << 16
"""Payload bytes from which on a record is not read whole."""
PADDING = 16
"""Zero bytes behind a block, so that fixed-width looks past its last record stay inside."""

_HEADER = Struct("<QI")


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


class Chain:
    """The headers of a block, and which follow on which.

    Parameters
    ----------
    places, lengths : ndarray of int64
        What `find_headers` found.
    limit : int
        Bytes of the block: a record that ends behind them is not whole.
    """

    def __init__(self, places: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], limit: int) -> None:
        import numpy as np

        self.places, self.lengths, self.limit = places, lengths, limit
        self.ends = places + lengths + FRAME_BYTES
        follows = np.zeros(len(places), dtype=bool)
        follows[:-1] = self.ends[:-1] == places[1:]
        self._breaks = np.flatnonzero(~follows)

    def at(self, place: int) -> int | None:
        """Return the number of the header at a place, or None."""
        number = int(self.places.searchsorted(place))
        return number if number < len(self.places) and self.places[number] == place else None

    def behind(self, place: int) -> int | None:
        """Return the place of the next good header behind a place, or None."""
        number = int(self.places.searchsorted(place, side="right"))
        return int(self.places[number]) if number < len(self.places) else None

    def follow(self, place: int) -> tuple[list[range], int]:
        """Return the numbers of the whole records from a place on, as runs, and where the next would begin.

        Bytes inside a payload that look like a header are not reached.
        """
        runs: list[range] = []
        number = self.at(place)
        while number is not None:
            last = int(self._breaks[self._breaks.searchsorted(number)])
            place = int(self.ends[last])
            if place > self.limit:
                runs.append(range(number, last))
                return [run for run in runs if run], int(self.places[last])
            runs.append(range(number, last + 1))
            number = self.at(place)
        return runs, place


def find_headers(data: npt.NDArray[np.uint8], limit: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of all good headers of small records, and their lengths.

    Parameters
    ----------
    data : ndarray of uint8
        Bytes with `PADDING` behind them.
    limit : int
        Bytes without the padding.
    """
    import numpy as np

    # Six zero bytes in a row always cover the upper three of an aligned word of four, so such words are looked at first.
    near = np.flatnonzero(data[: len(data) // 4 * 4].view("<u4") < 256) * 4
    places = (near[:, None] - np.array([4, 3, 2, 1])).ravel()
    places = places[(places >= 0) & (places <= limit - HEADER_BYTES)]
    lengths = words(data, places, "<u8")
    small = lengths < LARGE
    places, lengths = places[small], lengths[small].astype(np.int64)
    stored = words(data, places + 8, "<u4")
    good = _small_header_crcs()[lengths] == stored
    return places[good], lengths[good]


def words(data: npt.NDArray[np.uint8], places: npt.NDArray[np.int64], dtype: str) -> npt.NDArray[Any]:
    """Return the items of a dtype, such as ``<u4`` or ``V40``, that stand at any places of the bytes."""
    import numpy as np

    count = len(data) - np.dtype(dtype).itemsize + 1
    if count <= 0:
        return np.zeros(0, dtype=dtype)
    return np.ndarray((count,), dtype, data, 0, (1,))[places]


@cache
def _small_header_crcs() -> npt.NDArray[np.uint32]:
    """Return the masked checksum of the header of each length below `LARGE`."""
    import numpy as np

    rows = np.zeros((LARGE, 8), dtype=np.uint8)
    rows[:, :2] = np.arange(LARGE, dtype="<u2").view(np.uint8).reshape(-1, 2)
    return mask(contribution(rows, (0, 1), 8) ^ np.uint32(crc32c(bytes(8))))
