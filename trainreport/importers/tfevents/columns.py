"""Whole blocks of events to columns of numbers.

Records are gathered as rows of bytes and told apart by class (`classes`); the numbers of a class stand at the same
place in all its members, and its checksums differ by what these numbers add. Whatever is of no class is read one by
one by `events.read_event`, whose result all of this must equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.tfevents.checksum import mask, ragged_crc32c
from trainreport.importers.tfevents.classes import Classes
from trainreport.importers.tfevents.events import Facts, decode_error, note_plugin, read_event, sift
from trainreport.importers.tfevents.gathered import Steps, alike, gather, step_values, steps_of, taken
from trainreport.importers.tfevents.headers import words
from trainreport.importers.tfevents.parts import Block, LargeRecord
from trainreport.importers.tfevents.template import Rhythm
from trainreport.importers.tfevents.wire import WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.gathered import Gathered

__all__ = ["BAD_CHECKSUM", "NO_EVENT", "Columns", "Decoder"]

BAD_CHECKSUM = "the record does not match its checksum"
NO_EVENT = "the record is no event"


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

        if len(parts) == 1:
            return parts[0]
        columns: list[Any] = list(zip(*parts, strict=True))
        return cls(*(np.concatenate(column) for column in columns))


@dataclass(slots=True)
class Decoder:
    """Decodes the blocks of one file; `series`, `facts` and `bad` fill up on the way."""

    read: Callable[[int, int], bytes]
    """Returns the bytes of the file from a place on, at most so many."""
    series: dict[tuple[str, bool], int] = field(default_factory=dict)
    """(tag, whether it came as a tensor) -> position."""
    facts: Facts = field(default_factory=Facts)
    bad: list[tuple[int, str]] = field(default_factory=list)
    """Byte in the file where a record begins that could not be read, and why."""
    rhythm: Rhythm = field(default_factory=Rhythm)
    """What the blocks so far tell of the next."""
    _classes: Classes = field(default_factory=Classes)
    _of_classes: list[int] = field(default_factory=list)
    """Series of each class."""
    _unnoted: set[int] = field(default_factory=set)
    """Classes that name a plugin, of which no intact record was met yet."""
    _plugins: list[tuple[int, str, str]] = field(default_factory=list)
    """Place, tag and plugin of those that were met in the block at hand."""

    def block(self, block: Block) -> Columns:
        """Return the numbers of a block."""
        import numpy as np

        codes = np.full(len(block.starts), -1, dtype=np.intp)
        parts = []
        for records in alike(block.lengths):
            found = gather(block, records)
            steps, mine = self._told_apart(block, found)
            codes = mine if len(records) == len(codes) else _put(codes, records, mine)
            parts.append(self._columns(block, found, steps, mine))
        if block.classes is None:
            self.rhythm.learn(block, codes, self._classes.items)
            parts.append(self.plain(block, np.flatnonzero(codes < 0)))
        self._note_plugins()
        parts = [part for part in parts if len(part.values)]
        if len(parts) == 1:
            return parts[0]
        columns = Columns.joined([*parts, self.payloads([])])
        return columns.where(np.argsort(columns.places, kind="stable"))

    def plain(self, block: Block, records: npt.NDArray[np.intp]) -> Columns:
        """Return the numbers of some small records of a block and of all large ones, read one by one."""
        if len(records):
            crcs = mask(ragged_crc32c(block.data, block.starts[records], block.lengths[records]))
            records = records[self._matches(block, records, crcs)]
        return self.payloads(self._in_turn(block, records))

    def _in_turn(self, block: Block, records: npt.NDArray[np.intp]) -> Iterator[tuple[bytes, int]]:
        """Yield payloads and places in the order of the file, all plugins noted that the file names before."""
        small: list[tuple[int, int | LargeRecord]] = list(zip(block.places[records].tolist(), records.tolist(), strict=True))
        for place, record in sorted([*small, *((record.place, record) for record in block.large)], key=itemgetter(0)):
            self._note_plugins(before=place)
            try:
                yield self._sifted(record) if isinstance(record, LargeRecord) else block.payload(record), place
            except WireError:
                self.bad.append((place, NO_EVENT))

    def _sifted(self, record: LargeRecord) -> bytes:
        return sift(record.reader(self.read), record.offset, record.offset + record.length)

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

    def _matches(self, block: Block, records: npt.NDArray[np.intp], crcs: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        """Return which records match their stored checksum, and note those that do not."""
        same: npt.NDArray[np.bool_] = crcs == words(block.data, taken(block.starts, records) + taken(block.lengths, records), "<u4")
        if not same.all():
            self.bad += [(place, BAD_CHECKSUM) for place in block.places[records[~same]].tolist()]
        return same

    def _told_apart(self, block: Block, found: Gathered) -> tuple[Steps, npt.NDArray[np.intp]]:
        """Return the steps and the classes of records."""
        import numpy as np

        if block.classes is None:
            steps, before = steps_of(found), len(self._classes.items)
            codes = self._classes.classify(found, steps.widths)
            self._unnoted |= {number for number in range(before, len(self._classes.items)) if self._classes.items[number].plugins}
            return steps, codes
        codes = taken(block.classes, found.records)
        widths = self._classes.table().step_widths
        kept = np.array([(1 << 8 * width) - 1 for width in widths.tolist()], dtype=np.uint64)
        written = found.step_words() & kept.take(codes)
        return Steps(step_values(written), written, widths), codes

    def _columns(self, block: Block, found: Gathered, steps: Steps, codes: npt.NDArray[np.intp]) -> Columns:
        """Return the numbers of those records that are of a class and intact."""
        import numpy as np

        values, written, times = steps.values, steps.words, found.wall_times()
        chosen = np.flatnonzero(codes >= 0) if codes.min(initial=0) < 0 else codes
        if not len(chosen):
            return self.payloads([])
        if len(chosen) < len(codes):
            found, codes, values, written, times = found.where(chosen), codes[chosen], values[chosen], written[chosen], times[chosen]
        numbers, added = self._classes.numbers(found, codes)
        intact = self._matches(block, found.records, self._classes.crcs(codes, times, written, added))
        if self._unnoted:
            self._find_plugins(block, found.records[intact], codes[intact])
        self._of_classes += [self._series(item.tag, item.is_tensor) for item in self._classes.items[len(self._of_classes) :]]
        series = np.array(self._of_classes, dtype=np.int32).take(codes)
        columns = Columns(series, numbers, values, times, taken(block.places, found.records))
        return columns if intact.all() else columns.where(intact)

    def _find_plugins(self, block: Block, records: npt.NDArray[np.intp], codes: npt.NDArray[np.intp]) -> None:
        """Look for the first intact record of classes that name a plugin."""
        import numpy as np

        for number in sorted(self._unnoted & set(codes.tolist())):
            place = int(block.places[records[np.flatnonzero(codes == number)[0]]])
            self._plugins += [(place, tag, plugin) for tag, plugin in self._classes.items[number].plugins]
            self._unnoted.remove(number)
        self._plugins.sort()

    def _note_plugins(self, before: float = inf) -> None:
        """Note the plugins that classes name, where the file does so before a place."""
        while self._plugins and self._plugins[0][0] < before:
            place, tag, plugin = self._plugins.pop(0)
            note_plugin(self.facts, tag, place, plugin)


def _put(values: npt.NDArray[np.intp], places: npt.NDArray[np.intp], new: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    values[places] = new
    return values
