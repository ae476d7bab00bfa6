"""Step times of the processes of one run, side by side; which of them lag, and which GPU of a machine works less than the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors.gauges import Use, in_use, memory_used, utilization
from trainreport.stats.peers import against_peers, slow_share

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case

    Array = npt.NDArray[np.float64]

__all__ = ["Lag", "Uneven", "Workers", "at_work", "lagging", "uneven", "workers"]

_SERIES = ("time/step", "throughput/samples", "throughput/tokens", "throughput/steps")
_SAME_MEMORY = 0.2
"""Copies of one model hold the same memory, within a fifth; parts of a pipeline mostly do not."""
_SAME_TIME = 0.05
"""They begin and end together, within this share of the time."""


class Workers(NamedTuple):
    """Step times of all processes."""

    names: tuple[str, ...]
    step: npt.NDArray[np.int64]
    seconds: Array
    """Shape (workers, steps); NaN where one did not log a step. Seconds for a unit of work where throughput was logged."""
    file: str


class Lag(NamedTuple):
    """A worker that lags behind its peers for a while."""

    name: str
    ratio: float
    """Median of its time over its peers', in the steps in which it lags."""
    share: float
    """Share of the steps in which it lags."""
    first_step: int
    last_step: int


class Uneven(NamedTuple):
    """A GPU that works less than the others of its machine."""

    use: Use
    peers: float
    """Mean utilization of the others."""
    among: int
    """GPUs compared, this one included."""


def workers(case: Case) -> Workers | None:
    """Return the step times of a run's processes, None where fewer than two logged any."""
    import numpy as np

    frame = case.log.frame
    if frame["rank"].isna().all() and len(frame["node"].cat.categories) < 2:
        return None
    for series in _SERIES:
        rows = frame[(frame["series"] == series) & (frame["phase"] == "train") & frame["step"].notna() & (frame["value"] > 0)]
        rows = rows[np.isfinite(rows["value"].to_numpy())]
        if rows.empty:
            continue
        rows = rows[rows["logged"] == rows["logged"].value_counts().sort_index().idxmax()].sort_values(["attempt", "time"], kind="stable")
        groups = rows.groupby(["node", "rank"], observed=True, dropna=False, sort=True)
        if groups.ngroups > 1:
            value = rows["value"].to_numpy()
            seconds = value if series == "time/step" else 1 / value
            steps = rows["step"].to_numpy(dtype=np.int64)
            return _table([key for key, _ in groups], groups.ngroup().to_numpy(), steps, seconds, str(rows["file"].iloc[0]))
    return None


def lagging(seen: Workers, window: int, limit: float, core: float) -> tuple[list[Lag], float]:
    """Return the workers that lag, the worst first, and the share of all step time that waiting for the slowest takes.

    Parameters
    ----------
    seen : Workers
        With at least `window` steps.
    window : int
        Steps whose median counts.
    limit : float
        Time over the peers' from which on one lags.
    core : float
        Share of the steps of its worst window that must lie above `limit`, unless they lie twice as far from 1 as that.
    """
    import numpy as np

    ratios = against_peers(seen.seconds)
    shares = slow_share(ratios, window, limit)
    slow = shares > 0.5
    inside = np.zeros(ratios.shape, dtype=bool)
    found = []
    for worker in np.flatnonzero(slow.any(axis=1)):
        starts = np.flatnonzero(slow[worker])
        edges = np.zeros(ratios.shape[1] + 1, dtype=np.int64)
        np.add.at(edges, starts, 1)
        np.add.at(edges, starts + window, -1)
        inside[worker] = (np.cumsum(edges)[:-1] > 0) & (ratios[worker] > limit)
        at = np.flatnonzero(inside[worker])
        ratio = float(np.median(ratios[worker, at]))
        if shares[worker].max() >= core or ratio - 1 >= 2 * (limit - 1):
            found.append(Lag(seen.names[worker], ratio, len(starts) / slow.shape[1], int(seen.step[at[0]]), int(seen.step[at[-1]])))
        else:
            inside[worker] = False
    peers = np.nanmedian(seen.seconds, axis=0)
    slowest = np.where(inside, seen.seconds, 0.0).max(axis=0)
    lost = np.maximum(slowest - peers, 0.0)
    return sorted(found, key=lambda one: (-one.share * (one.ratio - 1), one.name)), float(lost.sum() / (peers + lost).sum())


def at_work(case: Case, samples: float, seconds: float) -> list[Use]:
    """Return how the GPUs that worked were used, where the log has times."""
    uses = (in_use(gauge, 0.05, samples, seconds) for gauge in utilization(case) if gauge.timed)
    return [use for use in uses if use is not None]


def uneven(case: Case, uses: Iterable[Use], gap: float) -> list[Uneven]:
    """Return the GPUs that work less than the others of their machine, by `gap` on average and half of it in each third.

    Only GPUs that hold the same memory and begin and end together are compared: copies of one model.
    """
    import numpy as np

    teams: dict[str, list[tuple[Use, float]]] = {}
    for use in uses:
        memory = memory_used(case, use.gauge.curve)
        if memory:
            teams.setdefault(use.gauge.curve.node or "", []).append((use, memory))
    found = []
    for team in teams.values():
        usual = float(np.median([memory for _, memory in team]))
        alike = [use for use, memory in team if abs(memory - usual) <= _SAME_MEMORY * usual]
        if len(alike) < len(team) or len(alike) < 2 or not _together(alike):
            continue
        for use in alike:
            others = [other for other in alike if other is not use]
            peers = float(np.median([other.mean for other in others]))
            thirds = np.median([other.thirds for other in others if len(other.thirds) == 3], axis=0)
            lasting = len(use.thirds) == 3 and np.size(thirds) == 3 and bool((thirds - np.array(use.thirds) >= gap / 2).all())
            if peers - use.mean >= gap and lasting:
                found.append(Uneven(use, peers, len(alike)))
    return found


def _together(uses: list[Use]) -> bool:
    starts = [float(use.gauge.time_s[use.first]) for use in uses]
    ends = [float(use.gauge.time_s[use.last]) for use in uses]
    slack = _SAME_TIME * (max(ends) - min(starts))
    return max(starts) - min(starts) <= slack and max(ends) - min(ends) <= slack


def _table(
    keys: list[tuple[object, object]],
    worker: npt.NDArray[np.int64],
    step: npt.NDArray[np.int64],
    value: Array,
    file: str,
) -> Workers | None:
    """Return the values by worker and step, steps that fewer than two workers logged left out; of repeated ones the last counts."""
    import numpy as np

    steps, place = np.unique(step, return_inverse=True)
    table = np.full((len(keys), len(steps)), np.nan)
    table[worker, place] = value
    shared = (~np.isnan(table)).sum(axis=0) >= 2
    names = tuple(_named(node, rank) for node, rank in keys)
    return Workers(names, steps[shared], table[:, shared], file)


def _named(node: object, rank: object) -> str:
    import pandas as pd

    process = "" if pd.isna(rank) else f"process {rank}"
    host = "" if pd.isna(node) else str(node)
    return " on ".join(part for part in (process, host) if part) or "the process without a rank"
