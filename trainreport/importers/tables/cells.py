"""One row of a table at a time, where each is a run: its cells as texts and as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.importers.tables.table import Table

__all__ = ["Cells", "number_text", "rows_of"]

_WHOLE = 2.0**53


class Cells:
    """The cells of one row by name; what is empty is not there."""

    def __init__(self, line: int, texts: dict[str, str], numbers: dict[str, float]) -> None:
        self.line = line
        """Line of the file."""
        self.texts = texts
        self.numbers = numbers

    def text(self, *names: str) -> str:
        """Return the first of these cells that there is, as a text; empty where there is none."""
        for name in names:
            if name in self.texts:
                return self.texts[name]
            if name in self.numbers:
                return number_text(self.numbers[name])
        return ""

    def number(self, name: str) -> float | None:
        """Return a cell that holds a number, else None."""
        return self.numbers.get(name)


def number_text(number: float) -> str:
    """Return a number as a parameter is written: whole ones without a point."""
    return str(int(number)) if number.is_integer() and abs(number) < _WHOLE else repr(number)


def rows_of(table: Table) -> Iterator[Cells]:
    """Yield the rows of a table."""
    columns = list(table.columns.items())
    for row, line in enumerate(table.lines.tolist()):
        yield Cells(
            line,
            {name: column.texts[row] for name, column in columns if row in column.texts},
            {name: float(column.values[row]) for name, column in columns if column.written[row]},
        )
