"""Reads tables of a SQLite file that may be hostile: only plain tables, never more than the file can hold."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from trainreport.errors import InputError
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["HEADER", "Cell", "Database", "text"]

HEADER = b"SQLite format 3\0"
_LONGEST_CELL = 1024 * 1024
_ROWS_AT_ONCE = 100
_STEPS_BETWEEN_LOOKS = 100_000

# A damaged name comes as an error of decoding.
_BROKEN = (sqlite3.Error, UnicodeDecodeError)

Cell = int | float | bytes | None


@dataclass(slots=True)
class Database:
    """A SQLite file, opened read-only and as it lies there: nothing is written or locked, no log is merged."""

    path: Path
    name: str
    """``Source.name``."""
    problems: list[Problem] = field(default_factory=list)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    """Columns of each plain table; views, virtual tables and computed columns run code and are not among them."""
    roots: dict[str, int] = field(default_factory=dict, init=False)
    """Number of the page at which each table begins."""
    _connection: sqlite3.Connection = field(init=False)

    def __enter__(self) -> Self:
        """Open it.

        Raises
        ------
        InputError
            If it is damaged.
        """
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(address, uri=True)
            self._guard()
            self._look()
        except _BROKEN as error:
            self.__exit__()
            raise InputError(f"{self.name}: SQLite cannot read it ({error}); expected a database that is whole") from None
        return self

    def __exit__(self, *_: object) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.path.stat().st_size

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
        """Yield the rows of `table` in the order of writing; a column or table that is not there gives None, or nothing.

        Raises
        ------
        InputError
            If the rows hold more than the file, as a damaged file can pretend.
        """
        left = 2 * self.size
        for chunk in self.chunks(table, columns, _ROWS_AT_ONCE, _LONGEST_CELL):
            left -= sum(4 + sum(len(cell) for cell in row if isinstance(cell, bytes)) for row in chunk)
            if left < 0:
                raise self._too_much(table)
            yield from chunk

    def chunks(self, table: str, columns: Sequence[str], at_once: int, longest_cell: int) -> Iterator[list[tuple[Cell, ...]]]:
        """Yield what `rows` does, many rows at once; only their number is held against the size of the file."""
        if table not in self.tables:
            return
        wanted = ", ".join(f'"{column}"' if column in self.tables[table] else "NULL" for column in columns)
        left = self.size // 4  # a row takes at least 4 bytes
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest_cell)
        try:
            cursor = self._connection.execute(f'SELECT {wanted} FROM "{table}" ORDER BY rowid')  # noqa: S608 names from a fixed list
            while chunk := cursor.fetchmany(at_once):
                left -= len(chunk)
                if left < 0:
                    raise self._too_much(table)
                yield chunk
        except _BROKEN as error:
            what = f"SQLite stopped reading ({error}); rows before that were kept, expected a database that is whole"
            self.problems.append(Problem(self.name, f"table {table}", what))

    def _guard(self) -> None:
        """Let nothing in the file run code, fill the memory or go on for ever."""
        connection = self._connection
        connection.text_factory = bytes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")
        looks = iter(range(100 + self.size // 10_000))
        connection.set_progress_handler(lambda: next(looks, None) is None, _STEPS_BETWEEN_LOOKS)

    def _look(self) -> None:
        tables = "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND typeof(rootpage) = 'integer' AND rootpage > 0"
        for name, root in self._connection.execute(tables):
            table = text(name) or ""
            if table.isidentifier():  # MLflow's are; others are not looked at
                # table_info leaves computed columns out.
                columns = self._connection.execute(f'PRAGMA table_info("{table}")').fetchall()
                self.tables[table] = tuple(text(column[1]) or "" for column in columns)
                self.roots[table] = int(root)

    def _too_much(self, table: str) -> InputError:
        return InputError(f"{self.name}: table {table} claims more rows than the file can hold; the database is damaged")


def text(cell: Cell) -> str | None:
    """Return a cell as text, None where it is null."""
    if cell is None:
        return None
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
