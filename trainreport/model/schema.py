"""The unified frame: one number a row. This module is its only declaration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from pandas.api.extensions import ExtensionArray

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
    "code_type",
    "concat",
    "conform",
    "empty_frame",
    "in_order",
    "numbered",
    "one_label",
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


def code_type(labels: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds the codes of so many labels, and -1."""
    import numpy as np

    return np.int8 if labels < 1 << 7 else np.int16 if labels < 1 << 15 else np.int32


def one_label(label: str | None, rows: int) -> pd.Categorical:
    """Return a column of one text, or of none."""
    import pandas as pd

    codes = _filled(rows, -1 if label is None else 0, "int8")
    return pd.Categorical.from_codes(codes, dtype=category_type(() if label is None else (label,)), validate=False)


def numbered(frame: pd.DataFrame, columns: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return a number for each row of a frame that has any: rows that share these texts have the same.

    Numbers are in the order of the columns' categories, a text that is missing last.
    """
    import numpy as np

    number = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        column: Any = frame[name].array
        codes, size = column.codes, len(column.categories) + 1
        if codes.min() < codes.max():
            number *= size
            number += codes if codes.min() >= 0 else np.where(codes < 0, size - 1, codes)
    return number


def in_order(number: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Return the rows by their numbers, none of which is below 0; those of one number stay as they are."""
    import numpy as np

    return np.argsort(number.astype(np.uint16) if number.max() < 1 << 16 else number, kind="stable")  # these are sorted fastest


def _constant(column: Column, rows: int) -> object:
    import pandas as pd

    if column.dtype == "category":
        return one_label(None if column.default is None else str(column.default), rows)
    if column.dtype.startswith("datetime"):
        return pd.array([pd.NaT], dtype=column.dtype).repeat(rows)
    if column.dtype[0].isupper():
        return _nullable(_filled(rows, column.default or 0, column.dtype.lower()), _filled(rows, column.default is None, "bool"))
    return _filled(rows, column.default, column.dtype)


def _filled(rows: int, value: Any, dtype: str) -> npt.NDArray[Any]:
    """Return an array of one value; zeros that nobody reads take neither time nor memory."""
    import numpy as np

    return np.full(rows, value, dtype=dtype) if value else np.zeros(rows, dtype=dtype)


def _nullable(values: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> ExtensionArray:
    import pandas as pd

    return (pd.arrays.FloatingArray if values.dtype.kind == "f" else pd.arrays.IntegerArray)(values, missing)


def empty_frame() -> pd.DataFrame:
    """Return a frame of the schema without rows."""
    import pandas as pd

    return conform(pd.DataFrame())


def concat(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return conforming frames below each other, with their categories united."""
    import pandas as pd

    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return empty_frame()
    if len(frames) == 1:
        return frames[0] if frames[0].index.equals(pd.RangeIndex(len(frames[0]))) else frames[0].reset_index(drop=True)
    data = {column.name: _below(column.dtype, [frame[column.name].array for frame in frames]) for column in COLUMNS}
    return pd.DataFrame(data, copy=False)


def _below(dtype: str, parts: list[Any]) -> object:
    """Return the arrays of one column below each other; pandas' own ways take several times as long for small frames."""
    import numpy as np
    import pandas as pd

    if dtype == "category":
        return _united(parts)
    if dtype.startswith("datetime"):
        return pd.DatetimeIndex(np.concatenate([part.to_numpy(dtype="datetime64[ns]") for part in parts]), tz="UTC").array
    if dtype[0].isupper():
        values = np.concatenate([part.to_numpy(dtype=dtype.lower(), na_value=0) for part in parts])
        return _nullable(values, np.concatenate([part.isna() for part in parts]))
    return np.concatenate([part.to_numpy() for part in parts])


def _united(parts: list[pd.Categorical]) -> pd.Categorical:
    """Return categoricals below each other, with the categories in the order in which they come first."""
    import numpy as np
    import pandas as pd

    if all(part.dtype is parts[0].dtype for part in parts):
        return pd.Categorical.from_codes(np.concatenate([part.codes for part in parts]), dtype=parts[0].dtype, validate=False)
    place: dict[str, int] = {}
    # Behind the places of a part's own labels stands that of a missing one, which -1 takes.
    places = [np.array([*(place.setdefault(label, len(place)) for label in part.categories), -1]) for part in parts]
    codes = np.concatenate([own[part.codes] for own, part in zip(places, parts, strict=True)])
    return pd.Categorical.from_codes(codes.astype(code_type(len(place))), dtype=category_type(tuple(place)), validate=False)
