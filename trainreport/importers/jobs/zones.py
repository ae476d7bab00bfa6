"""Finds the zone of a scheduler's clock by the runs beside its jobs: all jobs of a file are of one clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.offsets import OFFSETS, QUARTER_S, doubted, moved, told
from trainreport.importers.spans import Span, Spans, overlap_share, span_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.recording import Recording

    Array = npt.NDArray[np.float64]

__all__ = ["Beside", "with_zone"]

_COVERED = 0.8
"""Share of a run that one of the jobs must cover."""
_EDGES = 0.1
"""Share of the run by which the job's beginning and end may miss those of the run, where other offsets fit as well."""
_EARLY_S = 60.0
_CLEARER = 3.0
"""How many times further off the next best offset must be."""
_HALF = 0.5
_MOST_PAIRS = 200_000
"""Of jobs and runs; of more the clock is not inferred."""


class Beside(NamedTuple):
    """The offset of a hardware log of the same folder tree, which told its zone by the GPUs' work."""

    quarters: int
    file: str


class _Fit(NamedTuple):
    quarters: int
    runs: int
    """How many runs a job covers."""
    miss_s: float
    """How far beginning and end of the best job are from those of its run, taken together."""
    run: Span


def with_zone(jobs: Sequence[Recording], runs: Sequence[Span], beside: Beside | None) -> list[Recording]:
    """Return the jobs of one file at the offset at which they cover the runs, as they are where several do, or as UTC does.

    Parameters
    ----------
    jobs : sequence of Recording
    runs : sequence of Span
        Of their folder tree.
    beside : Beside, optional
        Settles it where several offsets fit: a cluster's machines share its clock.
    """
    fits = _fits(jobs, runs)
    as_utc = next((one for one in fits if one.quarters == 0), None)
    found = _clear(fits)
    if found is not None and found.quarters:
        return [moved(job, found.quarters, _because(found, as_utc)) for job in jobs]
    same = next((one for one in fits if beside is not None and one.quarters == beside.quarters), None)
    if same is not None and beside is not None and (as_utc is None or (_near(same) and same.miss_s < as_utc.miss_s)):
        return [moved(job, same.quarters, f"as {beside.file} beside it, for then it covers the run {told(same.run)}") for job in jobs]
    if not fits and beside is not None and _meet(jobs, runs, beside.quarters):  # several jobs one after the other
        return [moved(job, beside.quarters, f"as {beside.file} beside it") for job in jobs]
    if as_utc is not None or not fits:
        return list(jobs)
    why = f"as UTC no job of it covers the run of {told(fits[0].run)}, and no single offset is the one that fits"
    return [doubted(jobs[0], why), *jobs[1:]]


def _meet(jobs: Sequence[Recording], runs: Sequence[Span], quarters: int) -> bool:
    """Return whether some job lies by half in a run, or a run in it, at an offset and not as UTC."""
    spans = [span for job in jobs if (span := span_of([job])) is not None][:_MOST_PAIRS]

    def shares(shift: float) -> bool:
        held = ((start - shift, end - shift) for start, end in spans)
        index = Spans(list(runs))
        return any(overlap_share(one, runs[at], min) >= _HALF for one in held for at in index.touching(one))

    return shares(quarters * QUARTER_S) and not shares(0.0)


def _fits(jobs: Sequence[Recording], runs: Sequence[Span]) -> list[_Fit]:
    """Return the offsets at which jobs cover most runs, the one first that fits best."""
    import numpy as np

    known = [span for job in jobs if (span := span_of([job])) is not None]
    if not known or len(known) * len(runs) > _MOST_PAIRS:
        return []
    held, ran = np.array(known, dtype=np.float64), np.array(runs, dtype=np.float64)
    found = [fit for quarters in OFFSETS if (fit := _fit(quarters, held - quarters * QUARTER_S, ran)) is not None]
    most = max((one.runs for one in found), default=0)
    return sorted((one for one in found if one.runs == most), key=lambda one: (one.miss_s, abs(one.quarters)))


def _fit(quarters: int, held: Array, ran: Array) -> _Fit | None:
    import numpy as np

    start, end = held[:, :1], held[:, 1:]
    shared = np.minimum(end, ran[:, 1]) - np.maximum(start, ran[:, 0])
    covers = (shared >= 0) & (shared >= _COVERED * (ran[:, 1] - ran[:, 0]))
    if not covers.any():
        return None
    miss = np.where(covers, np.abs(start - ran[:, 0]) + np.abs(end - ran[:, 1]), np.inf)
    best = miss.min(axis=0)
    first, last = ran[int(best.argmin())]
    return _Fit(quarters, int(covers.any(axis=0).sum()), float(best[np.isfinite(best)].mean()), (float(first), float(last)))


def _clear(fits: Sequence[_Fit]) -> _Fit | None:
    """Return the best offset, None where another does as well."""
    if not fits or len(fits) == 1:
        return fits[0] if fits else None
    best = fits[0]
    return best if _near(best) and fits[1].miss_s >= _CLEARER * max(best.miss_s, _EARLY_S) else None


def _near(fit: _Fit) -> bool:
    return fit.miss_s <= _EDGES * (fit.run[1] - fit.run[0]) + _EARLY_S


def _because(found: _Fit, as_utc: _Fit | None) -> str:
    else_ = "" if as_utc is None else f", as UTC {as_utc.miss_s / 2:,.0f} s"
    evidence = f"the job begins and ends {found.miss_s / 2:,.0f} s from it on average{else_}"
    return f"for then it covers the run {told(found.run)} (evidence: {evidence})"
