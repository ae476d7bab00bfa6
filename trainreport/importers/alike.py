"""Whether two logs hold the same numbers, or the same steps of other measures: what ties logs together that have no times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.groups import Group

__all__ = ["Contents"]

_LEAST = 3
"""Common steps with different values that prove anything."""
_SHARE = 0.9
_DIFFERENCE = 1e-3
"""Of the larger value: logs are rounded to a few digits."""


class Contents:
    """The curves of a run's logs by what they mean, cut out once."""

    def __init__(self, group: Group) -> None:
        self.names: set[str] = set()
        self.steps: set[int] = set()
        self._curves: dict[tuple[str, str], list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]] = {}
        for one in group.training:
            frame = one.frame[one.frame["step"].notna() & (one.frame["phase"] != "system")]
            for (name, series, phase), rows in frame.groupby(["logged", "series", "phase"], observed=True, sort=False):
                steps = rows["step"].to_numpy(dtype="int64")
                self.names.add(str(name))
                self.steps.update(steps.tolist())
                self._curves.setdefault((str(series), str(phase)), []).append((steps, rows["value"].to_numpy()))

    def agrees(self, other: Contents) -> bool:
        """Return whether some series has the same values at the same steps in both."""
        return any(
            _same(one, two)
            for key, curves in self._curves.items()
            if key[0] != "epoch"
            for one in curves
            for two in other._curves.get(key, ())
        )

    def completes(self, other: Contents) -> bool:
        """Return whether both have the same steps and no name in common: two tables of one run."""
        return len(self.steps) >= _LEAST and self.steps == other.steps and not self.names & other.names


def _same(one: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]], two: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]) -> bool:
    import numpy as np

    common, mine, theirs = np.intersect1d(one[0], two[0], return_indices=True)
    a, b = one[1][mine], two[1][theirs]
    finite = np.isfinite(a) & np.isfinite(b)
    a, b = a[finite], b[finite]
    if len(common) < _LEAST or len(np.unique(a)) < _LEAST:
        return False
    return float((np.abs(a - b) <= _DIFFERENCE * np.maximum(np.abs(a), np.abs(b))).mean()) >= _SHARE
