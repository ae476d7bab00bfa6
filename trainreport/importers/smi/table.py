"""Splits the text of an nvidia-smi log into columns of cells.

`split_plain` says what such a text means. `split_fast` reads regular text with Arrow and gives up (None)
wherever it could differ. A column keeps each distinct text once, so that only these are parsed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    import numpy.typing as npt

    Codes = npt.NDArray[np.int64] | npt.NDArray[np.int32]

__all__ = ["Column", "Table", "Text", "cells_of", "decode", "lines_of", "plain", "split", "split_fast", "split_plain"]

LONGEST_LINE = 2_000_000
_SAMPLE = 65_536
"""Bytes that show which columns hold mostly different texts."""
_BLANKS = b" \t\n\r\v\f"


class Column:
    """The cells of one column: `texts[codes[row]]`, without blanks around."""

    def __init__(
        self,
        encode: Callable[[], tuple[list[str], Codes]],
        cells: Any = None,
        rows: npt.NDArray[np.intp] | None = None,
    ) -> None:
        self._encode = encode
        self.cells = cells
        """As Arrow has them, where nearly all differ: spares telling them apart."""
        self.rows = rows
        """The rows of the table that have this column; None: all."""

    @classmethod
    def of(cls, texts: list[str], codes: Codes, rows: npt.NDArray[np.intp] | None = None) -> Column:
        """Return the column of these texts."""
        return cls(lambda: (texts, codes), rows=rows)

    @classmethod
    def from_cells(cls, cells: Iterable[str]) -> Column:
        """Return the column of these cells."""
        import numpy as np

        places: dict[str, int] = {}
        codes = [places.setdefault(cell, len(places)) for cell in cells]
        return cls.of(list(places), np.array(codes, dtype=np.int64))

    @cached_property
    def characters(self) -> list[npt.NDArray[np.uint8]]:
        """Return the characters of rows, pieces of shape (rows, width), where all cells are known to be equally wide, else nothing."""
        parts = [_characters(chunk) for chunk in self.cells.chunks if len(chunk)] if self.cells is not None else []
        pieces = [part for part in parts if part is not None]
        return pieces if len(pieces) == len(parts) and len({part.shape[1] for part in pieces}) == 1 else []

    @cached_property
    def _encoded(self) -> tuple[list[str], Codes]:
        return self._encode()

    @property
    def texts(self) -> list[str]:
        """Return the distinct cells."""
        return self._encoded[0]

    @property
    def codes(self) -> Codes:
        """Return for each row the position of its text."""
        return self._encoded[1]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The rows below a header, each with the line that it stands in."""

    columns: list[Column]
    lines: npt.NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    skipped: int = 0
    """Lines that are no row and no repeated header."""


class Text(NamedTuple):
    """Lines of a file that hold rows of cells."""

    content: bytes
    """All of the file, as `plain` returns it."""
    start: int
    """Where the rows begin in it."""
    first_line: int
    """Number of that line."""
    file: str
    """Name for problems."""


def plain(content: bytes) -> bytes:
    r"""Return the text of a log in UTF-8 with ``\n`` as the end of lines, without a mark.

    PowerShell's ``>`` writes UTF-16.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", "replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def decode(content: bytes) -> str:
    """Return the text of a log, or of the beginning of one."""
    return plain(content).decode("utf-8", "replace")


@lru_cache(maxsize=1)
def lines_of(head: bytes) -> list[str]:
    """Return the lines of the beginning of a file, not to be changed: several importers look at the same ones."""
    return decode(head).split("\n")


def split(text: Text, width: int, header: str | None) -> Table:
    """Return the cells of the rows.

    Parameters
    ----------
    text : Text
        The last line may be cut.
    width : int
        Cells of a row.
    header : str, optional
        The header line: logs that were appended to have it again.
    """
    end, cut = _cut_end(text, width)
    table = split_fast(text, end, width, header) or split_plain(text, end, width, header)
    if not cut:
        return table
    number = text.first_line + text.content.count(b"\n", text.start, end + 1)
    wrong = cut.count(",") != width - 1
    told = _ragged(cut, width, number, text.file) if wrong else Problem(text.file, f"line {number}", f"cut off at its end: {_excerpt(cut)}")
    return Table(table.columns, table.lines, (*table.problems, told), table.skipped + 1)


def split_plain(text: Text, end: int, width: int, header: str | None) -> Table:
    """Return the cells up to `end`, line by line."""
    import numpy as np

    rows: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    names = None if header is None else cells_of(header)
    content = text.content[text.start : end].decode("utf-8", "replace")
    for number, line in enumerate(content.split("\n"), start=text.first_line):
        if not line.strip():
            continue
        cells = cells_of(line) if len(line) <= LONGEST_LINE else []
        if len(cells) != width:
            problems.append(_ragged(line, width, number, text.file))
        elif cells != names:
            rows.append(cells)
            lines.append(number)
    columns = [Column.from_cells(row[place] for row in rows) for place in range(width)]
    return Table(columns, np.array(lines, dtype=np.int64), tuple(problems), len(problems))


def split_fast(text: Text, end: int, width: int, header: str | None) -> Table | None:
    """Return the cells of regular text up to `end`, or None where a line needs `split_plain`."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    if end <= text.start:
        return None
    names = [str(place) for place in range(width)]
    various = _various(text, end, width)
    types = {name: pa.string() if place in various else pa.dictionary(pa.int32(), pa.string()) for place, name in enumerate(names)}
    try:
        table = csv.read_csv(
            pa.py_buffer(text.content).slice(text.start, end - text.start),
            # Arrow refuses a line that is longer than two blocks.
            read_options=csv.ReadOptions(column_names=names, block_size=LONGEST_LINE // 2, use_threads=False),
            parse_options=csv.ParseOptions(quote_char=False, double_quote=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    columns = [_raw(table.column(place)) if place in various else _from_arrow(table.column(place)) for place in range(width)]
    if _has(columns[0], "") or (header is not None and _has(columns[0], cells_of(header)[0])):
        return None  # a blank line is a row of empty cells to Arrow
    return Table(columns, np.arange(text.first_line, text.first_line + table.num_rows, dtype=np.int64))


def cells_of(line: str) -> list[str]:
    """Return the cells of a line, without blanks around."""
    return [cell.strip() for cell in line.split(",")]


def _has(column: Column, cell: str) -> bool:
    if column.characters and not len(cell) <= column.characters[0].shape[1] <= len(cell) + 2:
        return False
    return cell in column.texts


def _from_arrow(chunks: Any) -> Column:
    one = chunks.unify_dictionaries().combine_chunks()
    return Column.of([text.strip() for text in one.dictionary.to_pylist()], one.indices.to_numpy())


def _raw(cells: Any) -> Column:
    """Return a column whose cells are told apart only when somebody asks."""

    def encode() -> tuple[list[str], Codes]:
        column = _from_arrow(cells.dictionary_encode())
        return column.texts, column.codes

    return Column(encode, cells)


def _various(text: Text, end: int, width: int) -> set[int]:
    """Return the columns of which more than half of the first cells differ: telling their texts apart would be no use."""
    sample = text.content[text.start : min(end, text.start + _SAMPLE)].decode("utf-8", "replace").split("\n")[:-1]
    rows = [row for row in (line.split(",") for line in sample) if len(row) == width]
    return {place for place in range(width) if len({row[place] for row in rows}) > max(len(rows) / 2, 64)}


def _characters(cells: Any) -> npt.NDArray[np.uint8] | None:
    import numpy as np

    _, offsets, content = cells.buffers()
    begins = np.frombuffer(offsets, dtype=np.int32)[cells.offset : cells.offset + len(cells) + 1]
    widths = np.diff(begins)
    if not widths[0] or (widths != widths[0]).any():
        return None
    return np.frombuffer(content, dtype=np.uint8)[begins[0] : begins[-1]].reshape(-1, widths[0])


def _cut_end(text: Text, width: int) -> tuple[int, str]:
    """Return where the last whole line ends, and a line behind it that was not written to its end, or an empty text.

    A log that is cut in the middle of its last number still has enough cells: it lacks the line end and
    the unit that the row before has.
    """
    content, start = text.content, text.start
    end = len(content)
    while end > start and content[end - 1] in _BLANKS:
        end -= 1
    begin = content.rfind(b"\n", start, end) + 1 or start
    last = content[begin:end].decode("utf-8", "replace")
    if not last:
        return start, ""
    before = content[content.rfind(b"\n", start, max(begin - 1, start)) + 1 or start : max(begin - 1, start)].decode("utf-8", "replace")
    ended = b"\n" in content[end:] or not before or _shape(last) == _shape(before)
    if ended and last.count(",") == width - 1:
        return end, ""
    return max(begin - 1, start), last


def _shape(line: str) -> str:
    """Return the last cell with its number as ``0``, to compare how it is written."""
    return re.sub(r"\d+(?:\.\d+)?", "0", line[-100:].rpartition(",")[2].strip())


def _ragged(line: str, width: int, number: int, file: str) -> Problem:
    if len(line) > LONGEST_LINE:
        return Problem(file, f"line {number}", f"a line of {len(line)} characters; expected {width} cells")
    return Problem(file, f"line {number}", f"{len(cells_of(line))} cells, expected {width} as in the header: {_excerpt(line)}")


def _excerpt(line: str) -> str:
    text = re.sub(r"\s+", " ", line.strip())
    return repr(text if len(text) <= 60 else f"{text[:30]} … {text[-25:]}")
