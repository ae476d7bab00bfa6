"""Finds the zone of a hardware log's clock by the training that it was taken beside.

nvidia-smi writes the local time and no zone, training tools write instants. Read as UTC such a log may miss its run
by hours. It is moved by whole quarters of an hour where that makes it cover a run of its folder tree, and by no other
as well; else it stays, and the report says what to give.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.folders import above, by_folder
from trainreport.importers.smi.times import NO_ZONE
from trainreport.importers.spans import Span, Spans
from trainreport.model.clock import iso
from trainreport.model.run import Problem
from trainreport.model.schema import CLOCK_REPAIRED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.recording import Recording

__all__ = ["with_zones"]

_QUARTER_S = 900
_WEST, _EAST = -48, 56
"""Quarters of an hour: from UTC-12 to UTC+14."""
_FITS = 0.5
"""Share of the run that the log must cover as UTC to be left alone."""
_COVERED = 0.8
"""Share of the run that it must cover once it is moved."""
_BUSY = 0.05
"""Utilization from which a GPU works."""
_EDGES = 0.1
"""Share of the run by which beginning and end of the work may miss those of the run."""
_EARLY_S = 60.0
"""Seconds by which they may miss them besides: starting up and closing down."""
_CLEARER = 3.0
"""How many times further off the next best offset must be."""


class _Offset(NamedTuple):
    """A clock's distance to UTC, and how well the log fits the run with it."""

    quarters: int
    covered: float
    """Share of the run."""
    miss_s: float
    """How far beginning and end of the GPUs' work are from those of the run, taken together."""


def with_zones(recordings: Iterable[Recording], zone: str | None) -> list[Recording]:
    """Return the recordings, hardware logs without a zone moved to where they cover a run.

    Parameters
    ----------
    recordings : iterable of Recording
        Those of one folder tree.
    zone : str, optional
        Given by the user: then nothing is inferred.
    """
    found = list(recordings)
    if zone is not None:
        return found
    runs = by_folder(_runs(one for one in found if one.kind == "training"))
    near = {folder: _Runs(sorted(set(spans))) for folder, spans in runs.items()}
    return [_placed(one, _nearest(one.folder, near)) if _without_zone(one) else one for one in found]


def _runs(recordings: Iterable[Recording]) -> list[tuple[str, Span]]:
    """Return folder and span of each run; a restarted one has several recordings."""
    spans: dict[tuple[str, str, str], Span] = {}
    for one in recordings:
        span = _span(one)
        if span is not None:
            known = spans.get((one.folder, one.importer, one.key), span)
            spans[one.folder, one.importer, one.key] = min(known[0], span[0]), max(known[1], span[1])
    return [(folder, span) for (folder, _, _), span in spans.items()]


def _without_zone(one: Recording) -> bool:
    return one.kind == "machine" and _span(one) is not None and any(file.clock.startswith(NO_ZONE) for file in one.files)


def _span(one: Recording) -> Span | None:
    if one.started_at is None:
        return None
    return one.started_at.timestamp(), (one.ended_at or one.started_at).timestamp()


class _Runs:
    """The spans of the runs in a folder or below, in order; there may be thousands, of which a log is near a few."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self._index = Spans(spans)

    def touching(self, span: Span) -> list[Span]:
        """Return those that share an instant with `span`."""
        return [self.spans[position] for position in self._index.touching(span)]

    def within_reach(self, span: Span) -> list[Span]:
        """Return those that `span` can touch at some offset."""
        return self.touching((span[0] - _EAST * _QUARTER_S, span[1] - _WEST * _QUARTER_S))


def _nearest(folder: str, runs: Mapping[str, _Runs]) -> _Runs | None:
    """Return the runs in the folder or below, else in the nearest folder above."""
    return next((runs[one] for one in above(folder) if one in runs), None)


def _placed(machine: Recording, runs: _Runs | None) -> Recording:
    """Return the log at the offset that it must be of, or as it is with a problem that says why not."""
    span = _span(machine)
    if runs is None or span is None or any(_share(span, run) >= _FITS or _share(run, span) >= _FITS for run in runs.touching(span)):
        return machine
    within_reach = runs.within_reach(span)
    if not within_reach:
        return machine  # another day: no zone is the reason
    best = _best(span, _work(machine) or span, within_reach)
    return _unknown(machine, span, within_reach) if best is None else _moved(machine, *best)


def _best(span: Span, work: Span, runs: list[Span]) -> tuple[_Offset, Span] | None:
    """Return the offset at which the log covers a run, and that run; None where there is none or others do as well."""
    fits = [(_offset(quarters, span, work, run), run) for run in runs for quarters in range(_WEST, _EAST + 1)]
    fits = sorted((one for one in fits if one[0].covered >= _COVERED), key=lambda one: (one[0].miss_s, abs(one[0].quarters)))
    if not fits:
        return None
    first, run = fits[0]
    others = [offset for offset, _ in fits if offset.quarters != first.quarters]
    near = first.miss_s <= _EDGES * (run[1] - run[0]) + _EARLY_S
    return fits[0] if not others or (near and others[0].miss_s >= _CLEARER * max(first.miss_s, _EARLY_S)) else None


def _offset(quarters: int, span: Span, work: Span, run: Span) -> _Offset:
    seconds = quarters * _QUARTER_S
    return _Offset(quarters, _share(_shifted(span, seconds), run), abs(work[0] - seconds - run[0]) + abs(work[1] - seconds - run[1]))


def _shifted(span: Span, seconds: float) -> Span:
    """Return the instants of a span that a clock `seconds` east of UTC showed."""
    return span[0] - seconds, span[1] - seconds


def _share(span: Span, run: Span) -> float:
    """Return the share of `run` that `span` covers."""
    shared = min(span[1], run[1]) - max(span[0], run[0])
    if shared < 0:
        return 0.0
    return 1.0 if run[1] == run[0] else shared / (run[1] - run[0])


def _work(machine: Recording) -> Span | None:
    """Return the first and last time at which any GPU worked."""
    frame = machine.frame
    busy = frame.loc[(frame["series"] == "gpu/utilization") & (frame["value"] >= _BUSY), "time"].dropna()
    return (busy.min().timestamp(), busy.max().timestamp()) if len(busy) else None


def _moved(machine: Recording, offset: _Offset, run: Span) -> Recording:
    import numpy as np

    delta = timedelta(seconds=offset.quarters * _QUARTER_S)
    frame = machine.frame
    timed = frame["time"].notna().to_numpy()
    flags: npt.NDArray[np.uint8] = frame["flags"].to_numpy() | np.where(timed, CLOCK_REPAIRED, 0).astype(np.uint8)
    evidence = f"it covers {offset.covered:.0%} of it, and the GPUs' work begins and ends {offset.miss_s / 2:,.0f} s from it on average"
    clock = f"{NO_ZONE}; taken as {_name(offset.quarters)}, for then it covers the run {_told(run)} (evidence: {evidence})"
    return replace(
        machine,
        frame=frame.assign(time=frame["time"] - delta, flags=flags),
        files=tuple(replace(file, clock=clock) if file.clock.startswith(NO_ZONE) else file for file in machine.files),
        events=tuple(one if one.time_s is None else replace(one, time_s=one.time_s - delta.total_seconds()) for one in machine.events),
        started_at=None if machine.started_at is None else machine.started_at - delta,
        ended_at=None if machine.ended_at is None else machine.ended_at - delta,
    )


def _unknown(machine: Recording, span: Span, runs: list[Span]) -> Recording:
    """Return the log as it is, with what its reader has to know where an offset could be meant at all."""
    nearest = min(runs, key=lambda run: max(run[0] - span[1], span[0] - run[1]))
    if not any(_share(_shifted(span, quarters * _QUARTER_S), nearest) for quarters in range(_WEST, _EAST + 1)):
        return machine  # both are shorter than the steps between zones
    what = (
        f"its clock names no zone; as UTC it is of {_told(span)} and the run of {_told(nearest)}, and no single offset is the one "
        "that fits; give --source-zone"
    )
    return replace(machine, problems=(*machine.problems, Problem(machine.files[0].name, "", what, about="clock")))


def _name(quarters: int) -> str:
    hours, rest = divmod(abs(quarters), 4)
    return f"UTC{'-' if quarters < 0 else '+'}{hours:02d}:{rest * 15:02d}"


def _told(span: Span) -> str:
    """Return a span such as ``2026-06-09 06:00–12:00``."""
    begin, end = (datetime.fromtimestamp(round(second), UTC) for second in span)
    first, last = ((iso(one) or "").replace("T", " ")[:16] for one in (begin, end))
    return f"{first}–{last[11:] if first[:10] == last[:10] else last}"
