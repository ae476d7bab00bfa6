"""Classes of records: those that differ in wall time, step and number only.

A class is known by its template, the payload with these numbers set to zero. What a template says, its members say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.tfevents.checksum import advanced, crc32c, mask, number_contribution
from trainreport.importers.tfevents.events import Facts, decode_error, read_event
from trainreport.importers.tfevents.gathered import AHEAD
from trainreport.importers.tfevents.layout import Layout, layout_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.gathered import Gathered

__all__ = ["Class", "Classes", "class_of", "kept_bits"]

_HEAD = 18  # bytes of a payload that wall time and step lie in, if the step has up to eight
_TIME_END, _STEP_AT = 9, 10
_FEWEST_ROWS = 16  # fewer are read sooner one by one
_FEWEST_MEMBERS = 8  # as are those of a class, counted over all files: many runs log under the same names
_MOST_ROUNDS = 8
_MOST_SEEN = 1 << 14
_ALL_TRUE = 0x0101010101010101

_members: dict[bytes, int] = {}
"""Template -> how often members were looked at, where they were few; it decides how fast records are read, not what is read."""


class Class(NamedTuple):
    """What the members of a class share."""

    tag: str
    is_tensor: bool
    plugins: tuple[tuple[str, str], ...]
    """Tag and plugin, where the template names one."""
    layout: Layout
    step_width: int
    length: int
    """Payload bytes."""
    crc: int
    """Checksum of the template."""


def _layout(payload: bytes, step_width: int) -> Layout | None:
    """Return the layout of a payload, looked up where one was met that differs in its numbers only."""
    head = payload[:1] + bytes(8) + payload[9:_STEP_AT] + _step_zero(step_width)
    return _layout_of(head + payload[_STEP_AT + step_width : -4] + bytes(4))


def _step_zero(width: int) -> bytes:
    return b"\x80" * (width - 1) + bytes(min(width, 1))


_layout_of = lru_cache(maxsize=1 << 12)(layout_of)


@lru_cache(maxsize=1 << 12)
def kept_bits(layout: Layout, step_width: int, length: int) -> bytes:
    """Return the mask that makes a template of a payload; of a step the bits stay that tell where it ends."""
    kept = bytearray(b"\xff" * length)
    kept[1:9] = bytes(8)
    kept[_STEP_AT : _STEP_AT + step_width] = b"\x80" * step_width
    kept[layout.position : layout.position + layout.width] = bytes(layout.width)
    return bytes(kept)


@lru_cache(maxsize=1 << 14)
def class_of(template: bytes, step_width: int) -> Class | None:
    """Return the class of a template, or None where its members could differ in more than their numbers."""
    layout, facts = layout_of(template), Facts()
    if layout is None or layout.position < _HEAD:
        return None
    try:
        _, _, numbers = read_event(template, 0, facts)
    except decode_error():
        return None
    if len(numbers) != 1 or facts != Facts(plugins=facts.plugins):
        return None
    plugins = tuple((tag, plugin) for tag, (_, plugin) in facts.plugins.items())
    crc = crc32c(template[:_STEP_AT] + bytes(step_width) + template[_STEP_AT + step_width :])
    return Class(numbers[0].tag, numbers[0].is_tensor, plugins, layout, step_width, len(template), crc)


class Table(NamedTuple):
    """Of each class, what is computed with; arrays and lists of one length."""

    positions: npt.NDArray[np.int64]
    is_double: npt.NDArray[np.bool_]
    step_widths: npt.NDArray[np.int64]
    crcs: npt.NDArray[np.uint32]
    behind_head: list[int]
    """Payload bytes behind those of wall time and step."""
    behind_number: list[int]


def _table(items: list[Class]) -> Table:
    import numpy as np

    return Table(
        np.array([item.layout.position for item in items], dtype=np.int64),
        np.array([item.layout.width == 8 for item in items], dtype=np.bool_),
        np.array([item.step_width for item in items], dtype=np.int64),
        np.array([item.crc for item in items], dtype=np.uint32),
        [item.length - _HEAD for item in items],
        [item.length - item.layout.position - item.layout.width for item in items],
    )


@dataclass(slots=True)
class Classes:
    """The classes of one file, filled up as its records are met."""

    items: list[Class] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)
    """Template -> position in `items`."""
    _table: Table | None = None

    def table(self) -> Table:
        """Return what is needed of each class, as arrays."""
        if self._table is None or len(self._table.crcs) != len(self.items):
            self._table = _table(self.items)
        return self._table

    def classify(self, found: Gathered, widths: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
        """Return the position of the class of each record, -1 for those to be read one by one.

        Records of one length and step width are taken to have the layout of the first of them. What does not fit is
        tried again with the layout of the first that is left.
        """
        import numpy as np

        codes = np.full(len(widths), -1, dtype=np.intp)
        left = np.flatnonzero(widths >= 0)
        for _ in range(_MOST_ROUNDS):
            if len(left) < _FEWEST_ROWS:
                break
            some = found if len(left) == len(widths) else found.where(left)
            mine, tried = self._round(some, widths[left])
            codes[left] = mine
            mine[tried] = 0  # with their own layouts they fit no better in the next round
            left = left[mine < 0]
        return codes

    def numbers(self, found: Gathered, codes: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        """Return the number of each record, and what it adds to the checksum with no bytes behind it."""
        import numpy as np

        table = self.table()
        positions = table.positions.take(codes)
        singles = found.at(positions, "<f4")
        added = number_contribution(singles, 4, 0)
        with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
            values = singles.astype(np.float64)
        if table.is_double.any():
            doubles = np.flatnonzero(table.is_double.take(codes))
            values[doubles] = found.where(doubles).at(positions[doubles], "<f8")
            added[doubles] = number_contribution(values[doubles], 8, 0)
        return values, added

    def crcs(
        self, codes: npt.NDArray[np.intp], times: npt.NDArray[np.float64], steps: npt.NDArray[np.uint64], added: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.uint32]:
        """Return the checksums that records of known classes must have.

        A checksum is that of the template with what wall time, step and number add to it, each moved to its place.

        Parameters
        ----------
        codes : ndarray of int, shape (n,)
            Position of each record's class.
        times, steps, added : ndarray, shape (n,)
            Wall times, bytes of the steps, and what the numbers add.
        """
        table = self.table()
        total = number_contribution(times, 8, _HEAD - _TIME_END) ^ number_contribution(steps, int(table.step_widths.max(initial=0)), 0)
        total = advanced(total, table.behind_head, codes) ^ advanced(added, table.behind_number, codes)
        return mask(total ^ table.crcs.take(codes))

    def _round(self, found: Gathered, widths: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return the classes of records by one layout for each length and step width, and the records that gave these."""
        import numpy as np

        firsts, shapes = _distinct((found.lengths << 4 | widths).astype(np.uint16))
        layouts = [_layout(found.payload(row), int(widths[row])) for row in firsts.tolist()]
        kept = np.zeros((len(firsts), found.rows.shape[1]), dtype=np.uint8)
        for mask_row, row, layout in zip(kept, firsts.tolist(), layouts, strict=True):
            if layout is not None:
                bits = kept_bits(layout, int(widths[row]), int(found.lengths[row]))
                mask_row[AHEAD : AHEAD + len(bits)] = np.frombuffer(bits, dtype=np.uint8)
        masked = kept.view("<u8").take(shapes, axis=0)
        masked &= found.rows.view("<u8")
        likely, groups = _distinct(_hashes(masked))
        same = _equal(masked, masked.take(likely.take(groups), axis=0))
        members = np.bincount(groups if same.all() else groups[same], minlength=len(likely))
        numbers = [
            self._number(masked[row].tobytes()[AHEAD : AHEAD + int(found.lengths[row])], int(widths[row]), layouts[shapes[row]], count)
            for row, count in zip(likely.tolist(), members.tolist(), strict=True)
        ]
        codes = np.array(numbers, dtype=np.intp).take(groups)
        codes[~same] = -1
        return codes, firsts

    def _number(self, template: bytes, step_width: int, layout: Layout | None, members: int) -> int:
        """Return the position of a template's class, -1 where it has none or too few members so far to be worth one."""
        number = self._numbers.get(template)
        if number is None and layout is not None:
            are_many = members >= _FEWEST_MEMBERS or _are_many(template, members)
            item = class_of(template, step_width) if are_many else None
            if item is not None:
                number = self._numbers[template] = len(self.items)
                self.items.append(item)
        return -1 if number is None or self.items[number].layout != layout else number


def _are_many(template: bytes, members: int) -> bool:
    """Return whether a template had enough members in all files that were read, these among them."""
    if len(_members) >= _MOST_SEEN:
        _members.clear()
    _members[template] = total = _members.get(template, 0) + members
    return total >= _FEWEST_MEMBERS


def _distinct(keys: npt.NDArray[np.uint16]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first row of each key, in rising order, and for each row the position of its key."""
    import numpy as np

    rows = np.arange(len(keys))
    table = np.empty(1 << 16, dtype=np.intp)
    table[keys[::-1]] = rows[::-1]  # of rows with one key the last to be written is the first
    firsts = np.flatnonzero(table.take(keys) == rows)
    table[keys[firsts]] = rows[: len(firsts)]
    return firsts, table.take(keys)


def _hashes(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """Return a hash of each row; rows that share one by chance are told apart afterwards."""
    import numpy as np

    odd = np.arange(1, 2 * words.shape[1], 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((words @ (odd ^ odd >> np.uint64(31) | np.uint64(1))) >> np.uint64(48)).astype(np.uint16)


def _equal(first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return which rows of words are equal, eight words at once; their number is a multiple of eight."""
    import numpy as np

    eights = (first == second).view(np.uint64) == np.uint64(_ALL_TRUE)
    same: npt.NDArray[np.bool_] = eights[:, 0] if eights.shape[1] == 1 else eights.all(axis=1)
    return same
