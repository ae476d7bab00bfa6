"""Tables of Google Charts, as XProf's pages are exported."""

from __future__ import annotations

from math import isfinite
from typing import Any

from trainreport.importers.tables.table import number_of

__all__ = ["Row", "json_rows", "value_of"]

Row = dict[str, str | float]
"""Cells by the id of their column."""


def json_rows(table: dict[str, Any]) -> list[Row]:
    """Return the rows of a table of Google Charts by the id of their columns."""
    columns, rows = table.get("cols"), table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return []
    ids = [column.get("id") if isinstance(column, dict) else None for column in columns]
    found = []
    for row in rows:
        cells = row.get("c") if isinstance(row, dict) else None
        values = [cell.get("v") if isinstance(cell, dict) else None for cell in cells] if isinstance(cells, list) else []
        pairs = zip(ids, values, strict=False)
        found.append({name: value for name, value in pairs if isinstance(name, str) and isinstance(value, str | int | float)})
    return found


def value_of(cell: Any) -> float | None:
    """Return a number that is not negative, of a cell that may be a text such as ``84.5%``."""
    number = number_of(cell.strip().removesuffix("%")) if isinstance(cell, str) else cell
    if not isinstance(number, int | float) or isinstance(number, bool) or abs(number) > 1e18:
        return None
    return float(number) if isfinite(number) and number >= 0 else None
