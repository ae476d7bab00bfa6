"""All curves of a run: the frame is sorted by series once, and each curve is cut out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.model.curve import Curve
from trainreport.model.schema import in_order, numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    Rows = slice | npt.NDArray[np.intp]

__all__ = ["Curves"]

_KEYS = ("phase", "series", "logged", "node", "device")


class _Part(NamedTuple):
    """The rows of one logged name, on one device: a stretch of the sorted frame."""

    phase: str
    series: str
    logged: str
    node: str | None
    device: str | None
    start: int
    end: int


class Curves:
    """The curves of a frame of one run.

    Parameters
    ----------
    frame : DataFrame
        `model.schema.COLUMNS`; must not be changed afterwards.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._texts = {name: frame[name].array for name in (*_KEYS, "unit", "file")}  # a look into the frame costs more than a cut
        self._order, self._parts = _sorted(frame, self._texts)
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._found: dict[tuple[str, str, str | None], Curve | None] = {}
        self._devices: dict[tuple[str, str], list[Curve]] = {}

    def names(self, *phases: str) -> list[tuple[str, str]]:
        """Return (series, phase) of all that was logged in these phases, in the order of the alphabet."""
        return sorted({(part.series, part.phase) for part in self._parts if part.phase in phases})

    def curve(self, series: str, phase: str, logged: str | None = None) -> Curve | None:
        """Return a curve as `model.curve.curve` does."""
        key = (series, phase, logged)
        if key not in self._found:
            self._found[key] = self._one(series, phase, logged)
        return self._found[key]

    def of_devices(self, series: str, phase: str) -> list[Curve]:
        """Return curves as `model.curve.curves` does."""
        key = (series, phase)
        if key not in self._devices:
            parts: dict[tuple[str | None, str | None], list[_Part]] = {}
            for part in self._parts:
                if part.phase == phase and part.series == series:
                    parts.setdefault((part.node, part.device), []).append(part)
            self._devices[key] = [self._cut(same, self._rows(same)) for same in parts.values()]
        return self._devices[key]

    def of_files(self, series: str, phase: str) -> list[Curve]:
        """Return one curve for each logged name and file, in the order of both."""
        import numpy as np

        found = []
        for part in sorted((one for one in self._parts if (one.series, one.phase) == (series, phase)), key=lambda one: one.logged):
            codes = self._texts["file"].codes[self._order[part.start : part.end]]
            found += [self._cut([part], part.start + np.flatnonzero(codes == code)) for code in np.unique(codes)]
        return found

    def _one(self, series: str, phase: str, logged: str | None) -> Curve | None:
        by_name: dict[str, list[_Part]] = {}
        for part in self._parts:
            if part.phase == phase and series in (part.series, part.logged):
                by_name.setdefault(part.logged, []).append(part)
        if not by_name:
            return None
        if len(by_name) == 1:
            (parts,) = by_name.values()
            return self._cut(parts, self._rows(parts))
        names = sorted(
            by_name,
            key=lambda name: (name != logged, -sum(part.end - part.start for part in by_name[name]), self._timeless(by_name[name]), name),
        )
        return self._cut(by_name[names[0]], self._rows(by_name[names[0]]), tuple(names[1:]))

    def _timeless(self, parts: list[_Part]) -> bool:
        """Return whether a name was logged without times: of two that say the same, the one that says when is told from."""
        import numpy as np

        return bool(np.isnan(self._column("time", slice(parts[0].start, parts[0].start + 1))).any())

    def _rows(self, parts: list[_Part]) -> Rows:
        """Return places in the sorted frame, in the order of the frame."""
        import numpy as np

        if len(parts) == 1:
            return slice(parts[0].start, parts[0].end)
        rows = np.concatenate([np.arange(part.start, part.end) for part in parts])
        return rows[np.argsort(self._order[rows])]

    def _cut(self, parts: list[_Part], rows: Rows, others: tuple[str, ...] = ()) -> Curve:
        import numpy as np

        first = min(parts, key=lambda part: int(self._order[part.start]))
        rows = self._lowest_rank(rows)
        step = self._column("step", rows)
        has_step = not bool((step == _NO_STEP).any())
        rows = self._last_attempt(rows, step) if has_step else self._by_time(rows)
        value = self._column("value", rows)
        place = int(self._order[rows][0])
        return Curve(
            series=first.series,
            phase=first.phase,
            logged=first.logged,
            unit=_label(self._texts["unit"], place) or "",
            step=self._column("step", rows) if has_step else np.arange(len(value), dtype=np.int64),
            epoch=self._column("epoch", rows),
            time_s=self._column("time", rows),
            value=value,
            file=_label(self._texts["file"], place) or "",
            device=first.device,
            node=first.node,
            others=others,
            has_step=has_step,
        )

    def _column(self, name: str, rows: Rows) -> npt.NDArray[Any]:
        """Return a column as plain numbers: time in seconds, a step that is missing as `_NO_STEP`."""
        if name not in self._columns:
            self._columns[name] = _plain(self._frame, name, self._order)
            self._columns[name].flags.writeable = False  # curves are handed out many times
        found: npt.NDArray[Any] = self._columns[name][rows]
        return found

    def _lowest_rank(self, rows: Rows) -> Rows:
        """Keep what the process of the lowest rank logged, and what no rank is told of."""
        rank = self._column("rank", rows)
        told = rank[rank >= 0]
        return rows if not len(told) or (rank == rank[0]).all() else _chosen(rows, (rank < 0) | (rank == told.min()))

    def _by_time(self, rows: Rows) -> Rows:
        import numpy as np

        time = self._column("time", rows)
        return _chosen(rows, np.argsort(time, kind="stable")) if np.isfinite(time).all() else rows

    def _last_attempt(self, rows: Rows, step: npt.NDArray[np.int64]) -> Rows:
        """Keep, of each step, what the last attempt wrote last; drop what a rewind made void."""
        import numpy as np

        if (step[1:] > step[:-1]).all():
            return rows
        attempt = self._column("attempt", rows)
        begins = np.full(int(attempt.max(initial=0)) + 2, np.iinfo(np.int64).max)
        np.minimum.at(begins, attempt, step)
        later = np.minimum.accumulate(begins[::-1])[::-1]  # the first step of this attempt and all after it
        kept = np.flatnonzero(step < later[attempt + 1])
        kept = kept[np.argsort(step[kept], kind="stable")]
        return _chosen(rows, kept[np.append(np.diff(step[kept]) != 0, True)])


_NO_STEP = -(2**63)
_MISSING: dict[str, float] = {"step": _NO_STEP, "rank": -1, "attempt": 1, "epoch": float("nan")}


def _chosen(rows: Rows, which: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return some of the rows, by number or by mask."""
    import numpy as np

    every = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
    found: npt.NDArray[np.intp] = every[which]
    return found


def _plain(frame: pd.DataFrame, name: str, order: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return a sorted column; one that holds nothing takes no memory."""
    import numpy as np

    column: Any = frame[name].array
    kind = np.float64 if name in ("epoch", "value", "time") else np.int64
    if name in ("epoch", "rank") and column.isna().all():
        return np.broadcast_to(np.array(_MISSING[name], dtype=kind), len(order)).view()
    if name == "time":
        time = column.to_numpy(dtype="datetime64[ns]")
        seconds = time.astype(np.int64) / 1e9
        missing = np.isnat(time)
        seconds[missing] = np.nan
        return np.asarray(seconds[order])
    numbers: npt.NDArray[Any] = column.to_numpy(kind, na_value=_MISSING[name]) if name in _MISSING else column.to_numpy(kind)
    return numbers[order]


def _label(column: Any, place: int) -> str | None:
    """Return the label of one row of a category column."""
    code = int(column.codes[place])
    return None if code < 0 else str(column.categories[code])


def _sorted(frame: pd.DataFrame, texts: Mapping[str, Any]) -> tuple[npt.NDArray[np.intp], list[_Part]]:
    """Return the order of the rows by name and device, as the frame's categories have them, and the parts; no device comes last."""
    import numpy as np

    if not len(frame):
        return np.empty(0, dtype=np.intp), []
    number = numbered(frame, _KEYS)
    order = in_order(number)
    ordered = number[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])).tolist()
    parts = []
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        labels = [_label(texts[name], int(order[start])) for name in _KEYS]
        parts.append(_Part(labels[0] or "", labels[1] or "", labels[2] or "", labels[3], labels[4], start, end))
    return order, parts
