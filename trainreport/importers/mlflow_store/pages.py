"""Reads the rows of one SQLite table straight from its pages, many at once.

The file format is documented at https://sqlite.org/fileformat.html. Only what a large table of short rows needs is
known here; `leaf_blocks` and `Block` raise `OddError` wherever a file is different, and then SQLite itself reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Bytes = npt.NDArray[np.uint8]

__all__ = ["Block", "OddError", "leaf_blocks"]

_PAGES_AT_ONCE = 1024
_DEEPEST = 20
_CLOSE = 8
_INTERIOR, _LEAF = 5, 13
# Bytes of a value by its serial type: null, integers, float, the constants 0 and 1.
_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
_FLOAT, _ZERO, _ONE, _FIRST_TEXT = 7, 8, 9, 13


class OddError(Exception):
    """The file has something that is not read here."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The cells of some rows: for each column, serial types and where the values begin in `content`."""

    content: Bytes
    types: list[Ints]
    starts: list[Ints]

    def integers(self, column: int) -> Ints:
        """Return a column of whole numbers."""
        import numpy as np

        types, starts = self.types[column], self.starts[column]
        out = np.zeros(len(types), dtype=np.int64)
        for kind, rows in _by_kind(types):
            if 1 <= kind <= 6:
                width = _WIDTHS[kind]
                value = _big_endian(self.content, starts[rows], width)
                out[rows] = value - ((value >> (8 * width - 1)) << (8 * width)) if width < 8 else value
            elif kind == _ONE:
                out[rows] = 1
            elif kind != _ZERO:
                raise OddError
        return out

    def floats(self, column: int) -> npt.NDArray[np.float64]:
        """Return a column of numbers; SQLite keeps whole ones as integers."""
        import numpy as np

        types, starts = self.types[column], self.starts[column]
        real = np.flatnonzero(types == _FLOAT)
        whole = np.flatnonzero(types != _FLOAT)
        out = np.zeros(len(types), dtype=np.float64)
        out[real] = _gathered(self.content, starts[real], 8).view(">f8").ravel()
        if len(whole):
            out[whole] = Block(self.content, [types[whole]], [starts[whole]]).integers(0)
        return out

    def texts(self, column: int, known: dict[bytes, int]) -> Ints:
        """Return a number for each text of a column; `known` gets those that are new."""
        import numpy as np

        types, starts = self.types[column], self.starts[column]
        out = np.zeros(len(types), dtype=np.int64)
        for kind, rows in _by_kind(types):
            if kind < _FIRST_TEXT or kind % 2 == 0:
                raise OddError
            out[rows] = _numbered(_gathered(self.content, starts[rows], (kind - _FIRST_TEXT) // 2), known)
        return out


def leaf_blocks(stream: IO[bytes], root: int, columns: int) -> Iterator[Block]:
    """Yield the rows of a table in the order of writing.

    Parameters
    ----------
    stream : binary file
    root : int
        Number of the table's first page.
    columns : int
        How many columns the table has.

    Raises
    ------
    OddError
        If the table is not as simple as it must be here.
    """
    import numpy as np

    header = stream.read(100)
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    if size < 512 or header[20] or header[59] != 1 or root == 1:  # reserved bytes, no UTF-8
        raise OddError
    pages = stream.seek(0, 2) // size
    level = np.array([root], dtype=np.int64)
    for _ in range(_DEEPEST):
        if _read_pages(stream, level[:1], size)[0] == _LEAF:
            break
        level = np.concatenate([_children(_read_pages(stream, part, size), size) for part in _parts(level)])
        if len(level) > pages or level.min() < 1 or level.max() > pages:
            raise OddError
    for part in _parts(level):
        yield _block(_read_pages(stream, part, size), size, columns)


def _parts(pages: Ints) -> Iterator[Ints]:
    return (pages[start : start + _PAGES_AT_ONCE] for start in range(0, len(pages), _PAGES_AT_ONCE))


def _read_pages(stream: IO[bytes], pages: Ints, size: int) -> Bytes:
    """Return the pages below each other; where they lie close, all that is between them is read too."""
    import numpy as np

    first, last = int(pages.min()), int(pages.max())
    close = last - first < _CLOSE * len(pages)
    spans = [(first, last)] if close else [(int(page), int(page)) for page in pages]
    content = b"".join(_read(stream, (start - 1) * size, (end - start + 1) * size) for start, end in spans)
    flat = np.frombuffer(content, dtype=np.uint8)
    return flat.reshape(-1, size)[pages - first].ravel() if close else flat


def _read(stream: IO[bytes], start: int, count: int) -> bytes:
    stream.seek(start)
    content = stream.read(count)
    if len(content) != count:
        raise OddError
    return content


def _cells(content: Bytes, size: int, kind: int) -> tuple[Ints, Ints]:
    """Return where each cell of some pages begins, and where its page ends."""
    import numpy as np

    begins = np.arange(0, len(content), size)
    if (content[begins] != kind).any():
        raise OddError
    counts = _big_endian(content, begins + 3, 2)
    if (counts > size // 4).any():
        raise OddError
    page = np.repeat(begins, counts)
    nth = np.arange(len(page)) - np.repeat(np.cumsum(counts) - counts, counts)
    pointers = page + (8 if kind == _LEAF else 12) + 2 * nth
    return page + _big_endian(content, pointers, 2), page + size


def _children(content: Bytes, size: int) -> Ints:
    """Return the pages below some interior pages, in their order."""
    import numpy as np

    cells, _ = _cells(content, size, _INTERIOR)
    begins = np.arange(0, len(content), size)
    below = _big_endian(content, cells, 4)
    last = _big_endian(content, begins + 8, 4)
    after = np.cumsum(_big_endian(content, begins + 3, 2))
    children: Ints = np.insert(below, after, last)
    return children


def _block(content: Bytes, size: int, columns: int) -> Block:
    """Return the cells of some leaf pages."""
    import numpy as np

    cells, ends = _cells(content, size, _LEAF)
    content = np.concatenate([content, np.zeros(16, dtype=np.uint8)])  # a number at the very end may be looked at beyond it
    payload, at = _varints(content, cells)
    _, body = _varints(content, at)
    header, at = _varints(content, body)
    if (payload > size - 35).any() or (body + payload > ends).any():  # part of the row lies on other pages, or is not there
        raise OddError
    start = body + header
    widths = np.array(_WIDTHS, dtype=np.int64)
    types, starts = [], []
    for _ in range(columns):
        kind, at = _varints(content, at)
        types.append(kind)
        starts.append(start)
        if ((kind == 10) | (kind == 11)).any():
            raise OddError
        start = start + np.where(kind < 10, widths[np.minimum(kind, 9)], (kind - 12) // 2)
    if (at != body + header).any() or (start != body + payload).any():  # more or fewer columns
        raise OddError
    return Block(content, types, starts)


def _by_kind(types: Ints) -> Iterator[tuple[int, Any]]:
    """Yield each serial type with the rows that have it."""
    import numpy as np

    kinds = np.flatnonzero(np.bincount(types)).tolist()  # types are small: `_block` held them against the size of a page
    for kind in kinds:
        yield kind, slice(None) if len(kinds) == 1 else np.flatnonzero(types == kind)


def _varints(content: Bytes, at: Ints) -> tuple[Ints, Ints]:
    """Return SQLite's integers of variable length (up to 8 bytes) and where what follows begins."""
    import numpy as np

    first = content[at].astype(np.int64)
    value, after = first & 127, at + 1
    more = np.flatnonzero(first > 127)
    for _ in range(7):
        if not len(more):
            return value, after
        byte = content[np.minimum(after[more], len(content) - 1)].astype(np.int64)
        value[more] = value[more] << 7 | byte & 127
        after[more] += 1
        more = more[byte > 127]
    raise OddError


def _big_endian(content: Bytes, starts: Ints, width: int) -> Ints:
    """Return unsigned integers of `width` bytes."""
    import numpy as np

    out = content[starts].astype(np.int64)
    for place in range(1, width):
        out = out << 8 | content[starts + place]
    return np.asarray(out, dtype=np.int64)


def _gathered(content: Bytes, starts: Ints, width: int) -> Bytes:
    """Return `width` bytes from each start, one row each."""
    import numpy as np

    if not width:
        return np.zeros((len(starts), 0), dtype=np.uint8)
    content = np.ascontiguousarray(content)
    windows: Any = np.ndarray(len(content) - width + 1, dtype=f"V{width}", buffer=content.data, strides=(1,))
    rows: Bytes = windows[starts].view(np.uint8).reshape(-1, width)
    return rows


def _numbered(texts: Bytes, known: dict[bytes, int]) -> Ints:
    """Return the number in `known` of each row of `texts`."""
    import numpy as np

    rows, width = texts.shape
    if rows and (texts == texts[0]).all():
        return np.full(rows, known.setdefault(texts[0].tobytes(), len(known)), dtype=np.int64)
    words = np.zeros((rows, (width + 7) // 8), dtype=np.uint64)
    words.view(np.uint8)[:, :width] = texts
    mixed = np.zeros(rows, dtype=np.uint64)
    for word in words.T:
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    _, first, place = np.unique(mixed, return_index=True, return_inverse=True)
    if (texts != texts[first][place]).any():  # two texts of one hash
        raise OddError
    return np.array([known.setdefault(texts[one].tobytes(), len(known)) for one in first], dtype=np.int64)[place]
