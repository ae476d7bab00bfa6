"""Marks restarts, repeated steps and rows out of order. Nothing is deleted or moved.

The rule, for each logged name (and device and rank) in the order of writing: a step below the one before it,
written later, is a rewind and begins the next attempt; written earlier, the row is out of order. Which
attempt a curve uses is said in ``model.curve``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.schema import DUPLICATE_STEP, OUT_OF_ORDER

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

__all__ = ["mark_restarts"]


def mark_restarts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` with ``attempt`` and the order bits of ``flags`` set.

    Parameters
    ----------
    frame : DataFrame
        Conforming, one run, rows in the order of writing (files by their start).
    """
    import numpy as np

    stepped = frame["step"].notna().to_numpy()
    if not stepped.any():
        return frame
    group = _series_of_rows(frame)
    rows = np.flatnonzero(stepped)
    rows = rows[np.argsort(group[rows], kind="stable")]
    group = group[rows]
    step = frame["step"].to_numpy(dtype=np.int64, na_value=0)[rows]
    time = frame["time"].to_numpy(dtype="datetime64[ns]")[rows]
    same = np.r_[False, group[1:] == group[:-1]]
    back = same & np.r_[False, step[1:] < step[:-1]]
    repeat = same & np.r_[False, step[1:] == step[:-1]]
    earlier = np.r_[False, time[1:] < time[:-1]]  # NaT compares false: without times a step back is a rewind
    rewind = back & ~earlier
    attempts = np.ones(len(frame), dtype=np.int64)
    attempts[rows] = 1 + _count_within(rewind, same)
    flags = frame["flags"].to_numpy(copy=True)
    flags[rows] |= np.where(repeat, DUPLICATE_STEP, 0).astype(np.uint8)
    flags[rows] |= np.where(back & earlier, OUT_OF_ORDER, 0).astype(np.uint8)
    return frame.assign(attempt=np.minimum(attempts, np.iinfo(np.int16).max).astype(np.int16), flags=flags).astype({"attempt": "Int16"})


def _series_of_rows(frame: pd.DataFrame) -> npt.NDArray[np.int64] | npt.NDArray[np.uint16]:
    """Return one number a row that is equal for rows of one series, device and rank."""
    import numpy as np

    number = np.zeros(len(frame), dtype=np.int64)
    for column in ("logged", "phase", "node", "device"):
        codes = frame[column].cat.codes.to_numpy()
        if len(codes) and codes.min() < codes.max():
            number = number * (len(frame[column].cat.categories) + 1) + (codes + 1)
    if frame["rank"].notna().any():
        rank = frame["rank"].to_numpy(dtype=np.int64, na_value=-1) + 1
        number = number * (int(rank.max(initial=0)) + 1) + rank
    return number.astype(np.uint16) if number.max(initial=0) < 1 << 16 else number  # these are sorted fastest


def _count_within(mark: npt.NDArray[np.bool_], same: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the running count of `mark`, starting anew where `same` is false."""
    import numpy as np

    total = np.cumsum(mark)
    start = np.flatnonzero(~same)
    base = np.zeros(len(mark), dtype=np.int64)
    base[start] = total[start]
    since: npt.NDArray[np.int64] = total - np.maximum.accumulate(base)
    return since
