"""Which columns of a table say when a row was written: its step, its epoch, its time, or the seconds since the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.smi import times as texts_of_time
from trainreport.importers.smi.table import Column as Cells
from trainreport.model.clock import NOT_KNOWN_NS, from_epoch_seconds, nanoseconds

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.tables.table import Column, Table

__all__ = ["EPOCHS", "STEPS", "TIMES", "Roles", "Times", "guess_roles", "steps_through", "times_of"]

STEPS = (
    "step", "_step", "global_step", "global step", "trainer/global_step", "globalstep", "train_step", "training_step", "current_steps",
    "steps", "iter", "iteration", "iterations", "iters", "it", "iter_num", "n_iter", "num_updates", "update", "updates",
    "total_timesteps", "timesteps", "time/total_timesteps", "num_timesteps", "timestep", "batch", "batch_idx", "minibatch",
)  # fmt: skip
"""Names of columns that count steps, in lower case, the surest first."""
EPOCHS = ("epoch", "epochs", "epoch_id", "epoch_idx", "epoch_num", "ep", "current_epoch")
TIMES = (
    "timestamp", "_timestamp", "time", "datetime", "date_time", "wall_time", "walltime", "wall time", "date", "ts", "utc", "time_utc",
    "created_at", "logged_at",
)  # fmt: skip
_ELAPSED = (
    "elapsed", "elapsed_time", "time_elapsed", "time/time_elapsed", "runtime", "_runtime", "relative_time", "relative time", "seconds",
    "elapsed_s", "elapsed_sec", "elapsed_seconds", "passed", "time",
)  # fmt: skip
_PER_SECOND = (1, 10**3, 10**6, 10**9)


class Roles(NamedTuple):
    """Names of the columns with a role; None where no column has it."""

    step: str | None = None
    epoch: str | None = None
    time: str | None = None
    elapsed: str | None = None

    @property
    def words(self) -> str:
        """The roles in words, for an event: what was guessed is said."""
        told = [f"{role} from the column {name!r}" for role, name in zip(self._fields, self, strict=True) if name is not None]
        return ", ".join(told) or "none"


class Times(NamedTuple):
    """The times of a table's rows."""

    ns: npt.NDArray[np.int64]
    clock: str
    doubt: str = ""


def guess_roles(table: Table) -> Roles:
    """Return the roles of columns by their names and by what they hold."""
    step = next((one.name for one in _named(table, STEPS) if _counts(one)), None)
    epoch = next((one.name for one in _named(table, EPOCHS) if one.is_numeric and one.name != step), None)
    time = next((one.name for one in _named(table, TIMES) if _is_clock(one)), None)
    elapsed = next((one.name for one in _named(table, _ELAPSED) if one.is_numeric and one.name != time and not _is_clock(one)), None)
    return Roles(step, epoch, time, elapsed)


def times_of(column: Column, rows: int, zone: str | None) -> Times:
    """Return the times that a column holds: seconds since 1970 or a thousandth, millionth or billionth of it, or texts."""
    import numpy as np

    ns = np.full(rows, NOT_KNOWN_NS, dtype=np.int64)
    if not column.texts:
        scale = _scale(column)
        return Times(ns if scale is None else nanoseconds(column.values / scale), "UTC, written as epoch seconds")
    read = texts_of_time.times_of(Cells.from_cells(column.texts.values()), zone)
    ns[list(column.texts)] = read.ns
    return Times(ns, read.clock, read.problem)


def steps_through(steps: npt.NDArray[np.float64], epochs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return steps that go on through the epochs, where they begin anew in each; else as they are.

    A count of batches falls back exactly where the epoch goes on; where it falls back elsewhere, the run was begun anew.
    """
    import numpy as np

    known = np.flatnonzero(np.isfinite(steps) & np.isfinite(epochs))
    count, epoch = steps[known], epochs[known]
    back = np.diff(count) < 0
    onward = np.diff(epoch) > 0
    if not back.any() or not (onward | ~back).all() or not (back | ~onward).all():
        return steps
    begins = np.r_[0, np.flatnonzero(back) + 1]
    first = float(count[begins].min())
    lengths = np.r_[0, count[begins[1:] - 1] - first + 1]
    through = steps.copy()
    through[known] = count + np.repeat(np.cumsum(lengths), np.diff(np.r_[begins, len(known)]))
    return through


def _named(table: Table, names: tuple[str, ...]) -> list[Column]:
    lower = {name.lower(): name for name in reversed(list(table.columns))}
    return [table.columns[lower[name]] for name in names if name in lower]


def _counts(column: Column) -> bool:
    """Return whether a column holds whole numbers from 0 on."""
    import numpy as np

    numbers = column.values[column.written]
    return column.is_numeric and bool(((numbers >= 0) & (np.floor(numbers) == numbers)).all())


def _is_clock(column: Column) -> bool:
    """Return whether a column holds dates with times, or counts since 1970."""
    if column.is_numeric:
        return _scale(column) is not None
    some = list(column.texts.values())[:20]
    return bool(some) and all(texts_of_time.is_time(text) for text in some)


def _scale(column: Column) -> int | None:
    """Return how many of its units make a second, None where it is no count since 1970."""
    import numpy as np

    numbers = column.values[np.isfinite(column.values)]
    if not len(numbers):
        return None
    middle = float(np.median(numbers))
    return next((scale for scale in _PER_SECOND if from_epoch_seconds(middle / scale) is not None), None)
