"""A job of a scheduler, and the recording that is made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.recording import Event, FileRead, Recording, frame_of, mappings_of
from trainreport.importers.smi.table import Column
from trainreport.importers.smi.times import NO_TIME, times_of
from trainreport.model.clock import from_epoch_seconds
from trainreport.model.run import Hardware
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.model.run import Status

__all__ = ["MOST_JOBS", "STATUS", "Job", "Measure", "recordings_of"]

STATUS: dict[str, Status] = {
    "COMPLETED": "finished", "DONE": "finished",
    "FAILED": "failed", "NODE_FAIL": "failed", "BOOT_FAIL": "failed", "OUT_OF_MEMORY": "failed", "EXIT": "failed", "EXITED": "failed",
    "LAUNCH_FAILED": "failed", "RECONFIG_FAIL": "failed",
    "CANCELLED": "killed", "TIMEOUT": "killed", "PREEMPTED": "killed", "DEADLINE": "killed", "REVOKED": "killed",
    "RUNNING": "running", "SUSPENDED": "running", "COMPLETING": "running", "STOPPED": "running",
}  # fmt: skip
"""How a job ended, by its state."""
MOST_JOBS = 40_000
"""Jobs of one file that are read; each costs 20 kB."""
_SPOKEN = {"slurm": "Slurm", "lsf": "LSF"}
_WHY = "an amount of the scheduler"


class Measure(NamedTuple):
    """An amount of a job."""

    logged: str
    series: str
    unit: str
    value: float


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the scheduler tells of it; what it does not tell is empty or None."""

    scheduler: str
    id: str
    name: str = ""
    state: str = ""
    """In capitals, without what is written behind it."""
    submit: str = ""
    start: str = ""
    end: str = ""
    elapsed_s: float | None = None
    gpus: int | None = None
    gpu_model: str | None = None
    nodes: int | None = None
    out_of_memory: str = ""
    """What says that it ran out of memory."""
    exit: str = ""
    measures: Sequence[Measure] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    line: int | None = None

    @property
    def status(self) -> Status:
        """How it ended, in the words of `model.run`."""
        return STATUS.get(self.state, "unknown")


def recordings_of(importer: str, source: Source, jobs: Sequence[Job], troubles: Troubles) -> tuple[Recording, ...]:
    """Return one recording a job; the problems of the file stand with the first.

    A job that was seen twice, as in an export that is added to each day, counts once, as it was seen last; one that
    was put back into the queue counts for each time that it ran.
    """
    if len(jobs) > MOST_JOBS:
        troubles.add("", f"{len(jobs):,} jobs; the first {MOST_JOBS:,} were read: ask the scheduler for a shorter time or one user")
        jobs = jobs[:MOST_JOBS]
    told = len(jobs)
    jobs = _each_attempt(jobs)
    repeated = told - len(jobs)
    times = times_of(Column.from_cells(text for job in jobs for text in (job.submit, job.start, job.end)), source.zone)
    made = []
    for place, job in enumerate(jobs):
        submit, start, end = (None if ns == NO_TIME else ns / 1e9 for ns in times.ns[3 * place : 3 * place + 3].tolist())
        if start is not None and end is None and job.elapsed_s is not None:
            end = start + job.elapsed_s
        made.append(_recording(importer, source, job, (submit, start, end), clock=times.clock, troubles=troubles if place == 0 else None))
    if repeated:
        said = f"{repeated:,} job{' stands' if repeated == 1 else 's stand'} twice in it; the later entry counts"
        made[0] = replace(made[0], events=(*made[0].events, Event("notice", said, file=source.name)))
    return tuple(made)


def _each_attempt(jobs: Sequence[Job]) -> list[Job]:
    """Return each attempt of each job once; Slurm tells them apart by when they were submitted and when they started."""
    found: list[Job] = []
    last: dict[tuple[str, str], int] = {}
    attempts: Counter[str] = Counter()
    for job in jobs:
        place = last.get((job.id, job.submit))
        if place is not None and _is_same(found[place], job):
            found[place] = replace(job, id=found[place].id)
            continue
        attempts[job.id] += 1
        nth = attempts[job.id]
        last[job.id, job.submit] = len(found)
        found.append(job if nth == 1 else replace(job, id=f"{job.id} attempt {nth}"))
    return found


def _is_same(one: Job, other: Job) -> bool:
    if one.submit or one.start or other.start:
        return one.start == other.start or not (one.start and other.start)
    return one.facts == other.facts


_Moments = tuple["float | None", "float | None", "float | None"]


def _recording(importer: str, source: Source, job: Job, moments: _Moments, *, clock: str, troubles: Troubles | None) -> Recording:
    import numpy as np

    _, start, end = moments
    measures = _measures(job, moments)
    meanings = [Meaning(one.series, "system", one.unit, None, _WHY) for one in measures]
    at = start if end is None else end
    known_at = [start if one.series == "job/queue_wait" else at for one in measures]
    frame = frame_of(
        [one.logged for one in measures],
        meanings,
        np.arange(len(measures), dtype=np.intp),
        np.array([one.value for one in measures], dtype=np.float64),
        file=source.name,
        times_ns=np.array([NO_TIME if when is None else round(when * 1e9) for when in known_at], dtype=np.int64),
    )
    read = clock if any(when is not None for when in moments) else "no time written"
    return Recording(
        importer=importer,
        kind="job",
        key=job.id if source.folder == "." else f"{source.folder}/{job.id}",
        name=" attempt ".join([job.name or job.id.partition(" ")[0], *job.id.split(" attempt ")[1:]]),
        frame=frame,
        files=(FileRead(source.path, source.name, len(measures), 0 if troubles is None else troubles.count, read),),
        folder=source.folder,
        mappings=mappings_of([one.logged for one in measures], meanings),
        problems=troubles.all() if troubles is not None else (),
        events=(_event(job, source.name, end),) if job.state else (),
        started_at=None if start is None else from_epoch_seconds(start),
        ended_at=None if end is None else from_epoch_seconds(end),
        status=job.status,
        tags=_tags(job, moments),
        hardware=Hardware(gpu_model=job.gpu_model, gpu_count=job.gpus or None, node_count=job.nodes),
    )


def _measures(job: Job, moments: _Moments) -> list[Measure]:
    submit, start, end = moments
    found = list(job.measures)
    if submit is not None and start is not None and start >= submit:
        found.append(Measure("Submit to Start", "job/queue_wait", "s", start - submit))
    held = _held(job, start, end)
    if held is not None:
        found.append(Measure("Elapsed", "job/elapsed", "s", held))
    if job.gpus is not None:
        found.append(Measure("GPUs allocated", "job/gpus", "1", float(job.gpus)))
    return found


def _held(job: Job, start: float | None, end: float | None) -> float | None:
    if job.elapsed_s is not None or start is None or end is None:
        return job.elapsed_s
    return max(0.0, end - start)


def _tags(job: Job, moments: _Moments) -> dict[str, str]:
    """Return facts by ``scheduler/job/name``: a run may have had several jobs."""
    _, start, end = moments
    facts = {**job.facts}
    if start is not None:
        facts |= {"Submit": job.submit, "Start": job.start}
        held = _held(job, start, end)
        facts |= {"allocated_gpus": str(job.gpus)} if job.gpus is not None else {}
        facts |= {"held_seconds": f"{held:.0f}"} if held is not None else {}
    return {f"{job.scheduler}/{job.id}/{name}": text for name, text in facts.items() if text}


def _event(job: Job, file: str, end: float | None) -> Event:
    name = f" ({job.name})" if job.name else ""
    code = f", exit code {job.exit}" if job.exit else ""
    memory = f"; oom-kill: {job.out_of_memory}" if job.out_of_memory else ""
    level = "error" if job.status == "failed" or memory else "warning" if job.status == "killed" else "info"
    message = f"{_SPOKEN[job.scheduler]} job {job.id}{name} is {job.state}{code}{memory}"
    return Event("status", message, end, level=level, file=file, line=job.line)
