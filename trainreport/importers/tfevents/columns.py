"""Whole blocks of events to columns of numbers.

Scalar events of one tag differ in a few bytes only: wall time, step, number. Records of one length are gathered as
rows, these bytes are masked, and rows that are then equal form a class: one of it is read in the plain way, and the
numbers of all stand at the same place. Whatever does not fit is read one by one by `events.read_event`, whose
result this must equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.tfevents.checksum import contribution, crc32c, mask, masked_crc32c, ragged_crc32c
from trainreport.importers.tfevents.events import Facts, decode_error, note_plugin, read_event
from trainreport.importers.tfevents.headers import HEADER_BYTES, words
from trainreport.importers.tfevents.layout import Layout, layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.records import Block

    _Taken = tuple[npt.NDArray[np.intp], npt.NDArray[np.int32], npt.NDArray[np.float64]]

__all__ = ["BAD_CHECKSUM", "NO_EVENT", "Columns", "Decoder"]

BAD_CHECKSUM = "the record does not match its checksum"
NO_EVENT = "the record is no event"

_STEP_AT = 10  # behind the key and eight bytes of the wall time, and the key of the step
_LONGEST_ROW = 4096  # a length and a step width then fit into 16 bits, which are sorted fastest
_FEWEST_ROWS = 16  # fewer are read sooner one by one
_FEWEST_MEMBERS = 8  # as are those of a class
_MOST_SHAPES = 8
_HIGH_BITS = 0x8080808080808080


class Columns(NamedTuple):
    """Numbers in the order of the file; all of shape (rows,)."""

    series: npt.NDArray[np.int32]
    """Position in `Decoder.series`."""
    values: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since 1970 UTC."""
    places: npt.NDArray[np.int64]
    """Byte in the file where the record begins."""

    def where(self, chosen: npt.NDArray[Any]) -> Columns:
        """Return some rows, by number or by a mask."""
        return Columns(self.series[chosen], self.values[chosen], self.steps[chosen], self.wall_times[chosen], self.places[chosen])

    @classmethod
    def joined(cls, parts: list[Columns]) -> Columns:
        """Return the rows of several below each other."""
        import numpy as np

        columns: list[Any] = list(zip(*parts, strict=True))
        return cls(*(np.concatenate(column) for column in columns))


@dataclass(frozen=True, slots=True)
class _Class:
    """Rows that differ in their three numbers only."""

    series: int
    layout: Layout
    crc: int
    """Checksum with these numbers set to zero bytes."""


@dataclass(slots=True)
class Decoder:
    """Decodes the blocks of one file; `series`, `facts` and `bad` fill up on the way."""

    series: dict[tuple[str, bool], int] = field(default_factory=dict)
    """(tag, whether it came as a tensor) -> position."""
    facts: Facts = field(default_factory=Facts)
    bad: list[tuple[int, str]] = field(default_factory=list)
    """Byte in the file where a record begins that could not be read, and why."""
    _classes: dict[bytes, _Class] = field(default_factory=dict)

    def block(self, block: Block) -> Columns:
        """Return the numbers of a block."""
        import numpy as np

        times, steps, widths = _times_and_steps(block)
        series = np.full(len(block.starts), -1, dtype=np.int32)
        values = np.zeros(len(block.starts))
        odd = np.ones(len(block.starts), dtype=bool)
        for group in _groups(block, widths):
            for rows, found, numbers in self._group(block, group, int(widths[group[0]])):
                series[rows], values[rows], odd[rows] = found, numbers, False
        regular = Columns(series, values, steps, times, block.starts + (block.offset - HEADER_BYTES)).where(series >= 0)
        others = self.plain(block, np.flatnonzero(odd))
        if not len(others.values):
            return regular
        both = Columns.joined([regular, others])
        return both.where(np.argsort(both.places, kind="stable"))

    def plain(self, block: Block, records: npt.NDArray[np.intp]) -> Columns:
        """Return the numbers of some records of a block, read one by one."""
        intact = self._intact(block, records)
        return self.payloads((block.payload(record), block.place(record)) for record in intact.tolist())

    def payloads(self, payloads: Iterable[tuple[bytes, int]]) -> Columns:
        """Return the numbers of events given as bytes, each with the place where its record begins."""
        import numpy as np

        error = decode_error()
        found: list[tuple[int, float, int, float, int]] = []
        for payload, place in payloads:
            try:
                wall_time, step, numbers = read_event(payload, place, self.facts)
            except error:
                self.bad.append((place, NO_EVENT))
                continue
            found += [(self._series(number.tag, number.is_tensor), number.value, step, wall_time, place) for number in numbers]
        parts = zip(*found, strict=True) if found else [()] * 5
        dtypes = (np.int32, np.float64, np.int64, np.float64, np.int64)
        return Columns(*(np.array(part, dtype=dtype) for part, dtype in zip(parts, dtypes, strict=True)))

    def _series(self, tag: str, is_tensor: bool) -> int:
        return self.series.setdefault((tag, is_tensor), len(self.series))

    def _intact(self, block: Block, records: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        starts, lengths = block.starts[records], block.lengths[records]
        same = self._matches(block, records, ragged_crc32c(block.data, starts, lengths))
        return records[same]

    def _matches(self, block: Block, records: npt.NDArray[np.intp], crcs: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        """Return which records match their stored checksum, and note those that do not."""
        same: npt.NDArray[np.bool_] = mask(crcs) == words(block.data, block.starts[records] + block.lengths[records], "<u4")
        self.bad += [(block.place(record), BAD_CHECKSUM) for record in records[~same].tolist()]
        return same

    def _group(self, block: Block, rows: npt.NDArray[np.intp], step_width: int) -> Iterator[_Taken]:
        """Yield rows of one length and step width with their series and numbers; rows that are not yielded are odd."""
        import numpy as np

        length = int(block.lengths[rows[0]])
        for _ in range(_MOST_SHAPES):
            if len(rows) < _FEWEST_ROWS:
                return
            layout = layout_of(block.payload(rows[0]))
            if layout is None:
                rows = rows[1:]
                continue
            gathered = _gather(block, rows, length)
            variable = _variable(layout, step_width)
            which, classes = self._classify(block, rows, gathered, layout, variable)
            fits = which >= 0
            fitting, chosen, codes = rows[fits], gathered[fits], which[fits]
            rows = rows[~fits]
            if not classes:
                rows = rows[1:]
                continue
            constant = np.array([known.crc for known in classes], dtype=np.uint32)[codes]
            intact = self._matches(block, fitting, constant ^ contribution(chosen, variable, length))
            series = np.array([known.series for known in classes], dtype=np.int32)[codes]
            yield fitting, np.where(intact, series, -1), layout.numbers(chosen)

    def _classify(
        self, block: Block, rows: npt.NDArray[np.intp], gathered: npt.NDArray[np.uint8], layout: Layout, variable: list[int]
    ) -> tuple[npt.NDArray[np.intp], list[_Class]]:
        """Return for each row the position of its class or -1, and the classes of this layout."""
        import numpy as np
        import pandas as pd

        length = int(block.lengths[rows[0]])
        masked = gathered.view("<u8") & _mask(variable, length, gathered.shape[1])
        codes, uniques = pd.factorize(_hashes(masked))
        first = np.empty(len(uniques), dtype=np.intp)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        same = (masked == masked[first[codes]]).all(axis=1)
        classes: list[_Class] = []
        position = np.full(len(uniques), -1, dtype=np.intp)
        for code, (row, members) in enumerate(zip(first.tolist(), np.bincount(codes).tolist(), strict=True)):
            template = masked[row].tobytes()[:length]
            known = self._classes.get(template)
            if known is None and members >= _FEWEST_MEMBERS:
                known = self._new_class(block, int(rows[row]), template)
            if known is not None and known.layout == layout:
                position[code] = len(classes)
                classes.append(known)
        return np.where(same, position[codes], -1), classes

    def _new_class(self, block: Block, record: int, template: bytes) -> _Class | None:
        """Return the class of a record from its bytes with the numbers masked, if it is intact and fit to stand for others."""
        payload, end = block.payload(record), int(block.starts[record]) + len(template)
        if masked_crc32c(payload) != int.from_bytes(block.data[end : end + 4].tobytes(), "little"):
            return None
        known = self._read_class(payload, template, block.place(record))
        if known is not None:
            self._classes[template] = known
        return known

    def _read_class(self, payload: bytes, template: bytes, place: int) -> _Class | None:
        layout = layout_of(payload)
        facts = Facts()
        try:
            _, _, numbers = read_event(payload, place, facts)
        except decode_error():
            return None
        if layout is None or len(numbers) != 1 or facts.texts or facts.params or facts.session_end:
            return None
        for tag, (_, plugin) in facts.plugins.items():
            note_plugin(self.facts, tag, place, plugin)
        return _Class(self._series(numbers[0].tag, numbers[0].is_tensor), layout, crc32c(template))


def _times_and_steps(block: Block) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Return wall times, steps and the bytes of the steps of all records, as if each began with them; -1 where it does not."""
    import numpy as np

    data, starts = block.data, block.starts
    times = words(data, starts + 1, "<f8")
    has_step = data[starts + 9] == 0x10
    word = words(data, starts + _STEP_AT, "<u8")
    ends = ~word & np.uint64(_HIGH_BITS)  # the byte that ends a varint has no high bit
    last = ends & (~ends + np.uint64(1))
    word &= (last << np.uint64(1)) - np.uint64(1)
    steps = np.zeros(len(starts), dtype=np.uint64)
    for place in range(_highest_byte(last[has_step])):
        steps |= (word >> np.uint64(8 * place) & np.uint64(127)) << np.uint64(7 * place)
    widths = np.where(has_step, np.bitwise_count(last - np.uint64(1)) // 8 + 1, 0).astype(np.int16)
    begins = (data[starts] == 0x09) & (block.lengths >= 9) & ~(has_step & (last == 0))
    return times, np.where(has_step, steps, 0).astype(np.int64), np.where(begins, widths, -1).astype(np.int16)


def _highest_byte(bits: npt.NDArray[np.uint64]) -> int:
    return (int(bits.max()).bit_length() + 7) // 8 if len(bits) else 0


def _groups(block: Block, widths: npt.NDArray[np.int16]) -> list[npt.NDArray[np.intp]]:
    """Return the records that may be scalars, in groups of one length and step width, each in the order of the file."""
    import numpy as np

    records = np.flatnonzero((widths >= 0) & (block.lengths < _LONGEST_ROW))
    keys = (block.lengths[records] << 4 | widths[records]).astype(np.uint16)
    order = np.argsort(keys, kind="stable")
    borders = np.flatnonzero(np.diff(keys[order])) + 1
    return [group for group in np.split(records[order], borders) if len(group) >= _FEWEST_ROWS]


def _gather(block: Block, rows: npt.NDArray[np.intp], length: int) -> npt.NDArray[np.uint8]:
    """Return payloads as rows, filled up to whole words with bytes that do not belong to them."""
    import numpy as np

    width = -(-length // 8) * 8
    return words(block.data, block.starts[rows], f"V{width}").view(np.uint8).reshape(len(rows), width)


def _variable(layout: Layout, step_width: int) -> list[int]:
    """Return the positions of the bytes that differ within a class."""
    number = range(layout.position, layout.position + layout.width)
    return [*range(1, 9), *range(_STEP_AT, _STEP_AT + step_width), *number]


def _mask(variable: list[int], length: int, width: int) -> npt.NDArray[np.uint64]:
    import numpy as np

    kept = np.zeros(width, dtype=np.uint8)
    kept[:length] = 255
    kept[variable] = 0
    return kept.view("<u8")


def _hashes(masked: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return a hash of each row; rows that share one by chance are told apart afterwards."""
    import numpy as np

    total = np.zeros(len(masked), dtype=np.uint64)
    for column in range(masked.shape[1]):
        total = (total ^ masked[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        total ^= total >> np.uint64(29)
    return total
