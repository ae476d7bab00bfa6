"""The wire format of protobuf, as far as it is walked by hand: to pass over large parts, and to find where a number stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["BYTES", "FIXED32", "FIXED64", "VARINT", "Field", "WireError", "fields", "framed"]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT = 10
_WINDOW = 64  # bytes read at once: several small fields, and little of a large one


class WireError(ValueError):
    """Bytes that are no protobuf message."""


class Field(NamedTuple):
    """A field of a message: its number, wire type, and where its key and its content lie."""

    number: int
    wire: int
    key_at: int
    start: int
    end: int


def fields(read: Callable[[int, int], bytes], at: int, end: int) -> Iterator[Field]:
    """Yield the fields of a message without looking into them.

    Parameters
    ----------
    read : callable
        Returns the bytes from a position, at most so many.
    at, end : int
        Where the message lies.

    Raises
    ------
    WireError
        If the bytes are no message.
    """
    window, begin = b"", at
    while at < end:
        if at + 2 * _LONGEST_VARINT > begin + len(window) < end:
            window, begin = read(at, min(_WINDOW, end - at)), at
        key, used = _varint(window, at - begin)
        number, wire = key >> 3, key & 7
        start = begin + used
        if wire == VARINT:
            stop = begin + _varint(window, used)[1]
        elif wire == BYTES:
            length, used = _varint(window, used)
            start = begin + used
            stop = start + length
        elif wire in _FIXED_BYTES:
            stop = start + _FIXED_BYTES[wire]
        else:
            raise WireError(f"wire type {wire}")
        if stop > end or not number:
            raise WireError("a field ends behind its message")
        yield Field(number, wire, at, start, stop)
        at = stop


def framed(number: int, content: bytes) -> bytes:
    """Return `content` as a field with a length before it; `number` is at most 15."""
    length, head = len(content), bytearray([number << 3 | BYTES])
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return bytes(head) + content


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a varint and the position behind it."""
    if at < len(data) and data[at] < 128:  # as most are
        return data[at], at + 1
    value = 0
    for place, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        value |= (byte & 127) << 7 * place
        if byte < 128:
            return value, at + place + 1
    raise WireError("a varint does not end")
