"""Parquet: columns as they are, read without keeping more than a piece besides the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.tables.table import MOST_CELLS, MOST_COLUMNS, TableBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.importers.tables.table import Table

__all__ = ["parquet_names", "read_parquet"]

_AT_ONCE = 10_000


def parquet_names(path: Any) -> tuple[str, ...]:
    """Return the names of a file's columns, none where it is no Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return tuple(pq.read_schema(path).names[:MOST_COLUMNS])
    except (pa.ArrowException, OSError, ValueError):
        return ()


def read_parquet(source: Source, troubles: Troubles, *, columns: list[str] | None = None) -> Table:
    """Read the numbers and texts of a file; times become seconds since 1970, lists and structures are left out.

    Raises
    ------
    InputError
        If it is no readable Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    builder = TableBuilder()
    try:
        with pq.ParquetFile(source.path) as file:
            if file.metadata.num_rows * max(1, file.metadata.num_columns) > 2 * MOST_CELLS:
                raise InputError(f"{file.metadata.num_rows:,} rows of {file.metadata.num_columns:,} columns; more than is read")
            for batch in file.iter_batches(_AT_ONCE, columns=columns):
                for row in _rows(batch):
                    if not builder.add(row, 0):
                        troubles.add("", f"only the first {len(builder):,} rows were read: the table is larger than that")
                        return builder.table()
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if not len(builder):
            raise InputError(f"no readable Parquet: {str(error)[:200]}") from None
        troubles.add(f"row {len(builder) + 1}", f"cannot be read from here on: {str(error)[:200]}")
    return builder.table()


def _rows(batch: Any) -> Iterator[list[tuple[str, float | str | None]]]:
    import pyarrow as pa

    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        kind = column.type
        if pa.types.is_timestamp(kind):
            per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
            numbers = column.cast(pa.int64()).to_pylist()
            columns.append((name, [None if one is None else one / per_second for one in numbers]))
        elif pa.types.is_dictionary(kind):
            columns.append((name, [_cell(one) for one in column.dictionary_decode().to_pylist()]))
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
            columns.append((name, [None if one is None else float(one) for one in column.to_pylist()]))
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            columns.append((name, column.to_pylist()))
    for place in range(batch.num_rows):
        yield [(name, cells[place]) for name, cells in columns]


def _cell(one: Any) -> float | str | None:
    return one if one is None or isinstance(one, str) else float(one) if isinstance(one, int | float) else None
