"""Columns of numbers, and the builder that fills them row by row without keeping texts of numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tables.found import Troubles

    _Part = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]

__all__ = ["MOST_CELLS", "MOST_COLUMNS", "Column", "Table", "TableBuilder", "is_missing", "number_of", "odd_cells"]

MOST_COLUMNS = 10_000
MOST_CELLS = 1 << 25
_AT_ONCE = 1 << 12
_MISSING = frozenset({"", "none", "null", "n/a", "na", "-", "--", "<na>", "#n/a", "#na", "nat", "undefined", "[n/a]", "[not supported]"})
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII)
_LONGEST_TEXT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column; arrays have one entry a row of the table."""

    name: str
    values: npt.NDArray[np.float64]
    """NaN where no number was written."""
    written: npt.NDArray[np.bool_]
    """Whether a number was written; ``nan`` and ``inf`` are numbers."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """Cells that are neither a number nor empty, by row."""

    @property
    def is_numeric(self) -> bool:
        """Whether most of what was written is numbers."""
        return bool(self.written.any()) and len(self.texts) <= self.written.sum() / 2


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns by name, and where each row stands."""

    columns: Mapping[str, Column]
    lines: npt.NDArray[np.int64]
    """Of each row, counted from 1; 0 where the file has no lines."""
    skipped: int = 0
    """Rows that could not be read."""

    def __len__(self) -> int:
        return len(self.lines)

    def renamed(self, names: Mapping[str, str]) -> Table:
        """Return the table with other names for some columns."""
        columns = [replace(column, name=names.get(column.name, column.name)) for column in self.columns.values()]
        return replace(self, columns={column.name: column for column in columns})

    def first(self, names: Iterable[str]) -> Column | None:
        """Return the first of these columns that there is; names are compared in lower case."""
        lower = {name.lower(): name for name in reversed(list(self.columns))}
        return next((self.columns[lower[name]] for name in names if name in lower), None)


def is_missing(text: str) -> bool:
    """Return whether a cell says that there is nothing."""
    return text.strip().lower() in _MISSING


def number_of(text: str, *, comma: bool = False) -> float | None:
    """Return the number that a cell holds, None where it holds none.

    Parameters
    ----------
    text : str
    comma : bool
        Whether a comma stands before decimals.
    """
    text = text.strip()
    if comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    return float(text) if _NUMBER.fullmatch(text) else None


class TableBuilder:
    """Takes rows, and turns them into arrays some thousand at a time; names that come later are columns from there on."""

    def __init__(self, names: Sequence[str] = (), *, comma: bool = False) -> None:
        self._comma = comma
        self._parts: dict[str, list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]]] = {
            name: [] for name in names
        }
        self._texts: dict[str, dict[int, str]] = {name: {} for name in names}
        self._pending: dict[str, tuple[list[int], list[float | str]]] = {}
        self._lines: list[int] = []
        self._waiting = 0
        self._cells = 0
        self.skipped = 0

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, row: Iterable[tuple[str, float | str | None]], line: int) -> bool:
        """Add a row of names with a number, a text, or None; return False where the table is full and the row was not taken."""
        if self._cells > MOST_CELLS:
            return False
        place = len(self._lines)
        self._lines.append(line)
        for name, cell in row:
            if name not in self._parts and len(self._parts) >= MOST_COLUMNS:
                continue
            self._parts.setdefault(name, [])
            if cell is not None:
                rows, cells = self._pending.setdefault(name, ([], []))
                rows.append(place)
                cells.append(cell)
                self._cells += 1
        self._waiting += 1
        if self._waiting >= _AT_ONCE:
            self._flush()
        return True

    def table(self) -> Table:
        """Return what was added."""
        import numpy as np

        self._flush()
        columns = {}
        for name, parts in self._parts.items():
            values = np.full(len(self._lines), np.nan)
            written = np.zeros(len(self._lines), dtype=np.bool_)
            for rows, numbers, is_number in parts:
                values[rows] = numbers
                written[rows] = is_number
            columns[name] = Column(name, values, written, self._texts.get(name, {}))
        return Table(columns, np.array(self._lines, dtype=np.int64), self.skipped)

    def _flush(self) -> None:
        import numpy as np

        for name, (rows, cells) in self._pending.items():
            values = np.full(len(cells), np.nan)
            written = np.ones(len(cells), dtype=np.bool_)
            for place, cell in enumerate(cells):
                number = number_of(cell, comma=self._comma) if isinstance(cell, str) else cell
                if number is not None:
                    values[place] = number
                    continue
                written[place] = False
                if isinstance(cell, str) and not is_missing(cell):
                    self._texts.setdefault(name, {})[rows[place]] = cell.strip()[:_LONGEST_TEXT]
            self._parts[name].append((np.array(rows, dtype=np.int64), values, written))
        self._pending = {}
        self._waiting = 0


def odd_cells(column: Column, lines: npt.NDArray[np.int64], troubles: Troubles) -> None:
    """Note the cells of a column of numbers that hold none."""
    for row, text in column.texts.items():
        where = f"line {lines[row]}" if lines[row] else f"row {row + 1}"
        troubles.add(where, f"{column.name}: found {text[:60]!r}; expected a number", kind=f"column {column.name[:60]}")
