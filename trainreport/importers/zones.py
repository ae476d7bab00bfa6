"""Finds the zone of a hardware log's clock by the training that it was taken beside.

nvidia-smi writes the local time and no zone, training tools write instants. Read as UTC such a log may miss its run
by hours. It is moved by an offset that zones have where that makes it cover a run of its folder tree, and no other does
as well; else it stays, and the report says what to give. A log that does cover its run as UTC is moved only where the
GPUs' work then begins and ends with the run, and does not as UTC: it may well have begun before it or have ended after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.folders import by_folder, nearest
from trainreport.importers.jobs.zones import Beside, with_zone
from trainreport.importers.offsets import OFFSETS, QUARTER_S, doubted, moved, told
from trainreport.importers.smi.times import NO_ZONE
from trainreport.importers.spans import Span, Spans, overlap_share, span_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from trainreport.importers.recording import Recording

__all__ = ["with_zones"]

_FITS = 0.5
"""Share of the run that the log must cover as UTC to be of it as it is."""
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
    placed = {one: _placed(one, nearest(one.folder, near)) for one in found if one.kind == "machine" and _without_zone(one)}
    beside = _beside(placed)
    by_file: dict[Path, list[Recording]] = {}
    for one in found:
        if one.kind == "job" and _without_zone(one):
            by_file.setdefault(one.files[0].path, []).append(one)
    for jobs in by_file.values():
        there = nearest(jobs[0].folder, near)
        if there is not None:
            placed |= dict(zip(jobs, with_zone(jobs, there.spans, beside), strict=True))
    return [placed.get(one, one) for one in found]


def _beside(placed: Mapping[Recording, Recording]) -> Beside | None:
    """Return the offset at which the hardware logs are that had to be moved, None where none was or they do not agree."""
    found = {
        round((before.started_at - after.started_at).total_seconds() / QUARTER_S): after
        for before, after in placed.items()
        if before is not after and before.started_at is not None and after.started_at is not None and before.started_at != after.started_at
    }
    return Beside(*next((quarters, log.files[0].name) for quarters, log in found.items())) if len(found) == 1 else None


def _runs(recordings: Iterable[Recording]) -> list[tuple[str, Span]]:
    """Return folder and span of each run; a restarted one has several recordings."""
    spans: dict[tuple[str, str, str], Span] = {}
    for one in recordings:
        span = span_of([one])
        if span is not None:
            known = spans.get((one.folder, one.importer, one.key), span)
            spans[one.folder, one.importer, one.key] = min(known[0], span[0]), max(known[1], span[1])
    return [(folder, span) for (folder, _, _), span in spans.items()]


def _without_zone(one: Recording) -> bool:
    return one.kind != "training" and one.started_at is not None and any(file.clock.startswith(NO_ZONE) for file in one.files)


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
        return self.touching((span[0] - OFFSETS[-1] * QUARTER_S, span[1] - OFFSETS[0] * QUARTER_S))


def _placed(machine: Recording, runs: _Runs | None) -> Recording:
    """Return the log at the offset that it must be of, or as it is with a problem that says why not."""
    span = span_of([machine])
    if runs is None or span is None:
        return machine
    work = _work(machine)
    touching = runs.touching(span)
    if any(overlap_share(span, run, min) >= _FITS for run in touching):
        return machine if work is None else _better_placed(machine, span, work, touching)
    within_reach = runs.within_reach(span)
    if not within_reach:
        return machine  # another day: no zone is the reason
    fits = _fits(span, work or span, within_reach)
    found = _clear(fits) if fits else None
    return _unknown(machine, span, within_reach) if found is None else _moved(machine, *found)


def _better_placed(machine: Recording, span: Span, work: Span, runs: list[Span]) -> Recording:
    """Return a log that covers a run as UTC: as it is, unless the GPUs' work begins and ends with a run at another offset alone."""
    runs = [*runs, *_whole(runs)]
    as_utc = min(_offset(0, span, work, run).miss_s for run in runs)
    alike = [run for run in runs if _as_long(work, run)]  # a search has thousands of runs below one log
    fits = [one for one in _fits(span, work, alike) if one[0].quarters]
    if not fits or not _near(*fits[0]) or as_utc < _CLEARER * max(fits[0][0].miss_s, _EARLY_S):
        return machine
    found = _clear(fits)
    if found is not None:
        return _moved(machine, *found, as_utc)
    off = f"as UTC its GPUs' work begins and ends {as_utc / 2:,.0f} s from the run {told(fits[0][1])} on average"
    return doubted(machine, f"{off}, and several other zones fit it better")


def _as_long(work: Span, run: Span) -> bool:
    """Return whether work and run are about as long: if not, no offset makes both ends meet, nor rivals one that does."""
    length = run[1] - run[0]
    return abs(work[1] - work[0] - length) <= _CLEARER * (_EDGES * length + _EARLY_S)


def _whole(runs: list[Span]) -> list[Span]:
    """Return the span from the first to the last of several runs, which one log may have been taken beside."""
    return [(min(run[0] for run in runs), max(run[1] for run in runs))] if len(runs) > 1 else []


def _fits(span: Span, work: Span, runs: list[Span]) -> list[tuple[_Offset, Span]]:
    """Return the offsets at which the log covers a run, with that run, the best first."""
    every = [(_offset(quarters, span, work, run), run) for run in runs for quarters in OFFSETS]
    return sorted((one for one in every if one[0].covered >= _COVERED), key=lambda one: (one[0].miss_s, abs(one[0].quarters)))


def _clear(fits: list[tuple[_Offset, Span]]) -> tuple[_Offset, Span] | None:
    """Return the best offset; None where others do as well."""
    first = fits[0][0]
    others = [offset for offset, _ in fits if offset.quarters != first.quarters]
    return fits[0] if not others or (_near(*fits[0]) and others[0].miss_s >= _CLEARER * max(first.miss_s, _EARLY_S)) else None


def _near(offset: _Offset, run: Span) -> bool:
    """Return whether the GPUs' work begins and ends with the run."""
    return offset.miss_s <= _EDGES * (run[1] - run[0]) + _EARLY_S


def _offset(quarters: int, span: Span, work: Span, run: Span) -> _Offset:
    seconds = quarters * QUARTER_S
    return _Offset(quarters, _share(_shifted(span, seconds), run), abs(work[0] - seconds - run[0]) + abs(work[1] - seconds - run[1]))


def _shifted(span: Span, seconds: float) -> Span:
    """Return the instants of a span that a clock `seconds` east of UTC showed."""
    return span[0] - seconds, span[1] - seconds


def _share(span: Span, run: Span) -> float:
    """Return the share of `run` that `span` covers."""
    return overlap_share(span, run, lambda _, length: length)


def _work(machine: Recording) -> Span | None:
    """Return the first and last time at which any GPU worked."""
    frame = machine.frame
    busy = frame.loc[(frame["series"] == "gpu/utilization") & (frame["value"] >= _BUSY), "time"].dropna()
    return (busy.min().timestamp(), busy.max().timestamp()) if len(busy) else None


def _unknown(machine: Recording, span: Span, runs: list[Span]) -> Recording:
    """Return the log as it is, with what its reader has to know where an offset could be meant at all."""
    nearest = min(runs, key=lambda run: max(run[0] - span[1], span[0] - run[1]))
    if not any(_share(_shifted(span, quarters * QUARTER_S), nearest) for quarters in OFFSETS):
        return machine  # both are shorter than the steps between zones
    return doubted(machine, f"as UTC it is of {told(span)} and the run of {told(nearest)}, and no single offset is the one that fits")


def _moved(machine: Recording, offset: _Offset, run: Span, as_utc: float | None = None) -> Recording:
    """Return the log at an offset; `as_utc` is how far the GPUs' work is from the run without it, where it covers the run all the same."""
    evidence = f"it covers {offset.covered:.0%} of it, and the GPUs' work begins and ends {offset.miss_s / 2:,.0f} s from it on average"
    evidence += "" if as_utc is None else f", as UTC {as_utc / 2:,.0f} s"
    return moved(machine, offset.quarters, f"for then it covers the run {told(run)} (evidence: {evidence})")
