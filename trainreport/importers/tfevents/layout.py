"""Where the number of an event stands: what rows of one shape have in common."""

from __future__ import annotations

from typing import NamedTuple

from trainreport.importers.tfevents.wire import BYTES, FIXED32, FIXED64, VARINT, Field, WireError, fields

__all__ = ["Layout", "layout_of"]


class Layout(NamedTuple):
    """Position of the number in the payload, and its numpy dtype."""

    position: int
    dtype: str

    @property
    def width(self) -> int:
        """Bytes of the number."""
        return int(self.dtype[-1])


# What may stand in a tensor besides its number: dtype, shape, version.
_TENSOR_HEAD = {1: VARINT, 2: BYTES, 3: VARINT}
_FLOATS = {1: "<f4", 2: "<f8"}  # DataType of the contents that are taken by columns
_VALUES = {5: "<f4", 6: "<f8"}  # float_val and double_val
_CONTENT = 4


def layout_of(payload: bytes) -> Layout | None:
    """Return where the number stands in an event of the common shape, or None for any other.

    The common shape: wall time first, then a step or none, then a summary of one value that has a tag, at most
    metadata, and a simple value or a tensor with one float or double. Other bytes than these three numbers' do
    not depend on them.
    """
    try:
        top = _fields(payload, 0, len(payload))
        shape = [(part.number, part.wire) for part in top]
        if shape not in ([(1, FIXED64), (5, BYTES)], [(1, FIXED64), (2, VARINT), (5, BYTES)]):
            return None
        values = _fields(payload, top[-1].start, top[-1].end)
        if [(part.number, part.wire) for part in values] != [(1, BYTES)]:
            return None
        return _in_value(payload, _fields(payload, values[0].start, values[0].end))
    except WireError:
        return None


def _in_value(payload: bytes, parts: list[Field]) -> Layout | None:
    kinds = sorted((part.number, part.wire) for part in parts if part.number != 9)
    if len({part.number for part in parts}) != len(parts):
        return None
    if kinds == [(1, BYTES), (2, FIXED32)]:
        return next(Layout(part.start, "<f4") for part in parts if part.number == 2)
    if kinds == [(1, BYTES), (8, BYTES)]:
        return next(_in_tensor(payload, _fields(payload, part.start, part.end)) for part in parts if part.number == 8)
    return None


def _in_tensor(payload: bytes, parts: list[Field]) -> Layout | None:
    if len({part.number for part in parts}) != len(parts):
        return None
    rest = [part for part in parts if _TENSOR_HEAD.get(part.number) != part.wire]
    dtype = next((_FLOATS.get(payload[part.start]) for part in parts if part.number == 1), None)
    if len(rest) != 1 or dtype is None:
        return None
    (number,) = rest
    told = dtype if number.number == _CONTENT else _VALUES.get(number.number)
    width = number.end - number.start
    fits = told == dtype and width == int(dtype[-1]) and number.wire in (BYTES, FIXED32, FIXED64)
    return Layout(number.start, dtype) if fits else None


def _fields(payload: bytes, start: int, end: int) -> list[Field]:
    return list(fields(lambda at, count: payload[at : at + count], start, end))
