"""CRC-32C as TFRecord files use it: masked, of one payload in plain Python or of many at once.

A CRC is linear: the checksum of a row is the exclusive or of what each byte contributes at its place. The
contribution of a byte value with `k` bytes behind it is a table look-up, so one look-up serves a whole column.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy as np
    import numpy.typing as npt

__all__ = ["advanced", "contribution", "crc32c", "mask", "masked_crc32c", "number_contribution", "ragged_crc32c"]

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_ALL_ONES = 0xFFFFFFFF
_SPAN = 64  # bytes that are looked up together
_FEW_BYTES = 12_000  # with fewer in all, payloads are sooner done one by one
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


def number_contribution(numbers: npt.NDArray[Any], width: int, behind: int) -> npt.NDArray[np.uint32]:
    """Return what numbers at one place add to the CRC of rows that are zero there; two bytes a look-up.

    Parameters
    ----------
    numbers : ndarray, shape (n,)
        Little endian.
    width : int
        Bytes of a number that are looked at, from its first on; the rest is zero.
    behind : int
        Bytes of a row behind the whole number.
    """
    import numpy as np

    halves = np.ascontiguousarray(numbers).view("<u2").reshape(len(numbers), numbers.itemsize // 2)
    last = behind + 2 * (halves.shape[1] - 1)
    total = _pair_table(last).take(halves[:, 0])
    for column in range(1, -(-width // 2)):
        total ^= _pair_table(last - 2 * column).take(halves[:, column])
    return total


def advanced(states: npt.NDArray[np.uint32], by: Sequence[int], which: npt.NDArray[np.intp]) -> npt.NDArray[np.uint32]:
    """Return what states of the checksum are after some zero bytes.

    Parameters
    ----------
    states : ndarray of uint32, shape (n,)
        What has been added so far, without a start state.
    by : sequence of int
        Numbers of zero bytes.
    which : ndarray of int, shape (n,)
        Position in `by` for each state.
    """
    import numpy as np

    known = {count: place for place, count in enumerate(dict.fromkeys(by))}
    if list(known) == [0]:
        return states
    tables = np.stack([_zeros_table(count) for count in known], axis=1).reshape(4, -1)
    parts = np.ascontiguousarray(states).view(np.uint8).reshape(-1, 4)
    rows = np.array([known[count] << 8 for count in by], dtype=np.intp).take(which) if len(known) > 1 else np.intp(0)
    total: npt.NDArray[np.uint32] = tables[0].take(rows + parts[:, 0])
    for column in range(1, 4):
        total ^= tables[column].take(rows + parts[:, column])
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

    result = np.empty(len(starts), dtype=np.uint32)
    are_few = int(lengths.sum()) < _FEW_BYTES
    for place in range(len(lengths)) if are_few else np.flatnonzero(lengths < 4):  # four bytes carry the start state
        result[place] = crc32c(data[starts[place] : starts[place] + lengths[place]].tobytes())
    many = np.flatnonzero((lengths >= 4) & (not are_few))
    if len(many):
        result[many] = _by_spans(data, starts[many], lengths[many]) ^ np.uint32(_ALL_ONES)
    return result


def _by_spans(data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Return the states after payloads of four bytes and more.

    A state is the exclusive or of what each span would leave if all others were zero: first that of each span at its
    own end, then moved to the end of the payload.
    """
    import numpy as np

    states = contribution(_first_spans(data, starts, lengths), range(_FIRST), _FIRST)
    spans = (lengths - 4) // _SPAN  # full ones, behind the first
    states = advanced(states, [_SPAN * count for count in range(int(spans.max()) + 1)], spans)
    owners = np.repeat(np.arange(len(spans)), spans)
    if len(owners):
        behind = np.repeat(np.cumsum(spans), spans) - np.arange(len(owners)) - 1
        rows = np.lib.stride_tricks.sliding_window_view(data, _SPAN)[(starts + lengths)[owners] - (behind + 1) * _SPAN]
        moved = advanced(contribution(rows, range(_SPAN), _SPAN), [_SPAN * count for count in range(int(spans.max()))], behind)
        have = np.flatnonzero(spans)
        states[have] ^= np.bitwise_xor.reduceat(moved, (np.cumsum(spans) - spans)[have])
    return states


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
    return _after_zero_byte(_place_table(behind - 1)) if behind else table


@cache
def _pair_table(behind: int) -> npt.NDArray[np.uint32]:
    """Return the contribution of each pair of byte values with `behind` bytes after it, shape (65536,)."""
    pairs: npt.NDArray[np.uint32] = (_place_table(behind)[:, None] ^ _place_table(behind + 1)).ravel()
    return pairs


@lru_cache(maxsize=2048)
def _zeros_table(count: int) -> npt.NDArray[np.uint32]:
    """Return what each byte of a state becomes after `count` zero bytes, shape (4, 256)."""
    import numpy as np

    if count == 0:
        return np.arange(256, dtype=np.uint32) << np.array([0, 8, 16, 24], dtype=np.uint32)[:, None]
    if count % _SPAN or count == _SPAN:
        return _after_zero_byte(_zeros_table(count - 1))
    states, step = _zeros_table(count - _SPAN), _zeros_table(_SPAN)
    parts = [step[part].take(states >> np.uint32(8 * part) & np.uint32(255)) for part in range(4)]
    after: npt.NDArray[np.uint32] = np.bitwise_xor.reduce(parts)
    return after


def _after_zero_byte(states: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    import numpy as np

    after: npt.NDArray[np.uint32] = states >> np.uint32(8) ^ _place_table(0)[states & np.uint32(255)]
    return after
