"""The courses of series of runs: which of them end in one no-go after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.batches.sums import Sum, grouped

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

__all__ = ["Courses", "Streak"]

_STREAK = 4  # no-go runs in a row, from which on they are a series


@dataclass(frozen=True, slots=True)
class Streak:
    """The last runs of a project, or of a folder where no project is named: all ended in a no-go."""

    where: str
    since: str
    until: str
    took: Sum


class Courses:
    """Of each run that has a time, when it ended, in which project or folder, and whether it was refused."""

    def __init__(self) -> None:
        self._tables: list[pa.Table] = []

    def add(self, paths: Any, runs: pa.Table) -> None:
        """Add runs, which lie at these paths."""
        import pyarrow.compute as pc

        folder = pc.replace_substring_regex(paths, r"(^|/)[^/]*$", "")
        folder = pc.if_else(pc.equal(folder, ""), ".", folder)
        where = pc.if_else(pc.equal(runs["project"], ""), folder, runs["project"])
        kept = runs.select(["ended", "place", "refused", "gpu_hours", "cost", "currency"]).append_column("where", where)
        self._tables.append(kept.filter(pc.not_equal(kept["ended"], "")))

    def streaks(self) -> list[Streak]:
        """Return the series whose last runs all ended in a no-go, the dearest first."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._tables:
            return []
        # the last run of each comes first; of two that ended at the same time, the first in the file
        course = pa.concat_tables(self._tables).sort_by([("where", "ascending"), ("ended", "descending"), ("place", "ascending")])
        where = pc.dictionary_encode(course["where"].combine_chunks()).indices.to_numpy()
        rows = course.filter(_leading(where, course["refused"].to_numpy()))
        ends = {
            row["where"]: (row["ended_min"], row["ended_max"])
            for row in rows.group_by("where", use_threads=False).aggregate([("ended", "min"), ("ended", "max")]).to_pylist()
        }
        took = {name: Sum() for name in ends}
        for row in grouped(rows, "where"):
            took[row["where"]].add(row)
        found = [Streak(name, *ends[name], one) for name, one in took.items()]
        return sorted(found, key=lambda one: one.took.rank, reverse=True)


def _leading(where: npt.NDArray[np.int32], refused: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which rows are among the refused ones that begin their group, where these are enough."""
    import numpy as np

    begins = np.flatnonzero(np.diff(where, prepend=-1))
    ends = np.append(begins[1:], len(where))[: len(begins)]
    stops = np.append(np.flatnonzero(~refused), len(where))
    until = np.minimum(stops[np.searchsorted(stops, begins)], ends)
    long = until - begins >= _STREAK
    steps = np.zeros(len(where) + 1, dtype=np.int64)
    steps[begins[long]] += 1
    np.subtract.at(steps, until[long], 1)
    found: npt.NDArray[np.bool_] = np.cumsum(steps)[:-1] > 0
    return found
