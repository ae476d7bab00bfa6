"""The unified frame: one number a row. This module is its only declaration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

__all__ = [
    "CLOCK_REPAIRED",
    "COLUMNS",
    "DUPLICATE_STEP",
    "EVENT_COLUMNS",
    "NOT_FINITE",
    "OUT_OF_ORDER",
    "UNIT_REPAIRED",
    "Column",
    "assembled",
    "category_type",
    "concat",
    "conform",
    "empty_frame",
]

NOT_FINITE = 1
DUPLICATE_STEP = 2
OUT_OF_ORDER = 4
CLOCK_REPAIRED = 8
UNIT_REPAIRED = 16


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the frame: its name, pandas dtype, meaning, and what stands where it is not given."""

    name: str
    dtype: str
    meaning: str
    default: object


COLUMNS: tuple[Column, ...] = (
    Column("run", "category", "run id", ""),
    Column("logged", "category", "the name as logged", ""),
    Column("series", "category", "canonical slash name, such as loss or gpu/utilization", ""),
    Column("phase", "category", "train, validation, test or system", "train"),
    Column("step", "Int64", "optimizer step as logged; nullable", None),
    Column("epoch", "Float64", "nullable", None),
    Column("time", "datetime64[ns, UTC]", "instant; nullable", None),
    Column("value", "float64", "in `unit`; NaN and infinities kept as logged", float("nan")),
    Column("unit", "category", "canonical only: 1, s, B, W, J, degC, Hz, token/s, sample/s", "1"),
    Column("node", "category", "host; nullable", None),
    Column("device", "category", "gpu0, gpu1, …; nullable", None),
    Column("rank", "Int32", "process of a distributed run; nullable", None),
    Column("attempt", "Int16", "1, 2, … within a run that was restarted", 1),
    Column("file", "category", "source file, POSIX, relative to the path given", ""),
    Column("flags", "uint8", "bits: 1 not finite, 2 duplicate step, 4 out of order, 8 clock repaired, 16 unit repaired", 0),
)

EVENT_COLUMNS: dict[str, str] = {
    "run": "str",
    "time": "datetime64[ns, UTC]",
    "step": "Int64",
    "level": "str",
    "kind": "str",
    "message": "str",
    "file": "str",
    "line": "Int64",
}


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` with exactly the columns and dtypes of the schema.

    Missing columns get their default, the not-finite flag is set from the values; rows keep their
    number and order. Conforming twice is conforming once.

    Raises
    ------
    ValueError
        If a column is not part of the schema, or a time has no zone.
    """
    unknown = sorted(set(frame.columns) - {column.name for column in COLUMNS})
    if unknown:
        raise ValueError(f"columns {unknown} are not part of the frame's schema")
    rows = len(frame)
    data: dict[str, object] = {}
    for column in COLUMNS:
        if column.name not in frame.columns:
            continue
        given = frame[column.name]
        if column.name == "time" and given.dtype.kind == "M" and getattr(given.dtype, "tz", None) is None:
            raise ValueError("column 'time' has no time zone; importers convert to UTC through model.clock")
        data[column.name] = (given if str(given.dtype) == column.dtype else given.astype(column.dtype)).array
    return assembled(data, rows)


def assembled(columns: Mapping[str, object], rows: int) -> pd.DataFrame:
    """Return a frame of arrays that have the schema's dtypes already; what is not given gets its default, as in `conform`."""
    import numpy as np
    import pandas as pd

    data = {column.name: columns[column.name] if column.name in columns else _constant(column, rows) for column in COLUMNS}
    values = np.asarray(data["value"], dtype=np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        data["flags"] = np.asarray(data["flags"], dtype=np.uint8) | np.multiply(~finite, NOT_FINITE, dtype=np.uint8)
    return pd.DataFrame(data, index=pd.RangeIndex(rows), copy=False)


@lru_cache(maxsize=1024)
def category_type(labels: tuple[str, ...]) -> pd.CategoricalDtype:
    """Return the dtype of a column with these texts; runs mostly share theirs, and making one costs more than a column."""
    import pandas as pd

    return pd.CategoricalDtype(pd.Index(list(labels), dtype="str"))


def _constant(column: Column, rows: int) -> object:
    import numpy as np
    import pandas as pd

    if column.dtype == "category":
        missing = column.default is None
        return pd.Categorical.from_codes(
            np.full(rows, -1, dtype=np.int8) if missing else np.zeros(rows, dtype=np.int8),
            dtype=category_type(() if missing else (str(column.default),)),
            validate=False,
        )
    if column.default is None:
        if column.dtype.startswith("datetime"):
            return pd.array([pd.NaT], dtype=column.dtype).repeat(rows)
        # Zeros that nobody reads cost nothing, unlike a repeated NA.
        kind = pd.arrays.FloatingArray if column.dtype.startswith("Float") else pd.arrays.IntegerArray
        return kind(np.zeros(rows, dtype=column.dtype.lower()), np.ones(rows, dtype=np.bool_))
    if column.dtype.startswith("Int"):
        return pd.arrays.IntegerArray(np.full(rows, column.default, dtype=column.dtype.lower()), np.zeros(rows, dtype=np.bool_))
    return pd.array(np.full(rows, column.default, dtype=column.dtype), dtype=column.dtype)


def empty_frame() -> pd.DataFrame:
    """Return a frame of the schema without rows."""
    import pandas as pd

    return conform(pd.DataFrame())


def concat(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return conforming frames below each other, with their categories united."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return empty_frame()
    if len(frames) == 1:
        return frames[0].reset_index(drop=True)
    data: dict[str, object] = {}
    for column in COLUMNS:
        parts = [frame[column.name] for frame in frames]
        data[column.name] = (
            union_categoricals([part.array for part in parts], sort_categories=False)
            if column.dtype == "category"
            else pd.concat(parts, ignore_index=True).array
        )
    return pd.DataFrame(data, copy=False)
