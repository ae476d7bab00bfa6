"""What a row of W&B's table of runs tells of the run: when it ran, and its config or summary as one text."""

from __future__ import annotations

import ast
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from trainreport.errors import UsageError
from trainreport.model import clock

if TYPE_CHECKING:
    from datetime import datetime

    from trainreport.importers.tables.cells import Cells

__all__ = ["span_of_row", "table_of"]

_LONGEST_DICT = 1 << 18


def span_of_row(row: Cells) -> tuple[datetime | None, datetime | None]:
    """Return start and end: as written, or by the time of the last row of history and the runtime."""
    started, ended = (_moment(text) for text in (row.text("Created", "createdAt", "created_at"), row.text("End Time")))
    lasted = row.number("Runtime") or row.number("_runtime") or 0.0
    last = clock.from_epoch_seconds(row.number("_timestamp") or 0.0)
    if ended is None and last is not None:
        ended = last
    if ended is None and started is not None and 0 < lasted < 1e9:
        ended = started + timedelta(seconds=lasted)
    return started or ended, ended if ended is None or started is None else max(started, ended)


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return clock.parse_instant(text)
    except UsageError:
        return None


def table_of(text: str) -> dict[str, Any]:
    """Return a table that was written as Python or JSON; nothing is run for it."""
    if not text.startswith("{") or len(text) > _LONGEST_DICT:
        return {}
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return {}
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}
