"""CRC-32C as TFRecord files use it: masked, of one payload in plain Python or of many at once.

A CRC is linear: the checksum of a row is the exclusive or of what each byte contributes at its place. The
contribution of a byte value with `k` bytes behind it is a table look-up, so one look-up serves a whole column.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = ["contribution", "crc32c", "mask", "masked_crc32c", "ragged_crc32c"]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_ALL_ONES = 0xFFFFFFFF
# Bytes that a row of `ragged_crc32c` spans: short records waste less with few, long ones take fewer steps with many.
_SPAN = 64
_FIRST = _SPAN + 4  # the first span has at least the four bytes that the start state acts on


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of `data`; about 20 MB/s, for headers and single records."""
    table = _byte_table()
    state = _ALL_ONES
    for byte in data:
        state = table[(state ^ byte) & 255] ^ (state >> 8)
    return state ^ _ALL_ONES


def masked_crc32c(data: bytes) -> int:
    """Return the checksum of `data` as a TFRecord stores it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _ALL_ONES


def mask(crc: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return CRCs in the form in which a TFRecord stores them."""
    import numpy as np

    return (crc >> np.uint32(15) | crc << np.uint32(17)) + np.uint32(_MASK_DELTA)


def contribution(rows: npt.NDArray[np.uint8], columns: Iterable[int], length: int) -> npt.NDArray[np.uint32]:
    """Return what some columns add, by exclusive or, to the CRC of rows where these columns are zero.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n, at least length)
        Payloads of the same length, one a row.
    columns : iterable of int
        Positions in the payload.
    length : int
        Bytes of a payload.
    """
    import numpy as np

    total = np.zeros(len(rows), dtype=np.uint32)
    for column in columns:
        total ^= _place_table(length - 1 - column).take(rows[:, column])
    return total


def ragged_crc32c(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Return the CRC-32C of payloads of any lengths.

    Parameters
    ----------
    data : ndarray of uint8
        Bytes that hold all payloads.
    starts, lengths : ndarray of int64, shape (n,)
        Where each payload begins in `data`, and its bytes.

    Returns
    -------
    ndarray of uint32, shape (n,)
    """
    import numpy as np

    if not len(starts):
        return np.zeros(0, dtype=np.uint32)
    order = np.argsort(-lengths, kind="stable")  # longest first: those still running are a prefix
    starts, lengths = starts[order], lengths[order]
    spans = (lengths - 4) // _SPAN  # full ones, behind the first
    ends = starts + lengths
    states = contribution(_first_spans(data, starts, lengths), range(_FIRST), _FIRST)
    windows = np.lib.stride_tricks.sliding_window_view(data, _SPAN) if len(data) >= _SPAN else data[:0]
    for step in range(int(spans[0])):
        running = int(np.searchsorted(-spans, -step, side="left"))
        rows = windows[ends[:running] - (spans[:running] - step) * _SPAN]
        rows.view("<u4")[:, 0] ^= states[:running]  # a state acts like a change of the next four bytes
        states[:running] = contribution(rows, range(_SPAN), _SPAN)
    result = np.empty(len(order), dtype=np.uint32)
    result[order] = states ^ np.uint32(_ALL_ONES)
    for place in np.flatnonzero(lengths < 4):  # too short to carry the four bytes of the start state
        result[order[place]] = crc32c(data[starts[place] : ends[place]].tobytes())
    return result


def _first_spans(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return the first, mostly shorter span of each payload, with zeros in front: they change nothing in a state of zero."""
    import numpy as np

    widths = (lengths - 4) % _SPAN + 4
    places = np.arange(_FIRST) - (_FIRST - widths)[:, None]  # position in the payload, negative in front of it
    inside = np.minimum(np.maximum(places, 0) + starts[:, None], max(len(data) - 1, 0))
    rows = np.where((places >= 0) & (lengths > 0)[:, None], data.take(inside), np.uint8(0))
    rows ^= np.where((places >= 0) & (places < 4), 255, 0).astype(np.uint8)  # the start state of all ones
    return rows


@cache
def _byte_table() -> tuple[int, ...]:
    """Return the state after one byte, for each byte value, from a state of zero."""
    table = []
    for byte in range(256):
        state = byte
        for _ in range(8):
            state = state >> 1 ^ (_POLYNOMIAL if state & 1 else 0)
        table.append(state)
    return tuple(table)


@cache
def _place_table(behind: int) -> npt.NDArray[np.uint32]:
    """Return the contribution of each byte value with `behind` bytes after it, shape (256,)."""
    import numpy as np

    table = np.array(_byte_table(), dtype=np.uint32)
    place = table
    for _ in range(behind):
        place = place >> np.uint32(8) ^ table[place & np.uint32(255)]
    return place
