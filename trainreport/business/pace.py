"""How fast a run went: the signs of its progress, the time of its steps, its throughput, and the time it was paid for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.business.allocation import own_spans
from trainreport.business.compute import GAP_INTERVALS, GAP_S
from trainreport.model.curve import curve
from trainreport.model.memo import remembered
from trainreport.model.series import PROFILED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from trainreport.model.run import RunLog

    Array = npt.NDArray[np.float64]
    Whole = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]

__all__ = [
    "LEAST_MOVES",
    "Progress",
    "Start",
    "StepTimes",
    "Throughput",
    "held_out_times",
    "last_sign",
    "paid_span",
    "progress",
    "started",
    "step_times",
    "throughput",
]

_THROUGHPUTS = ("throughput/samples", "throughput/tokens", "throughput/steps")
"""In the order of what says most."""
LEAST_MOVES = 8
"""Intervals between logged steps from which on they show the course of a run."""
_EITHER_WAY = re.compile(r"(^|/)(epoch|runtime|global_step)$")
"""Names that frameworks log with training and with evaluation alike: they are no clock of training."""


class Progress(NamedTuple):
    """The moments at which a run logged a step of training, in the order of time; arrays share one length."""

    logged: str
    """The series that was logged most often on training data: it has the finest clock."""
    step: Whole
    time_s: Array
    """Seconds since 1970 UTC; in the order of steps and all NaN where the log has no times."""
    attempt: Whole
    begins: Mask
    """Where a process was started anew: the first entry of a file, or of an attempt after a rewind."""

    @property
    def void(self) -> Mask:
        """Entries that a later attempt made void, for it began at their step or before."""
        import numpy as np

        void = np.zeros(len(self.step), dtype=bool)
        if not (self.attempt != self.attempt[0]).any():
            return void
        for later in np.unique(self.attempt)[1:]:
            void |= (self.attempt < later) & (self.step >= self.step[self.attempt == later].min())
        return void


class StepTimes(NamedTuple):
    """What a step took over the course of a run; arrays share one length, finite and positive."""

    step: Whole
    time_s: Array
    """Seconds since 1970 UTC, NaN where not known."""
    seconds: Array
    """Seconds for a step; for throughput seconds for one unit, so that higher is always slower."""
    source: str
    """In words: ``logged step times``."""
    unit: str
    """``s`` for times, the unit of the throughput otherwise."""
    derived: bool
    """Whether they are only the distances of logged steps in time, in which other work is hidden."""


class Throughput(NamedTuple):
    """Work done in a second."""

    value: float
    unit: str
    """``sample/s``, ``token/s`` or ``step/s``."""
    basis: str


class Start(NamedTuple):
    """What lay before the first step of training."""

    from_s: float
    """Seconds since 1970 UTC."""
    before_s: float
    """Seconds until the first step began; 0 where the log begins with it."""
    first_s: float
    """Seconds from there to the first entry: the training that it stands for, as far as the run was alive."""
    paid_s: float
    basis: str
    by_run: bool
    """Whether the run's own log says when it began; else a log of the machine does."""


@remembered
def progress(log: RunLog) -> Progress | None:
    """Return the signs of progress of a run, None where it logged no step.

    The training series with most entries is taken (of several the first by name), one with times before one without,
    of several processes the lowest rank; without training data any series but those of the machine.
    """
    import numpy as np

    frame = log.frame
    phases = list(frame["phase"].cat.categories)
    codes = frame["phase"].cat.codes.to_numpy()
    stepped = frame["step"].notna().to_numpy()
    system = codes == phases.index("system") if "system" in phases else np.zeros(len(frame), dtype=bool)
    for wanted in (codes == phases.index("train") if "train" in phases else None, ~system):
        if wanted is None or not (wanted & stepped).any():
            continue
        rows = _most_frequent(frame["logged"], np.flatnonzero(wanted & stepped), frame["time"].notna().to_numpy())
        return _ordered(frame, _lowest_rank(frame["rank"], rows))
    return None


@remembered
def held_out_times(log: RunLog) -> Array:
    """Return the moments at which values on held-out data were logged, each once, rising."""
    import numpy as np

    phase: Any = log.frame["phase"].array
    held_out = [code for code, name in enumerate(phase.categories) if name in ("validation", "test")]
    moments: Any = log.frame["time"].array.to_numpy(dtype="datetime64[ns]")[np.isin(phase.codes, held_out)]
    times = moments[~np.isnat(moments)].astype(np.int64) / 1e9
    rises = np.diff(times)
    return times[np.append(True, rises > 0)] if len(times) and (rises >= 0).all() else np.unique(times)  # most logs are in order


@remembered
def last_sign(log: RunLog) -> float | None:
    """Return the last moment at which training or evaluation logged anything, None where nothing has a time."""
    frame = log.frame
    times = frame.loc[frame["phase"] != "system", "time"].dropna()
    return None if times.empty else float(times.max().timestamp())


@remembered
def paid_span(log: RunLog) -> tuple[float, float] | None:
    """Return from when to when the run held its machine, in seconds since 1970, None where no time is known.

    The span of the run, the samples of GPUs before and after it that follow each other without a hole, and the
    scheduler's job around it where no other run ran in it.
    """
    import numpy as np

    run, frame = log.run, log.frame
    if run.started_at is None or run.ended_at is None:
        return None
    start, end = run.started_at.timestamp(), run.ended_at.timestamp()
    names = [name for name in frame["series"].cat.categories if name.startswith("gpu/")]
    rows = frame.loc[frame["series"].isin(names) & (frame["phase"] == "system"), "time"] if names else frame["time"].iloc[:0]
    times = np.unique(np.round(_seconds(rows[rows.notna()])))  # devices are sampled some milliseconds after each other
    if len(times) < 2:
        return _with_jobs(log, start, end)
    usual = float(np.median(np.diff(times)))
    hole = max(GAP_S, GAP_INTERVALS * usual)
    early, late = times[times < start], times[times > end]
    first = _edge(np.append(early, start)[::-1], hole)
    last = _edge(np.insert(late, 0, end), hole)
    return _with_jobs(log, first, last + (usual if last > end else 0.0))


def _with_jobs(log: RunLog, start: float, end: float) -> tuple[float, float]:
    """Return a span with the jobs that it touches: a job held the machine from its start to its end."""
    for begun, ended in own_spans(log):
        if begun <= end and ended >= start:
            start, end = min(start, begun), max(end, ended)
    return start, end


@remembered
def started(log: RunLog) -> Start | None:
    """Return what lay before the first step of a run, None where fewer than `LEAST_MOVES` steps follow each other in time.

    Fewer are the results of a run, not its course. What training the first entry stands for is taken off.
    """
    import numpy as np

    seen, span, own = progress(log), paid_span(log), log.run.started_at
    if seen is None or span is None or own is None or np.isnan(seen.time_s).any() or span[1] <= span[0]:
        return None
    steps, each = np.diff(seen.step)[~seen.begins[1:]], np.diff(seen.time_s)[~seen.begins[1:]]
    if (each > 0).sum() < LEAST_MOVES:
        return None
    until = max(0.0, float(seen.time_s[0]) - span[0])
    training = min(until, _first_entry_s(int(seen.step[0]), steps, each))
    by_run = bool(span[0] >= own.timestamp())
    by_job = any(span[0] == begun for begun, _ in own_spans(log))
    source = (
        "from the start of the scheduler's job"
        if by_job
        else "from the start of the run"
        if by_run
        else "from the first GPU sample that leads up to the run"
    )
    return Start(span[0], until - training, training, span[1] - span[0], f"{source} to the first step, at its usual pace", by_run)


@remembered
def step_times(log: RunLog, least: int = 10) -> StepTimes | None:
    """Return what steps took: as logged, else from throughput, else from the times of logged steps.

    Parameters
    ----------
    log : RunLog
    least : int
        Points that a source must have.
    """
    import numpy as np

    for series in ("time/step", *_THROUGHPUTS):
        found = curve(log, series, "train")
        if found is None or found.logged.endswith(PROFILED):
            continue
        good = np.isfinite(found.value) & (found.value > 0)
        if good.sum() >= least:
            is_time = series == "time/step"
            seconds = found.value[good] if is_time else 1 / found.value[good]
            source = "logged step times" if is_time else "logged throughput"
            return StepTimes(found.step[good], found.time_s[good], seconds, source, found.unit, derived=False)
    return _from_progress(log, least)


def throughput(log: RunLog) -> Throughput | None:
    """Return the usual throughput of a run: the median of what it logged, else steps a second from the times of steps."""
    import numpy as np

    for series in _THROUGHPUTS:
        found = curve(log, series, "train")
        values = np.empty(0) if found is None else found.value[np.isfinite(found.value) & (found.value > 0)]
        if found is not None and len(values):
            settled = values[len(values) // 10 :]
            return Throughput(float(np.median(settled)), found.unit, f"median of {found.logged}")
    times = step_times(log)
    if times is None or times.unit != "s":
        return None
    return Throughput(1 / float(np.median(times.seconds)), "step/s", times.source)


def _first_entry_s(step: int, steps: Whole, each: Array) -> float:
    """Return the seconds of training that the first entry stands for: an interval, or its steps at the usual pace if that is more."""
    import numpy as np

    moved = (steps > 0) & (each > 0)
    usual = float(np.median(each[each > 0]))
    if not moved.any():
        return usual
    return max(usual, min(max(step, 0), float(np.median(steps[moved]))) * float(np.median(each[moved] / steps[moved])))


def _from_progress(log: RunLog, least: int) -> StepTimes | None:
    import numpy as np

    seen = progress(log)
    if seen is None or np.isnan(seen.time_s).any():
        return None
    seconds, steps = np.diff(seen.time_s), np.diff(seen.step)
    good = (seconds > 0) & (steps > 0) & ~seen.begins[1:] & ~seen.void[1:]
    if good.sum() < least:
        return None
    return StepTimes(
        seen.step[1:][good], seen.time_s[1:][good], seconds[good] / steps[good], "distances of logged steps in time", "s", derived=True
    )


def _most_frequent(logged: pd.Series, rows: Whole, timed: Mask) -> Whole:
    """Return those of `rows` that hold the name with most entries, with times if any name has them throughout."""
    import numpy as np

    names = [str(name) for name in logged.cat.categories]
    codes = logged.cat.codes.to_numpy()[rows]
    counts = np.bincount(codes, minlength=len(names))
    without = np.bincount(codes[~timed[rows]], minlength=len(names))
    best = max(np.flatnonzero(counts), key=lambda code: (not _EITHER_WAY.search(names[code]), not without[code], counts[code], -code))
    chosen: Whole = rows[codes == best]
    return chosen


def _lowest_rank(ranks: pd.Series, rows: Whole) -> Whole:
    import numpy as np

    rank = ranks.array[rows].to_numpy(dtype=np.int64, na_value=-1)
    lowest: Whole = rows[rank == rank.min()]
    return lowest


def _ordered(frame: pd.DataFrame, rows: Whole) -> Progress:
    """Return the signs of progress in some rows; columns are cut one by one, for whole rows cost more."""
    import numpy as np

    step = frame["step"].array[rows].to_numpy(dtype=np.int64)
    attempt = frame["attempt"].array[rows].to_numpy(dtype=np.int64)
    time_s = _seconds(frame["time"].array[rows])
    timed = not np.isnan(time_s).any()
    files = frame["file"].cat.codes.to_numpy()[rows]
    if not (timed and (time_s[1:] > time_s[:-1]).all()):
        order = np.lexsort((step, attempt, time_s) if timed else (step, attempt))
        step, attempt, files, time_s = step[order], attempt[order], files[order], time_s[order]
    time_s = time_s if timed else np.full(len(step), np.nan)
    begins = np.zeros(len(step), dtype=bool)
    for column in (files, attempt):
        begins[np.unique(column, return_index=True)[1] if (column != column[0]).any() else 0] = True
    return Progress(str(frame["logged"].iloc[rows[0]]), step, time_s, attempt, begins)


def _edge(times: Array, hole: float) -> float:
    """Return the last of `times`, walking on from the first, before a hole."""
    import numpy as np

    wide = np.flatnonzero(np.abs(np.diff(times)) > hole)
    return float(times[wide[0]] if len(wide) else times[-1])


def _seconds(times: Any) -> Array:
    """Return pandas' times as seconds since 1970, NaN where not known."""
    import numpy as np

    raw = times.to_numpy(dtype="datetime64[ns]")
    return np.where(np.isnat(raw), np.nan, raw.astype(np.int64) / 1e9)
