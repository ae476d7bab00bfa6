"""What a scheduler or a training service says it gave a run: GPUs, and for how long."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from trainreport.model import words
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.run import Run, RunLog

__all__ = ["Allocation", "allocations", "covered", "own_spans"]

_TAG = re.compile(r"(slurm|lsf)/([^/]{1,100})/(allocated_gpus|held_seconds)")
_SHARED_TAG = re.compile(r"(?:slurm|lsf)/[^/]{1,100}/runs_in_it")
_SPOKEN = {"slurm": "Slurm", "lsf": "LSF"}
_MOST_GPUS = 1_000_000


class Allocation(NamedTuple):
    """The GPUs that a run held by word of who gave them."""

    gpus: int
    """Of the job that had most."""
    hours: float
    """GPU-hours of all jobs."""
    words: str
    """Such as ``Slurm job 12: 4 GPUs for 2 h``."""
    shared: bool = False
    """Whether another run ran in one of the jobs, so that the hours are not this run's alone."""
    by: str = "the scheduler"
    billed: float | None = None
    """GPU-hours that are charged, where they are not those that were held."""


def allocations(logs: Sequence[RunLog]) -> list[Allocation | None]:
    """Return what each run was given, None where nobody says so."""
    jobs = [_jobs(log.run) for log in logs]
    holders = Counter(job for own in jobs for job in own)
    return [
        _allocation(own, shared=_is_shared(log.run) or any(holders[job] > 1 for job in own)) if own else _of_service(log.run)
        for log, own in zip(logs, jobs, strict=True)
    ]


@remembered
def own_spans(log: RunLog) -> list[tuple[float, float]]:
    """Return when the run had jobs of its own, in seconds since 1970 and in order; none where another run ran in one."""
    frame = log.frame
    if "job/elapsed" not in frame["series"].cat.categories or _is_shared(log.run):
        return []
    rows = frame.loc[(frame["series"] == "job/elapsed") & frame["time"].notna(), ["time", "value"]]
    found: list[tuple[float, float]] = []
    for start, end in sorted(
        (ended.timestamp() - held, ended.timestamp()) for ended, held in zip(rows["time"], rows["value"], strict=True)
    ):
        if found and start <= found[-1][1]:  # parts of one job, side by side
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def covered(log: RunLog) -> float:
    """Return the share of the run's time that lies in its jobs, 1 where either has no times."""
    start, end, jobs = log.run.started_at, log.run.ended_at, own_spans(log)
    if start is None or end is None or end <= start or not jobs:
        return 1.0
    first, last = start.timestamp(), end.timestamp()
    inside = sum(max(0.0, min(ended, last) - max(begun, first)) for begun, ended in jobs)
    return min(1.0, inside / (last - first))


def _is_shared(run: Run) -> bool:
    return any(_SHARED_TAG.fullmatch(key) for key in run.tags)


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
    together: Counter[tuple[str, str]] = Counter()  # the parts of a heterogeneous job, such as 12+0 and 12+1, run side by side
    for (kind, job), (gpus, _) in jobs.items():
        together[kind, job.partition("+")[0]] += gpus
    return Allocation(max(together.values()), hours, ", ".join(told[:3]) + more, shared)


def _of_service(run: Run) -> Allocation | None:
    """Return what SageMaker gave: its instances' GPUs for the seconds of training, charged by the billable seconds.

    Those hold the discount of managed spot training already, so that the on-demand rate prices them.
    """
    trained, billable = (_whole(run.tags.get(f"sagemaker.{name}_seconds", "")) for name in ("training", "billable"))
    gpus = run.hardware.gpu_count
    if trained is None or not gpus or "sagemaker.instance_type" not in run.tags:
        return None
    instances = _whole(run.tags.get("sagemaker.instance_count", "")) or 1
    told = f"{instances:.0f} × {run.tags['sagemaker.instance_type']}: {words.plural(gpus, 'GPU')} for {words.duration(trained)}"
    if billable is None or billable == trained:
        return Allocation(gpus, gpus * trained / 3600, told, by="SageMaker")
    told += f", of which {words.duration(billable)} are billed"
    return Allocation(gpus, gpus * trained / 3600, told, by="SageMaker", billed=gpus * billable / 3600)


def _whole(text: str) -> float | None:
    return float(text) if text.isdecimal() and len(text) <= 12 else None
