"""Splits the text of an nvidia-smi log into columns of cells.

`split_plain` says what such a text means. `split_fast` reads regular text with Arrow and gives up (None)
wherever it could differ. A column keeps each distinct text once, so that only these are parsed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

__all__ = ["Column", "Table", "decode", "split", "split_fast", "split_plain"]

LONGEST_LINE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The cells of one column: `texts[codes[row]]`, without blanks around."""

    texts: list[str]
    codes: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The rows below a header, each with the line that it stands in."""

    columns: list[Column]
    lines: npt.NDArray[np.int64]
    problems: tuple[Problem, ...] = ()
    skipped: int = 0
    """Lines that are no row and no repeated header."""


def decode(content: bytes) -> str:
    """Return the text of a log: UTF-8, or UTF-16 where its mark says so (PowerShell's ``>``), with plain line ends."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if wide else "utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split(text: str, width: int, header: str, first_line: int, file: str) -> Table:
    """Return the cells of `text`, which begins below the header.

    Parameters
    ----------
    text : str
        Lines; the last may be cut.
    width : int
        Cells of a row.
    header : str
        The header line: logs that were appended to have it again.
    first_line : int
        Number of the first line of `text` in its file.
    file : str
        Name for problems.
    """
    whole, cut = _cut_end(text, width)
    table = split_fast(whole, width, header, first_line) or split_plain(whole, width, header, first_line, file)
    if not cut:
        return table
    number = first_line + whole.count("\n")
    wrong = cut.count(",") != width - 1
    problem = _ragged(cut, width, number, file) if wrong else Problem(file, f"line {number}", f"cut off at its end: {_excerpt(cut)}")
    return Table(table.columns, table.lines, (*table.problems, problem), table.skipped + 1)


def split_plain(text: str, width: int, header: str, first_line: int, file: str) -> Table:
    """Return the cells of `text`, line by line."""
    import numpy as np

    rows: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    names = _cells(header)
    for number, line in enumerate(text.split("\n"), start=first_line):
        if not line.strip():
            continue
        cells = _cells(line) if len(line) <= LONGEST_LINE else []
        if len(cells) != width:
            problems.append(_ragged(line, width, number, file))
        elif cells != names:
            rows.append(cells)
            lines.append(number)
    columns = [_column(row[place] for row in rows) for place in range(width)]
    return Table(columns, np.array(lines, dtype=np.int64), tuple(problems), len(problems))


def split_fast(text: str, width: int, header: str, first_line: int) -> Table | None:
    """Return the cells of regular `text`, or None where a line needs `split_plain`."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    content = text.encode()
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == ord("\n"))
    if not len(ends) or not content.endswith(b"\n") or int(np.diff(ends, prepend=-1).max()) > LONGEST_LINE:
        return None
    names = [str(place) for place in range(width)]
    try:
        table = csv.read_csv(
            pa.py_buffer(content),
            read_options=csv.ReadOptions(column_names=names, block_size=4 * LONGEST_LINE),
            parse_options=csv.ParseOptions(quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != len(ends):  # blank lines
        return None
    columns = [_from_arrow(table.column(place)) for place in range(width)]
    if _cells(header)[0] in columns[0].texts:
        return None
    return Table(columns, np.arange(first_line, first_line + table.num_rows, dtype=np.int64))


def _from_arrow(chunks: Any) -> Column:
    import numpy as np

    one = chunks.unify_dictionaries().combine_chunks()
    return Column([text.strip() for text in one.dictionary.to_pylist()], np.asarray(one.indices, dtype=np.int64))


def _column(cells: Iterable[str]) -> Column:
    import numpy as np

    places: dict[str, int] = {}
    codes = [places.setdefault(cell, len(places)) for cell in cells]
    return Column(list(places), np.array(codes, dtype=np.int64))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")]


def _cut_end(text: str, width: int) -> tuple[str, str]:
    """Return whole lines, and a last line that was not written to its end, or an empty text.

    A log that is cut in the middle of its last number still has enough cells: it lacks the line end and
    the unit that the row before has.
    """
    kept = text.rstrip()
    start = kept.rfind("\n") + 1
    last = kept[start:]
    if not last:
        return "", ""
    before = kept[kept.rfind("\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)]
    ended = "\n" in text[len(kept) :] or not before or _shape(last) == _shape(before)
    if ended and last.count(",") == width - 1:
        return kept + "\n", ""
    return text[:start], last


def _shape(line: str) -> str:
    """Return the last cell with its number as ``0``, to compare how it is written."""
    return re.sub(r"\d+(?:\.\d+)?", "0", line[-100:].rpartition(",")[2].strip())


def _ragged(line: str, width: int, number: int, file: str) -> Problem:
    if len(line) > LONGEST_LINE:
        return Problem(file, f"line {number}", f"a line of {len(line)} characters; expected {width} cells")
    return Problem(file, f"line {number}", f"{len(_cells(line))} cells, expected {width} as in the header: {_excerpt(line)}")


def _excerpt(line: str) -> str:
    text = re.sub(r"\s+", " ", line.strip())
    return repr(text if len(text) <= 60 else f"{text[:30]} … {text[-25:]}")
