"""A whole event file: its numbers, what else it tells, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trainreport.importers.tfevents.columns import Columns, Decoder
from trainreport.importers.tfevents.parts import Block, Damage
from trainreport.importers.tfevents.records import blocks

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tfevents.events import Facts

__all__ = ["EventLog", "read_log"]

# A tensor of one number is a series if the first record of its tag names the scalars plugin, or none does.
_SCALAR_PLUGINS = ("scalars", "")


@dataclass(frozen=True, slots=True, eq=False)
class EventLog:
    """What an event file holds."""

    tags: list[str]
    """Tags of the series, each once."""
    codes: npt.NDArray[np.signedinteger[Any]]
    """For each number, in the order of the file, the position of its tag."""
    columns: Columns
    facts: Facts
    damages: list[Damage]
    """In the order of the file."""
    bad_records: int
    """Damaged records of which the place is known."""


def read_log(path: Path, *, plain: bool = False) -> EventLog:
    """Read an event file.

    The checksum of each header is checked, and that of each payload below `headers.LARGE` bytes.

    Parameters
    ----------
    path : Path
        The file.
    plain : bool
        Read each record by itself: slow, and the measure for the fast way.
    """
    _keep_freed_memory()
    damages: list[Damage] = []
    parts: list[Columns] = []
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        decoder = Decoder(partial(_bytes_at, stream))
        for part in blocks(stream, size, None if plain else decoder.rhythm):
            if isinstance(part, Damage):
                damages.append(part)
            else:
                parts.append(_decoded(decoder, part, plain))
    bad = [Damage(place, place, what) for place, what in decoder.bad]
    columns = Columns.joined(parts) if parts else decoder.payloads([])
    tags, codes, columns = _only_series(decoder, columns)
    return EventLog(tags, codes, columns, decoder.facts, sorted(damages + bad, key=lambda damage: damage.offset), len(bad))


def _keep_freed_memory() -> None:
    """Let the allocator keep what a block leaves for the next one: glibc does from the size on that it saw freed once.

    Otherwise it gives the memory back after each block, and a quarter of the time goes into getting it again.
    """
    import numpy as np

    np.empty((1 << 25) - (1 << 13), dtype=np.uint8)


def _bytes_at(stream: BinaryIO, at: int, count: int) -> bytes:
    stream.seek(at)
    return stream.read(count)


def _decoded(decoder: Decoder, block: Block, plain: bool) -> Columns:
    import numpy as np

    return decoder.plain(block, np.arange(len(block.starts))) if plain else decoder.block(block)


def _only_series(decoder: Decoder, columns: Columns) -> tuple[list[str], npt.NDArray[np.signedinteger[Any]], Columns]:
    """Return tags, their positions and rows without tensors of other plugins; a tag that came in both forms is one."""
    import numpy as np

    counts = np.bincount(columns.series, minlength=len(decoder.series)).tolist()
    tags: dict[str, int] = {}
    translation = np.full(len(counts), -1, dtype=np.intp)
    for (tag, is_tensor), number in decoder.series.items():
        if counts[number] and (not is_tensor or decoder.facts.plugin(tag) in _SCALAR_PLUGINS):
            translation[number] = tags.setdefault(tag, len(tags))
    if (translation == np.arange(len(counts))).all():
        return list(tags), columns.series, columns
    codes = translation[columns.series]
    if (codes < 0).any():
        codes, columns = codes[codes >= 0], columns.where(codes >= 0)
    return list(tags), codes, columns
