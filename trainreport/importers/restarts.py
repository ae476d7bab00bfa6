"""Marks restarts, repeated steps and rows out of order. Nothing is deleted or moved.

The rule, for each logged name (and device and rank) in the order of writing: a step below the one before it,
written later, is a rewind and begins the next attempt; written earlier, the row is out of order. Which
attempt a curve uses is said in ``model.curve``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.schema import DUPLICATE_STEP, OUT_OF_ORDER, in_order, numbered

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
        Conforming, one run, rows in the order of writing (files by their start), all of attempt 1.
    """
    import numpy as np
    import pandas as pd

    stepped = ~frame["step"].array.isna()
    if not stepped.any():
        return frame
    group = _series_of_rows(frame)
    rows = in_order(group)
    rows = rows if stepped.all() else rows[stepped[rows]]
    group = group[rows]
    step = frame["step"].array.to_numpy(dtype=np.int64, na_value=0)[rows]
    same = np.r_[False, group[1:] == group[:-1]]
    behind = same[1:] & (step[1:] <= step[:-1])
    if not behind.any():
        return frame
    behind = np.r_[False, behind]
    repeat = behind & np.r_[False, step[1:] == step[:-1]]
    back = behind & ~repeat
    time = frame["time"].array.to_numpy(dtype="datetime64[ns]")[rows]
    earlier = np.r_[False, time[1:] < time[:-1]]  # NaT compares false: without times a step back is a rewind
    attempts = np.ones(len(frame), dtype=np.int64)
    attempts[rows] = 1 + _count_within(back & ~earlier, same)
    flags = frame["flags"].to_numpy(copy=True)
    flags[rows] |= np.multiply(repeat, DUPLICATE_STEP, dtype=np.uint8) | np.multiply(back & earlier, OUT_OF_ORDER, dtype=np.uint8)
    short = np.minimum(attempts, np.iinfo(np.int16).max).astype(np.int16)
    return frame.assign(attempt=pd.arrays.IntegerArray(short, np.zeros(len(frame), dtype=np.bool_)), flags=flags)


def _series_of_rows(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return one number a row that is equal for rows of one series, device and rank."""
    import numpy as np

    number = numbered(frame, ("logged", "phase", "node", "device"))
    if frame["rank"].array.isna().all():
        return number
    rank = frame["rank"].array.to_numpy(dtype=np.int64, na_value=-1) + 1
    return np.asarray(number * (int(rank.max()) + 1) + rank)


def _count_within(mark: npt.NDArray[np.bool_], same: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the running count of `mark`, starting anew where `same` is false."""
    import numpy as np

    total = np.cumsum(mark)
    start = np.flatnonzero(~same)
    base = np.zeros(len(mark), dtype=np.int64)
    base[start] = total[start]
    since: npt.NDArray[np.int64] = total - np.maximum.accumulate(base)
    return since
