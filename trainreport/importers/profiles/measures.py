"""What a profile says of each step: how long it took, and what the GPUs and the loop did in that time."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.profiles.intervals import Intervals, covered, gaps, union
from trainreport.importers.profiles.profile import COMMUNICATION, COMPUTE, COPY
from trainreport.model.series import PROFILED, Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.profiles.profile import Profile, Step, Work

    Array = npt.NDArray[np.float64]

__all__ = ["DATA_TIME", "MEANINGS", "STEP_TIME", "Measure", "measured"]

STEP_TIME, DATA_TIME = f"time/step{PROFILED}", f"time/data{PROFILED}"
"""Names as logged of series that the run itself may log too: so that a reader sees which of them a profile told."""
_IN_WINDOW = "within the window that was profiled, not of the whole run"
_SHARES = {
    "profile/input_wait": "share of the step in which the loop waited for its next batch",
    "profile/gpu_busy": "share of the step in which at least one kernel ran on the GPU",
    "profile/communication": "share of the step in which a kernel exchanged data among GPUs",
    "profile/communication_exposed": "share of the step in which the GPU exchanged data and computed nothing",
    "profile/copies": "share of the step in which memory was copied or set",
    "profile/launch_wait": "share of the step in which the GPU had nothing queued: it idled until work was launched after the idling began",
    "profile/short_kernels": "share of the step's kernels that ran shorter than the call which launched each (HTA's short kernels)",
}
_SECONDS = {
    "profile/idle": "time of the step in which the GPU did nothing",
    "profile/longest_gap": "longest time in which the GPU did nothing",
}
MEANINGS = {
    STEP_TIME: Meaning("time/step", "train", "s", None, f"a step as the profiler marked it, {_IN_WINDOW}"),
    DATA_TIME: Meaning("time/data", "train", "s", None, f"time of the step in which the loop waited for its next batch, {_IN_WINDOW}"),
    **{name: Meaning(name, "system", "1", None, f"{why}, {_IN_WINDOW}") for name, why in _SHARES.items()},
    **{name: Meaning(name, "system", "s", None, f"{why}, {_IN_WINDOW}") for name, why in _SECONDS.items()},
}


class Measure(NamedTuple):
    """A number of one step."""

    name: str
    """A key of `MEANINGS`."""
    value: float
    step: Step
    device: str | None = None


def measured(profile: Profile) -> list[Measure]:
    """Return the measures of all steps. Without work on a GPU there are none of GPUs: that is not 0 %."""
    import numpy as np

    steps = [one for one in profile.windows if one.end > one.start]
    if not steps:
        return []
    windows = Intervals(np.array([one.start for one in steps]), np.array([one.end for one in steps]))
    found = [Measure(STEP_TIME, one.end - one.start, one) for one in steps if one.number is not None]
    waits = union(profile.waits)
    if len(waits.start):
        waited = covered(waits, windows)
        found += _each(DATA_TIME, waited, steps) if profile.steps else []
        found += _each("profile/input_wait", waited / (windows.end - windows.start), steps)
    for device in sorted(profile.devices):
        work = profile.work_of(device)
        for name, values in _of_device(work, windows):
            found += _each(name, values, steps, device)
    return found


def _each(name: str, values: Array, steps: list[Step], device: str | None = None) -> list[Measure]:
    return [Measure(name, float(value), step, device) for value, step in zip(values, steps, strict=True) if isfinite(value)]


def _of_device(work: Work, windows: Intervals) -> Iterator[tuple[str, Array]]:
    """Yield the measures of one GPU, by step."""
    import numpy as np

    spans = {kind: _only(work, work.kind == kind) for kind in (COMPUTE, COMMUNICATION, COPY)}
    length = windows.end - windows.start
    busy, everything = union(_only(work, work.kind != COPY)), union(work.spans)
    computing = covered(union(spans[COMPUTE]), windows)
    in_kernels = covered(busy, windows)
    yield "profile/gpu_busy", in_kernels / length
    if len(spans[COMMUNICATION].start):
        yield "profile/communication", covered(union(spans[COMMUNICATION]), windows) / length
        yield "profile/communication_exposed", np.maximum(0.0, in_kernels - computing) / length
    yield "profile/copies", covered(union(spans[COPY]), windows) / length
    yield "profile/idle", np.maximum(0.0, length - covered(everything, windows))
    yield from _waiting(work, everything, windows)


def _only(work: Work, mine: npt.NDArray[np.bool_]) -> Intervals:
    return Intervals(work.spans.start[mine], work.spans.end[mine])


def _waiting(work: Work, everything: Intervals, windows: Intervals) -> Iterator[tuple[str, Array]]:
    """Yield the longest gap, and what says whether launching kept the GPU waiting."""
    import numpy as np

    longest, unqueued = np.zeros(len(windows.start)), np.zeros(len(windows.start))
    late = _late(work, everything)
    for position, window in enumerate(zip(*windows, strict=True)):
        free = gaps(everything, window)
        seconds = free.end - free.start
        longest[position] = seconds.max(initial=0.0)
        following = np.searchsorted(everything.start, free.end)
        known = following < len(everything.start)
        unqueued[position] = seconds[known][late[following[known]]].sum()
    yield "profile/longest_gap", longest
    if np.isfinite(work.launched).any():
        yield "profile/launch_wait", unqueued / (windows.end - windows.start)
    launched = np.isfinite(work.call_s) & (work.kind != COPY)
    if launched.any():
        yield "profile/short_kernels", _short(work, launched, windows)


def _late(work: Work, everything: Intervals) -> npt.NDArray[np.bool_]:
    """Return for each busy stretch whether what it begins with was launched after the stretch before it had ended."""
    import numpy as np

    order = np.lexsort((work.launched, work.spans.start))
    first = order[np.searchsorted(work.spans.start[order], everything.start)]
    return np.asarray(work.launched[first] >= np.append(-np.inf, everything.end[:-1]))


def _short(work: Work, launched: npt.NDArray[np.bool_], windows: Intervals) -> Array:
    """Return the share of the kernels that began in each window which ran shorter than their launch; NaN where none began."""
    import numpy as np

    start = work.spans.start[launched]
    order = np.argsort(start, kind="stable")
    short = (work.spans.end - work.spans.start)[launched] < work.call_s[launched]
    total = np.append(0, np.cumsum(short[order]))
    first, last = (np.searchsorted(start[order], edges) for edges in windows)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((total[last] - total[first]) / (last - first))
