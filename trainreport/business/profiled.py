"""What profilers recorded of a run: each measure by the process and the GPU that it is of, over the steps recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.model.series import PROFILED

if TYPE_CHECKING:
    import pandas as pd

    from trainreport.model.run import RunLog

__all__ = ["MEASURES", "STEP_TIME", "Measure", "Profiled", "Told", "profiled"]

STEP_TIME = f"time/step{PROFILED}"
MEASURES = (
    STEP_TIME,
    "profile/gpu_busy",
    "profile/input_wait",
    f"time/data{PROFILED}",
    "profile/launch_wait",
    "profile/short_kernels",
    "profile/communication",
    "profile/communication_exposed",
    "profile/copies",
    "profile/idle",
    "profile/longest_gap",
    "profile/kernel_launch",
    "profile/device_idle",
    "profile/communication_of_kernels",
    "profile/kernel_time",
    "profile/kernel_mean",
    "profile/copy_time",
    "profile/launch_mean",
)
"""Names as logged, in the order in which they are read: what importers of profiles write."""
_LOWEST_FIRST = "profile/gpu_busy"
_OWNER = ("node", "device", "rank")


class Told(NamedTuple):
    """One measure of one process and GPU; those are None where the profile does not tell them."""

    node: str | None
    device: str | None
    rank: int | None
    n: int
    """Values: one for each step, or one for a profile without steps."""
    median: float
    low: float
    high: float


class Measure(NamedTuple):
    """One measure by owner: the least busy GPU first, of all other measures the highest value first."""

    name: str
    """One of `MEASURES`."""
    unit: str
    told: tuple[Told, ...]


class Profiled(NamedTuple):
    """What profiles tell of a run: a window of it."""

    steps: int
    """Steps in the window, of the process with most; 0 where none is marked."""
    seconds: float | None
    """Time of these steps together; None where no step was timed."""
    measures: tuple[Measure, ...]

    def named(self, name: str) -> Measure | None:
        """Return a measure by its name."""
        return next((one for one in self.measures if one.name == name), None)


def profiled(log: RunLog) -> Profiled | None:
    """Return what profiles tell of a run; None where no profile was found.

    Parameters
    ----------
    log : RunLog
    """
    import numpy as np

    names = log.frame["logged"]
    if not set(MEASURES) & set(names.cat.categories):  # most runs: their rows need not be looked at
        return None
    rows = log.frame.loc[names.isin(MEASURES) & np.isfinite(log.frame["value"])]
    if not len(rows):
        return None
    found = {name: _measure(str(name), part) for name, part in rows.groupby("logged", observed=True, sort=False)}
    numbered = rows[rows["step"].notna()]  # without a number it is the mean step of a table
    by_owner = _by_owner(numbered)
    times = [float(part["value"].sum()) for _, part in _by_owner(numbered[numbered["logged"] == STEP_TIME])]
    return Profiled(
        max((int(part["step"].nunique()) for _, part in by_owner), default=0),
        max(times, default=None),
        tuple(found[name] for name in MEASURES if name in found),
    )


def _by_owner(rows: pd.DataFrame) -> list[tuple[tuple[object, ...], pd.DataFrame]]:
    return list(rows.groupby(list(_OWNER), observed=True, dropna=False))


def _measure(name: str, rows: pd.DataFrame) -> Measure:
    told = [_told(part) for _, part in _by_owner(rows)]
    sign = 1 if name == _LOWEST_FIRST else -1
    told.sort(key=lambda one: (sign * one.median, one.node or "", one.device or "", -1 if one.rank is None else one.rank))
    return Measure(name, str(rows["unit"].iloc[0]), tuple(told))


def _told(rows: pd.DataFrame) -> Told:
    import pandas as pd

    value = rows["value"]
    node, device, rank = (None if pd.isna(owner) else owner for owner in (rows[name].iloc[0] for name in _OWNER))
    return Told(node, device, None if rank is None else int(rank), len(rows), float(value.median()), float(value.min()), float(value.max()))
