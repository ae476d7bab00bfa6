"""One series of a run as plain arrays, in the order of training.

Detectors, criteria and charts see curves, never frames, so that the rules on restarts and on names that
mean the same stand in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.model.series import direction

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.run import RunLog

__all__ = ["Curve", "curve", "curves"]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A series in the order of training; arrays share one length.

    Where a restart repeated steps, the later attempt counts from the step that it rewound to; where several
    processes logged the same, the lowest rank counts. The frame keeps all rows.
    """

    series: str
    phase: str
    logged: str
    unit: str
    step: npt.NDArray[np.int64]
    """Optimizer step; the row number where no step was logged."""
    epoch: npt.NDArray[np.float64]
    """NaN where not logged."""
    time_s: npt.NDArray[np.float64]
    """Seconds since 1970 UTC; NaN where not logged."""
    value: npt.NDArray[np.float64]
    """In `unit`; NaN and infinities as logged."""
    file: str
    device: str | None = None
    node: str | None = None
    others: tuple[str, ...] = ()
    """Other logged names with the same canonical name, not used here."""
    has_step: bool = True

    @property
    def direction(self) -> int:
        """-1 where lower is better, +1 where higher is better, 0 where it is not known."""
        return direction(self.series)

    def __len__(self) -> int:
        return len(self.value)


def curve(log: RunLog, series: str, phase: str, logged: str | None = None) -> Curve | None:
    """Return the curve of `series` in `phase`, or None where there is none.

    Parameters
    ----------
    log : RunLog
    series : str
        Canonical name, or a name as logged.
    phase : str
    logged : str, optional
        The logged name to use where several mean the same. Without it, the one with most points.
    """
    frame = log.frame
    rows = frame[(frame["phase"] == phase) & ((frame["series"] == series) | (frame["logged"] == series))]
    if rows.empty:
        return None
    counts = rows["logged"].value_counts()
    counts = counts[counts > 0]
    names = sorted(counts.index, key=lambda name: (name != logged, -int(counts[name]), str(name)))
    chosen = rows[rows["logged"] == names[0]]
    return _to_curve(chosen, others=tuple(str(name) for name in names[1:]))


def curves(log: RunLog, series: str, phase: str = "system") -> list[Curve]:
    """Return one curve for each node and device that logged `series`, in the order of their names."""
    frame = log.frame
    rows = frame[(frame["phase"] == phase) & (frame["series"] == series)]
    found = []
    for _, part in rows.groupby(["node", "device"], observed=True, dropna=False, sort=True):
        if len(part):
            found.append(_to_curve(part, others=()))
    return found


def _to_curve(rows: pd.DataFrame, others: tuple[str, ...]) -> Curve:
    import numpy as np
    import pandas as pd

    rows = _lowest_rank(rows)
    has_step = bool(rows["step"].notna().all())
    if has_step:
        rows = _last_attempt(rows)
    elif rows["time"].notna().all():
        rows = rows.sort_values("time", kind="stable")
    first = rows.iloc[0]
    time = rows["time"].to_numpy(dtype="datetime64[ns]")
    time_s = np.where(np.isnat(time), np.nan, time.astype(np.int64) / 1e9)
    return Curve(
        series=str(first["series"]),
        phase=str(first["phase"]),
        logged=str(first["logged"]),
        unit=str(first["unit"]),
        step=rows["step"].to_numpy(dtype=np.int64) if has_step else np.arange(len(rows), dtype=np.int64),
        epoch=rows["epoch"].to_numpy(dtype=np.float64, na_value=np.nan),
        time_s=time_s.astype(np.float64),
        value=rows["value"].to_numpy(dtype=np.float64),
        file=str(first["file"]),
        device=None if pd.isna(first["device"]) else str(first["device"]),
        node=None if pd.isna(first["node"]) else str(first["node"]),
        others=others,
        has_step=has_step,
    )


def _lowest_rank(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep what the process of the lowest rank logged, and what no rank is told of."""
    rank = rows["rank"]
    return rows if rank.isna().all() else rows[(rank.isna() | (rank == rank.min())).to_numpy(dtype=bool)]


def _last_attempt(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep, of each step, what the last attempt wrote last; drop what a rewind made void."""
    import numpy as np

    attempt = rows["attempt"].to_numpy(dtype=np.int64)
    step = rows["step"].to_numpy(dtype=np.int64)
    keep = np.ones(len(rows), dtype=bool)
    for later in np.unique(attempt)[1:]:
        keep &= (attempt >= later) | (step < step[attempt == later].min())
    rows = rows[keep].sort_values("step", kind="stable")
    return rows[~rows["step"].duplicated(keep="last")]
