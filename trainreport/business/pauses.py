"""What lies between two signs of progress: steps, an evaluation, a routine pause, a stall, a restart, or work made void.

Each interval is compared with what its steps usually take. What is longer is told apart by what was logged in
it, by whether it comes back regularly, and by how long it is beside pauses of its kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.machine import meanwhile
from trainreport.business.pace import LEAST_MOVES, held_out_times, last_sign, progress
from trainreport.model.memo import remembered
from trainreport.stats.smooth import thin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.business.pace import Progress
    from trainreport.model.run import RunLog

    Array = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

__all__ = ["STALL_S", "STALL_TIMES", "Intervals", "hung_s", "intervals", "intervals_of", "training_end"]

STALL_TIMES = 5.0
"""A stall lasts at least this many times what its steps usually take."""
STALL_S = 300.0
"""A stall costs at least this many seconds more than usual: checkpoints and evaluations mostly take less."""
_PAUSE_TIMES = 3.0
"""From this many times the usual on an interval holds a pause."""
_ALIKE = 3.0
"""Pauses within this factor of their median are of one kind; one beyond it is not routine."""
_ROUTINE = 3
"""Pauses of one kind from which on they can be routine."""
_REGULAR = 0.15
"""Routine pauses come back after the same number of steps, within this share of it."""
_MOSTLY = 2 / 3
"""... for this share of them: a restart or a stall in between shifts some."""
_FEW_GAPS = 4
"""So few distances are alike by chance too easily: they must agree within a third of that share."""
_BESIDE = 0.05
"""A held-out value within this share of an interval after a step was logged together with it: its evaluation came before."""
_BLOCKS = 50
"""Parts of a run that have a usual pace of their own, so that a slower phase is not taken for pauses."""


class Intervals(NamedTuple):
    """The intervals between signs of progress, in the order of time; arrays share one length."""

    start_s: Array
    seconds: Array
    usual_s: Array
    """What the steps of each usually take; NaN where it is not known."""
    restart: Mask
    """Ends with the start of a new process."""
    void: Mask
    """Its steps were made void by a later rewind."""
    evaluation_s: Array
    """Seconds spent on evaluation, as far as they can be told from training."""
    evaluated: Mask
    """A held-out value was logged in it."""
    routine: Mask
    """Holds a pause that comes back regularly."""
    stall: Mask
    """Holds a pause that is neither an evaluation nor routine, and long."""
    separable: bool
    """Whether evaluations can be told from training: some intervals have none, or their end shows inside."""

    @property
    def excess_s(self) -> Array:
        """Seconds beyond what the steps usually take, at least 0."""
        import numpy as np

        return np.maximum(self.seconds - self.usual_s, 0.0)

    @property
    def within(self) -> Mask:
        """Those between two steps of one process."""
        return ~self.restart

    @property
    def usual_interval_s(self) -> float:
        """Seconds that usually pass between two signs of progress."""
        import numpy as np

        return float(np.median(self.seconds[~self.restart])) if (~self.restart).any() else float("nan")


@remembered
def intervals_of(log: RunLog, times: float = STALL_TIMES, least_s: float = STALL_S) -> tuple[Progress, Intervals] | None:
    """Return the signs of progress of a run and the intervals between them, None where there are no steps with times.

    A long pause in which the GPUs worked is no stall: something went on that logged nothing.
    """
    import numpy as np

    seen = progress(log)
    found = None if seen is None else intervals(seen, held_out_times(log), times, least_s)
    if seen is None or found is None:
        return None
    stall = found.stall.copy()
    for at in np.flatnonzero(stall):
        stall[at] = not meanwhile(log, found.start_s[at], found.start_s[at] + found.seconds[at]).worked
    return seen, found._replace(stall=stall)


def training_end(log: RunLog) -> float | None:
    """Return when training ended: the last logged value, or the recorded end of a run that failed or was killed."""
    last, run = last_sign(log), log.run
    if last is None or run.ended_at is None or run.status not in ("failed", "killed"):
        return last
    return max(last, run.ended_at.timestamp())


def hung_s(log: RunLog, least_s: float = STALL_S) -> float:
    """Return the seconds from the last logged value to the end of a run that failed or was killed, 0 where they are few."""
    last, end = last_sign(log), training_end(log)
    return end - last if last is not None and end is not None and end - last >= least_s else 0.0


def intervals(seen: Progress, held_out_s: Array, times: float = STALL_TIMES, least_s: float = STALL_S) -> Intervals | None:
    """Return the intervals of a run, None where there are no times or fewer than two entries.

    Parameters
    ----------
    seen : Progress
    held_out_s : ndarray, rising
        When held-out values were logged.
    times, least_s : float
        How long a stall is, in usual durations and in seconds beyond the usual.
    """
    import numpy as np

    if len(seen.step) < 2 or np.isnan(seen.time_s).any():
        return None
    seconds, restart = np.diff(seen.time_s), seen.begins[1:]
    plain = ~restart
    steps = _counted(np.diff(seen.step), restart)
    held, window = _windows(seen.time_s, held_out_s)
    after = np.where(held, seconds - window, 0.0)
    enough = bool((plain & ~held).sum() >= max(3, 0.1 * plain.sum()))
    separable = enough or bool((after > 0).any())
    evaluated = held & plain & separable
    pace = _local_pace(after, steps, evaluated) if separable and not enough else _local_pace(seconds, steps, plain & ~evaluated)
    usual = pace * steps
    known = plain & np.isfinite(usual) & (plain.sum() >= LEAST_MOVES)
    paused = known & ~evaluated & (seconds > _PAUSE_TIMES * usual) & (seconds - usual >= 1.0)
    routine = _routine(seconds - usual, seen.step[1:], paused)
    stall = _stalls(seconds, usual, known, (evaluated, routine), times=times, least_s=least_s)
    spent = np.clip(np.where(evaluated & known & ~stall, seconds - usual, 0.0), 0.0, window)
    return Intervals(
        seen.time_s[:-1], seconds, usual, restart, seen.void[1:] & ~restart, spent, evaluated, routine & ~stall, stall, separable
    )


def _counted(steps: npt.NDArray[np.int64], restart: Mask) -> Array:
    """Return the steps of each interval; entries are counted where the log repeats one step again and again."""
    import numpy as np

    inside = steps[~restart]
    if not len(inside) or np.median(inside) <= 0:
        return np.ones(len(steps))
    return np.maximum(steps, 0).astype(np.float64)


def _windows(time_s: Array, held_out_s: Array) -> tuple[Mask, Array]:
    """Return which intervals hold an evaluation, and how long it can have been: until the held-out value was logged.

    A held-out value that was logged together with a step belongs to the interval before that step, all of which it can
    have taken.
    """
    import numpy as np

    start, end = time_s[:-1], time_s[1:]
    seconds = end - start
    after, until = (np.searchsorted(held_out_s, edge, side="right") for edge in (start, end))
    given = np.flatnonzero(until > after)
    first, last = held_out_s[after[given]] - start[given], held_out_s[until[given] - 1] - start[given]
    near = _BESIDE * np.median(seconds)
    held, window = np.zeros(len(seconds), dtype=bool), np.zeros(len(seconds))
    inside = given[last >= near]
    window[inside] = last[last >= near]
    before = given[(first < near) & (given > 0)] - 1
    window[before] = seconds[before]
    held[inside] = held[before] = True
    return held, window


def _local_pace(seconds: Array, steps: Array, among: Mask) -> Array:
    """Return the usual seconds a step around each interval, by medians of parts of the run."""
    import numpy as np

    at = np.flatnonzero(among & (steps > 0) & (seconds > 0))
    if len(at) < 3:
        return np.full(len(seconds), np.nan)
    pace = seconds[at] / steps[at]
    if len(at) < 4 * _BLOCKS:
        return np.full(len(seconds), float(np.median(pace)))
    places, medians = thin(at.astype(np.float64), pace, most=min(_BLOCKS, len(at) // 20))
    return np.interp(np.arange(len(seconds)), places, medians)


def _routine(excess: Array, step: npt.NDArray[np.int64], paused: Mask) -> Mask:
    """Return which pauses come back regularly and are alike."""
    import numpy as np

    routine = np.zeros(len(paused), dtype=bool)
    kinds = [np.flatnonzero(paused)]
    while kinds:
        at = kinds.pop()
        if len(at) < _ROUTINE:
            continue
        length = excess[at] / np.median(excess[at])
        kinds += [at[length > _ALIKE], at[length < 1 / _ALIKE]]  # such as evaluations beside checkpoints
        alike = at[(length <= _ALIKE) & (length >= 1 / _ALIKE)]
        gaps = np.abs(np.diff(step[alike])).astype(np.float64)
        usual = float(np.median(gaps)) if len(gaps) else 0.0
        if len(alike) >= _ROUTINE and usual > 0:
            close = _REGULAR if len(gaps) > _FEW_GAPS else _REGULAR / 3
            routine[alike] = np.mean(np.abs(gaps / usual - np.maximum(np.round(gaps / usual), 1.0)) <= close) >= _MOSTLY
    return routine


def _stalls(seconds: Array, usual: Array, known: Mask, told: tuple[Mask, Mask], *, times: float, least_s: float) -> Mask:
    """Return which intervals are far longer than usual, than nine of ten others, and than pauses of their kind."""
    import numpy as np

    stall = np.zeros(len(seconds), dtype=bool)
    if not known.any():
        return stall
    evaluated, routine = told
    excess = seconds - usual
    ratio = seconds / np.median(seconds[known & (seconds > 0)])  # for what stands between two entries of one step
    np.divide(seconds, usual, out=ratio, where=known & (usual > 0))
    line = max(times, 2.0 * float(np.quantile(ratio[known & ~evaluated], 0.9))) if (known & ~evaluated).any() else times
    long = known & (excess >= least_s) & (ratio >= line)
    others = excess[known & evaluated]
    if len(others) >= 3:
        stall |= long & evaluated & (excess >= _ALIKE * np.median(others) + least_s)
    return stall | (long & ~evaluated & ~routine)
