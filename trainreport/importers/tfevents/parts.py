"""What an event file consists of, as far as its framing tells: blocks of records, and damage between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.importers.tfevents.headers import HEADER_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

__all__ = ["Block", "Damage", "LargeRecord"]


@dataclass(frozen=True, slots=True)
class LargeRecord:
    """A record whose payload was not read, but for its beginning."""

    offset: int
    """Place in the file of the first byte of the payload."""
    length: int
    head: bytes = b""
    """As many of the first bytes as are at hand."""

    @property
    def place(self) -> int:
        """Byte in the file where the header begins."""
        return self.offset - HEADER_BYTES

    def reader(self, read: Callable[[int, int], bytes]) -> Callable[[int, int], bytes]:
        """Return what reads bytes of the payload by their place in the file, with `read` only where they are not at hand."""
        head, offset = self.head, self.offset

        def read_at_hand(at: int, count: int) -> bytes:
            start = at - offset
            return head[start : start + count] if start + count <= len(head) else read(at, count)

        return read_at_hand


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A stretch of a file, or several, and the records in them."""

    data: npt.NDArray[np.uint8]
    """Bytes, with `headers.PADDING` behind them."""
    starts: npt.NDArray[np.int64]
    """Where the payload of each small record begins in `data`."""
    lengths: npt.NDArray[np.int64]
    """Payload bytes of each small record."""
    places: npt.NDArray[np.int64]
    """Byte in the file where the header of each small record begins."""
    classes: npt.NDArray[np.intp] | None = None
    """Class of each small record, where these bytes are known to repeat what was read before."""
    large: tuple[LargeRecord, ...] = ()

    def payload(self, record: int) -> bytes:
        """Return the payload of a small record by its position in the block."""
        start = int(self.starts[record])
        return self.data[start : start + int(self.lengths[record])].tobytes()


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes of the file that hold no readable record."""

    offset: int
    end: int
    what: str
