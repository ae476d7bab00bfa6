"""From a table, or from single points, to a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.importers.recording import FileRead, Recording, frame_of, mappings_of
from trainreport.importers.tables.roles import Roles, Times, steps_through, times_of
from trainreport.importers.tables.table import odd_cells
from trainreport.model.clock import NOT_KNOWN_NS, nanoseconds, span
from trainreport.model.series import Meaning, folder_phase, interpret

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.importers.tables.table import Table

__all__ = ["NO_TIMES", "Points", "Row", "constant_texts", "file_key", "folder_key", "recording_of_points", "recording_of_table"]

NO_TIMES = "no times written"
_TELL_NOTHING = frozenset({
    "metrics", "metric", "results", "result", "log", "logs", "training", "training_log", "train_log", "train", "history", "progress",
    "trainer_log", "losses", "output", "monitor", "scalars", "data", "stats",
})  # fmt: skip


class Row(NamedTuple):
    """One number of one name; NaN where step, epoch or time are not known."""

    name: str
    value: float
    step: float = float("nan")
    epoch: float = float("nan")
    time_s: float = float("nan")
    """Seconds since 1970 UTC."""


class Points(NamedTuple):
    """Numbers one below the other; arrays share one length."""

    names: list[str]
    codes: npt.NDArray[np.intp]
    """For each row the place of its name."""
    values: npt.NDArray[np.float64]
    steps: npt.NDArray[np.float64]
    epochs: npt.NDArray[np.float64]
    times_ns: npt.NDArray[np.int64]


def file_key(source: Source) -> tuple[str, str]:
    """Return key and name of a run that is one file: the file without its ending, or the folder where the file's name tells nothing."""
    stem = source.path.stem
    key = stem if source.folder == "." else f"{source.folder}/{stem}"
    return key, source.path.absolute().parent.name if stem.lower() in _TELL_NOTHING else stem


def folder_key(source: Source, folder: str | None = None, levels: int = 0) -> dict[str, Any]:
    """Return key, name and folder of a run that is a folder: that of the file, or one so many levels above it."""
    inside = source.folder if folder is None else folder
    own = source.path.absolute().parents[levels].name or "run"
    return {"key": inside, "name": own if inside == "." else inside.rpartition("/")[2], "folder": inside}


def recording_of_table(
    importer: str,
    source: Source,
    table: Table,
    troubles: Troubles,
    roles: Roles,
    *,
    skip: Collection[str] = (),
    meaning: Callable[[str, str | None], Meaning] = interpret,
    **facts: Any,
) -> Recording:
    """Return the recording of a table with a row a step, an epoch or a moment.

    Parameters
    ----------
    importer : str
    source : Source
    table : Table
    troubles : Troubles
        Takes cells of columns of numbers that hold none.
    roles : Roles
        A column with whole epochs is the step too, where no other is.
    skip : collection of str
        Columns that are no measures.
    meaning : callable
        What a name means, given the name and the phase of the folder.
    facts
        Fields of `Recording`; key and name are those of the file where they are not given.
    """
    import numpy as np

    roles = Roles(*(name if name in table.columns else None for name in roles))  # no row may have it: a damaged log
    rows = len(table)
    blank = np.full(rows, np.nan)
    epochs = blank if roles.epoch is None else table.columns[roles.epoch].values
    steps = _whole(epochs) if roles.step is None else steps_through(table.columns[roles.step].values, epochs)
    told = (
        Times(np.full(rows, NOT_KNOWN_NS, dtype=np.int64), NO_TIMES)
        if roles.time is None
        else times_of(table.columns[roles.time], rows, source.zone)
    )
    if told.doubt:
        troubles.add(f"column {roles.time}", told.doubt, about="clock")
    left_out = {*skip, roles.step, roles.epoch, roles.time}
    measures = [one for one in table.columns.values() if one.name not in left_out and one.is_numeric]
    for one in measures:
        odd_cells(one, table.lines, troubles)
    places = [np.flatnonzero(one.written) for one in measures]
    every = np.concatenate(places) if places else np.empty(0, dtype=np.intp)
    points = Points(
        [one.name for one in measures],
        np.repeat(np.arange(len(measures)), [len(place) for place in places]),
        np.concatenate([one.values[place] for one, place in zip(measures, places, strict=True)]) if places else np.empty(0),
        steps[every],
        epochs[every],
        told.ns[every],
    )
    first, last = span(told.ns)
    facts = {"started_at": first, "ended_at": last, **facts}
    return _recording(importer, source, points, troubles, meaning=meaning, clock=told.clock, skipped=table.skipped, rows=rows, **facts)


def recording_of_points(
    importer: str,
    source: Source,
    rows: list[Row],
    troubles: Troubles,
    *,
    clock: str = "UTC, written as epoch seconds",
    meaning: Callable[[str, str | None], Meaning] = interpret,
    **facts: Any,
) -> Recording:
    """Return the recording of single points, as event logs hold them; see `recording_of_table`."""
    import numpy as np

    places: dict[str, int] = {}
    codes = np.array([places.setdefault(row.name, len(places)) for row in rows], dtype=np.intp)
    numbers = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 4)
    times_ns = nanoseconds(numbers[:, 3])
    first, last = span(times_ns)
    points = Points(list(places), codes, numbers[:, 0], numbers[:, 1], numbers[:, 2], times_ns)
    facts = {"started_at": first, "ended_at": last, **facts}
    return _recording(
        importer, source, points, troubles, meaning=meaning, clock=clock if first else NO_TIMES, skipped=0, rows=len(rows), **facts
    )


def constant_texts(table: Table, skip: Collection[str | None] = ()) -> dict[str, str]:
    """Return the columns of texts that say the same in every row that says anything: facts of the run."""
    found = {}
    for name, column in table.columns.items():
        if name not in skip and not column.is_numeric and not column.written.any() and len(distinct := set(column.texts.values())) == 1:
            found[name] = distinct.pop()
    return found


def _recording(
    importer: str,
    source: Source,
    points: Points,
    troubles: Troubles,
    *,
    meaning: Callable[[str, str | None], Meaning],
    clock: str,
    skipped: int,
    rows: int,
    **facts: Any,
) -> Recording:
    key, name = file_key(source)
    phase = folder_phase(source.folder)
    meanings = [meaning(one, phase) for one in points.names]
    files = (FileRead(source.path, source.name, rows, skipped, clock), *facts.pop("files", ()))
    given = {"kind": "training", "key": key, "name": name, "folder": source.folder, **facts}
    return Recording(
        importer=importer,
        frame=_frame(points, meanings, source.name),
        files=files,
        mappings=mappings_of(points.names, meanings),
        problems=(*troubles.all(), *given.pop("problems", ())),
        **given,
    )


def _frame(points: Points, meanings: list[Meaning], file: str) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    frame = frame_of(points.names, meanings, points.codes, points.values, file=file, times_ns=points.times_ns.copy(), epochs=points.epochs)
    if not np.isfinite(points.steps).any():
        return frame
    whole = _whole(points.steps)
    known = np.isfinite(whole)
    return frame.assign(step=pd.arrays.IntegerArray(np.where(known, whole, 0).astype(np.int64), ~known))


def _whole(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the whole numbers that a step can be, NaN for others."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        return np.where((np.abs(numbers) < 2**62) & (numbers % 1 == 0), numbers, np.nan)
