"""The metrics of a SQLite store: one table with the points of all runs, in the order of writing.

`read_plain` says what the table means. `read_fast` takes the rows straight from the pages of the file and gives up
(None) wherever it could differ; `read_history` tries the fast one first.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.importers.mlflow_store.database import text
from trainreport.importers.mlflow_store.frames import as_logged
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, Points
from trainreport.importers.mlflow_store.pages import Block, OddError, leaf_blocks
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.mlflow_store.database import Cell, Database

__all__ = ["History", "read_fast", "read_history", "read_plain"]

TABLE = "metrics"
COLUMNS = ("run_uuid", "key", "timestamp", "value", "step", "is_nan")
_ROWS_AT_ONCE = 2_000
_LONGEST_NAME = 64 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """All points, those of one run and metric together, each metric's in the order of writing."""

    metrics: Mapping[str, list[tuple[str, int, int]]]
    """For each run id its metrics in alphabetical order, and from which row to which each reaches."""
    points: Points

    def of(self, run_id: str) -> tuple[list[str], Points]:
        """Return the metrics of one run, and their points one after the other."""
        import numpy as np

        found = self.metrics.get(run_id, [])
        rows = slice(found[0][1], found[-1][2]) if found else slice(0, 0)
        counts = np.array([end - start for _, start, end in found], dtype=np.int64)
        all_ = self.points
        return [name for name, _, _ in found], Points(counts, all_.millis[rows], all_.values[rows], all_.steps[rows])


def read_history(database: Database) -> History:
    """Return all points of the store; what could not be read is added to ``database.problems``."""
    fast = read_fast(database)
    return read_plain(database) if fast is None else fast


def read_fast(database: Database) -> History | None:
    """Return all points, taken from the pages of the file, or None where the table needs `read_plain`."""
    columns = database.tables.get(TABLE, ())
    if not set(COLUMNS) <= set(columns):
        return None
    places = [columns.index(column) for column in COLUMNS]
    runs: dict[bytes, int] = {}
    keys: dict[bytes, int] = {}
    try:
        with database.path.open("rb") as stream:
            parts = [_columns_of(block, places, runs, keys) for block in leaf_blocks(stream, database.roots[TABLE], len(columns))]
    except (OddError, IndexError, OSError):  # an index that leads out of a page is as odd
        return None
    return _history(parts, list(runs), list(keys))


def read_plain(database: Database) -> History:
    """Return all points as SQLite gives them, row by row where a chunk holds something else than numbers."""
    import numpy as np

    runs: dict[bytes, int] = {}
    keys: dict[bytes, int] = {}
    parts = []
    for chunk in database.chunks(TABLE, COLUMNS, _ROWS_AT_ONCE, _LONGEST_NAME):
        rows = chunk if _columns(chunk) else list(_good_rows(chunk, database))
        if not rows:
            continue
        numbers = _columns(rows)
        run_ids, names = ([row[place] for row in rows] for place in (0, 1))
        assert numbers is not None
        millis, values, steps = numbers
        parts.append((_codes(run_ids, runs), _codes(names, keys), millis, np.asarray(values), steps))
    return _history(parts, list(runs), list(keys))


def _columns_of(block: Block, places: Sequence[int], runs: dict[bytes, int], keys: dict[bytes, int]) -> tuple[Any, ...]:
    import numpy as np

    run, key, time, value, step, is_nan = places
    values = np.where(block.integers(is_nan) != 0, np.nan, block.floats(value))
    return block.texts(run, runs), block.texts(key, keys), block.integers(time), values, block.integers(step)


def _columns(rows: Sequence[tuple[Cell, ...]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]] | None:
    """Return times, values and steps of rows, None where one of them is no number."""
    import numpy as np

    run_ids, names, millis, values, steps, is_nan = zip(*rows, strict=True)
    if set(map(type, run_ids)) | set(map(type, names)) != {bytes}:
        return None
    if set(steps) == {None}:  # MLflow before 1.0
        steps = (NOT_KNOWN,) * len(rows)
    try:
        numbers = np.frombuffer(array("d", values))  # an array takes numbers only, and no fraction for a whole one
        times, at = (np.frombuffer(array("q", column), dtype=np.int64) for column in (millis, steps))
    except (TypeError, OverflowError):
        return None
    nan = np.array([cell not in (None, 0) for cell in is_nan])
    return times, np.where(nan, np.nan, numbers), at


def _good_rows(rows: Sequence[tuple[Cell, ...]], database: Database) -> Iterator[tuple[Cell, ...]]:
    for row in rows:
        if _columns([row]) is not None:
            yield row
        else:
            run, key, *cells = (text(cell) for cell in row)
            what = f"found {', '.join(repr(cell) for cell in cells)[:60]} as time, value, step; expected numbers"
            database.problems.append(Problem(database.name, f"metric {key} of run {run}", what))


def _codes(texts: Sequence[Cell], known: dict[Any, int]) -> npt.NDArray[np.int64]:
    import numpy as np

    return np.array([known.setdefault(cell, len(known)) for cell in texts], dtype=np.int64)


def _history(parts: Sequence[tuple[Any, ...]], runs: list[bytes], keys: list[bytes]) -> History:
    """Put the points of one run and metric together, runs and metrics by name."""
    import numpy as np

    if not any(len(part[0]) for part in parts):
        nothing = np.zeros(0, dtype=np.int64)
        return History({}, Points(nothing, nothing, np.zeros(0), nothing))
    run, key, millis, values, steps = (np.concatenate(column) for column in zip(*parts, strict=True))
    by_run, by_key = (sorted(range(len(names)), key=names.__getitem__) for names in (runs, keys))
    series = np.argsort(by_run)[run] * len(keys) + np.argsort(by_key)[key]
    order = np.argsort(series, kind="stable")
    found, starts = np.unique(series[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    metrics: dict[str, list[tuple[str, int, int]]] = {}
    for one, start, end in zip(found.tolist(), starts.tolist(), ends.tolist(), strict=True):
        run_id, name = (text(cell) or "" for cell in (runs[by_run[one // len(keys)]], keys[by_key[one % len(keys)]]))
        metrics.setdefault(run_id, []).append((name, start, end))
    return History(metrics, Points(np.zeros(0, dtype=np.int64), millis[order], as_logged(values[order]), steps[order]))
