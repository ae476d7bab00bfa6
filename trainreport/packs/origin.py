"""Where numbers stand: rows of the unified frame, by what they measure, and lines of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.model import clock
from trainreport.model.plan_reader import line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.plan import Plan

    Positions = npt.NDArray[np.int64]

__all__ = ["Rows", "plan_lines"]

_PHASES = {"train": "training"}


class Rows:
    """The rows of one run in the pack's table of numbers; the first row of the table is row 1."""

    def __init__(self, frame: pd.DataFrame, before: int) -> None:
        self._frame, self._before = frame, before
        self._groups: dict[Any, Positions] = frame.groupby(["series", "phase"], observed=True, sort=False).indices
        self._logged: dict[Any, Positions] = frame.groupby(["logged", "phase"], observed=True, sort=False).indices

    def of(
        self,
        series: str,
        phase: str | None = None,
        *,
        device: str | None = None,
        node: str | None = None,
        steps: tuple[int | None, int | None] = (None, None),
        times_s: tuple[float | None, float | None] = (None, None),
    ) -> Positions:
        """Return the positions of a series, by its canonical name or as logged, within inclusive bounds."""
        import numpy as np

        found = [
            at for groups in (self._groups, self._logged) for key, at in groups.items() if key[0] == series and phase in (None, key[1])
        ]
        at = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        for column, wanted in (("device", device), ("node", node)):
            if wanted is not None:
                at = at[(self._frame[column].iloc[at] == wanted).to_numpy(bool)]
        at = self._within(at, "step", *steps)
        low, high = (None if one is None else clock.from_epoch_seconds(one) for one in times_s)
        return self._within(at, "time", low, high)

    def spoken(self, text: str) -> tuple[str, str] | None:
        """Return the series that a sentence speaks of, such as ``worsening of validation loss``: the longest name found in it."""
        names = {f"{_PHASES.get(phase, phase)} {series.replace('_', ' ')}": (series, phase) for series, phase in self._groups}
        said = [name for name in names if f" {name} " in f" {text} "]
        return names[max(said, key=len)] if said else None

    def beginning(self, prefix: str) -> Positions:
        """Return the positions of every series whose name begins so."""
        import numpy as np

        found = [at for key, at in self._groups.items() if str(key[0]).startswith(prefix)]
        return np.sort(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)

    def any_of(self, series: Iterable[str]) -> Positions:
        """Return the positions of some series, by their canonical names."""
        import numpy as np

        found = [self.of(name) for name in series]
        return np.sort(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)

    def ends(self) -> Positions:
        """Return the positions of the first and the last time."""
        import numpy as np

        times = self._frame["time"]
        known = times.notna().to_numpy()
        if not known.any():
            return np.empty(0, dtype=np.int64)
        return np.unique([int(times.argmin()), int(times.argmax())])

    def told(self, at: Positions, value: float | None = None) -> list[dict[str, Any]]:
        """Return file, logged name and rows of each source, and the row that holds `value` itself where one does."""
        import numpy as np

        rows = self._frame.iloc[at]
        sources = []
        for (file, logged), inside in rows.groupby(["file", "logged"], observed=True, sort=True).indices.items():
            here = at[inside]
            source = {"file": file, "logged": logged, "rows": [self._row(here[0]), self._row(here[-1])], "points": len(here)}
            same = here[np.isclose(self._frame["value"].to_numpy()[here], value, rtol=1e-9, atol=0)] if value is not None else here[:0]
            source["row"] = self._row(same[0]) if len(same) else self._row(here[0]) if len(here) == 1 else None
            sources.append(source)
        return sources

    def holding(self, at: Positions, value: float | None) -> list[dict[str, Any]]:
        """Return, of these rows, what `told` does, narrowed to those that hold `value` itself where any does."""
        import numpy as np

        same = at[np.isclose(self._frame["value"].to_numpy()[at], value, rtol=1e-9, atol=0)] if value is not None else at
        return self.told(same if len(same) else at, value)

    def _row(self, position: int) -> int:
        return int(position) + self._before + 1

    def _within(self, at: Positions, column: str, low: object, high: object) -> Positions:
        if (low is None and high is None) or not len(at):
            return at
        known = self._frame[column].iloc[at]
        keep = known.notna()
        keep &= (known >= low).fillna(False) if low is not None else True
        keep &= (known <= high).fillna(False) if high is not None else True
        kept: Positions = at[keep.to_numpy(bool)]
        return kept


def plan_lines(plan: Plan, keys: Iterable[tuple[str, str]], index: int = 0) -> Sequence[dict[str, Any]]:
    """Return the lines of the plan that give these keys, as (table, key); those that it does not give are left out."""
    if plan.source is None:
        return []
    header = {table: line_of(plan.source.text, table, None, index) for table, _ in keys}
    lines = [(table, key, line_of(plan.source.text, table, key, index)) for table, key in keys]
    return [{"key": f"[{table}] {key}", "line": line} for table, key, line in lines if line is not None and line != header[table]]
