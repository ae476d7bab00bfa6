"""What a scheduler says it gave a run: GPUs, and for how long."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.run import Run, RunLog

__all__ = ["Allocation", "allocations"]

_TAG = re.compile(r"(slurm|lsf)/([^/]{1,100})/(allocated_gpus|held_seconds)")
_SPOKEN = {"slurm": "Slurm", "lsf": "LSF"}
_MOST_GPUS = 1_000_000


class Allocation(NamedTuple):
    """The GPUs that a run's jobs held."""

    gpus: int
    """Of the job that had most."""
    hours: float
    """GPU-hours of all jobs."""
    words: str
    """Such as ``Slurm job 12: 4 GPUs for 2 h``."""
    shared: bool
    """Whether another run ran in one of the jobs, so that the hours are not this run's alone."""


def allocations(logs: Sequence[RunLog]) -> list[Allocation | None]:
    """Return what each run was given, None where no scheduler says so."""
    jobs = [_jobs(log.run) for log in logs]
    holders = Counter(job for own in jobs for job in own)
    return [_allocation(own, shared=any(holders[job] > 1 for job in own)) if own else None for own in jobs]


_Jobs = dict[tuple[str, str], tuple[int, float]]


def _jobs(run: Run) -> _Jobs:
    """Return GPUs and seconds of each job of which both are known."""
    told: dict[tuple[str, str], dict[str, float]] = {}
    for key, text in run.tags.items():
        match = _TAG.fullmatch(key)
        if match is not None and text.isdecimal() and len(text) <= 12:
            told.setdefault((match[1], match[2]), {})[match[3]] = float(text)
    both = {"allocated_gpus", "held_seconds"}
    return {
        job: (int(one["allocated_gpus"]), one["held_seconds"])
        for job, one in told.items()
        if both <= one.keys() and 0 < one["allocated_gpus"] <= _MOST_GPUS
    }


def _allocation(jobs: _Jobs, *, shared: bool) -> Allocation:
    told = [
        f"{_SPOKEN[kind]} job {job}: {words.plural(gpus, 'GPU')} for {words.duration(held)}" for (kind, job), (gpus, held) in jobs.items()
    ]
    more = f" and {len(told) - 3} more" if len(told) > 3 else ""
    hours = sum(gpus * held for gpus, held in jobs.values()) / 3600
    return Allocation(max(gpus for gpus, _ in jobs.values()), hours, ", ".join(told[:3]) + more, shared)
