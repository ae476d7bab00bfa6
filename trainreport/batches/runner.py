"""Judges every run below a folder or in a store, each in a process that may fail, and keeps what is known when it ends early.

What is written into the folder of results: ``results.jsonl``, a line a run as soon as it is judged; at the end
``portfolio.html``, and the same results as ``runs.parquet`` and ``findings.parquet``; and ``.batch.jsonl``, which says
in what state the inputs of each job were. That stands apart because it holds on this machine only, while the same logs
give the same results anywhere.
"""

from __future__ import annotations

import gc
import json
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from typing import TYPE_CHECKING

from trainreport import _files, _version
from trainreport.batches import engine as local
from trainreport.batches import results
from trainreport.batches.holder import ENGINES, MEMORY_LIMIT_GIB, TIME_LIMIT_S, Job, Settings
from trainreport.batches.jobs import found
from trainreport.batches.sharing import shared
from trainreport.batches.terms import Terms, check
from trainreport.errors import InputError, OutputExistsError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from trainreport.batches.holder import Answer
    from trainreport.batches.results import Blocks

__all__ = [
    "PORTFOLIO",
    "RESULTS",
    "Summary",
    "cpus",
    "run",
    "write_together",
]

PORTFOLIO = "portfolio.html"
RESULTS = "results.jsonl"
_STATES = ".batch.jsonl"


@dataclass(slots=True)
class Summary:
    """How a batch has gone so far."""

    runs: int = 0
    """Judged now."""
    failed: int = 0
    """Jobs that gave no judgement."""
    skipped: int = 0
    """Jobs that were judged before, and whose files are the same."""
    share: float = 0.0
    """About how much of the batch is done, 0 to 1."""


def run(
    root: str | Path,
    output: Path,
    terms: Terms = Terms(),  # noqa: B008  frozen
    *,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    time_limit_s: float = TIME_LIMIT_S,
    memory_limit_gib: float = MEMORY_LIMIT_GIB,
    resume: bool = False,
    replace: bool = False,
    progress: Callable[[Summary], None] | None = None,
) -> Summary:
    """Judge every run below `root` and write what was found into the folder `output`.

    Parameters
    ----------
    root : str or Path
        A folder, or the address of a store such as ``s3://bucket/runs``.
    output : Path
        A folder; made where there is none.
    terms : Terms
        What every job is judged by, and how its report is worded.
    jobs : int, optional
        How many are judged at the same time; by default one a CPU of this machine, or as many as the cluster has room for.
    engine : str
        Who judges: one of `holder.ENGINES`.
    address : str, optional
        Of the cluster; without one, the engine is started on this machine.
    time_limit_s, memory_limit_gib : float
        What one job may take; one that needs more is a result with this reason.
    resume : bool
        Go on with the results that are there: leave out what they hold and has not changed.
    replace : bool
        Begin anew where there are results.
    progress : callable, optional
        Called after each job.

    Raises
    ------
    InputError
        If `root` is no folder, no log is found in it, or the store or the cluster cannot be reached.
    MissingDependencyError
        If the library that the engine or the store needs is not installed.
    OutputExistsError
        If there are results, and they are neither to be gone on with nor to be replaced.
    PlanError
        If the plan has faults.
    UsageError
        If an argument cannot be meant, a file of the terms cannot be read, or the system cannot fork a process.
    """
    _check(engine, address)
    check(terms)
    settings = Settings(
        version=_version.__version__,
        terms=terms,
        time_limit_s=time_limit_s,
        memory_limit_gib=memory_limit_gib,
        output=str(output.resolve()),
    )
    every = found(root, output, terms.judging(), (settings.version, terms.wording()))
    known = _opened(output, resume=resume, replace=replace)
    before = _stamps(output / _STATES) if resume else {}
    summary = Summary()

    def is_new(job: Job) -> bool:
        done = before.get(job.path) == job.stamp and known.is_judged(job.path)
        summary.skipped += done
        return not done

    asked = _engine(engine, address, jobs)
    if terms.billing is not None:
        every = iter(shared(asked(every, changed(settings, only_spans=True))))
    answers = asked(filter(is_new, every), settings)
    with results.Log(output / RESULTS) as written, results.Log(output / _STATES) as states:
        for job, answer in answers:
            failed = "error" in answer
            lines = [results.failure(job.path, settings.version, answer["error"])] if failed else answer["lines"]
            new = known.new(job.path, lines)
            written.add(new)
            if resume:  # else no job is there twice
                for line in new:
                    known.add(line, json.loads(line))
            if not failed:
                states.add([json.dumps({"path": job.path, "stamp": job.stamp})])
            summary.runs, summary.failed = summary.runs + len(lines) * (not failed), summary.failed + failed
            summary.share = max(summary.share, job.share)
            if progress is not None:
                progress(summary)
    if not (summary.runs or summary.failed or summary.skipped):
        raise InputError(f"{root}: no log is found in it; `trainreport formats` lists what is read")
    write_together(output, known)
    return summary


def cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _engine(engine: str, address: str | None, jobs: int | None) -> Callable[[Iterator[Job], Settings], Iterator[tuple[Job, Answer]]]:
    """Return what has jobs answered."""
    if engine == "local":
        return partial(local.answers, workers=jobs or cpus())
    from trainreport.batches import clusters

    return partial(clusters.answers, engine=engine, address=address, workers=jobs if jobs or address else cpus())


def write_together(output: Path, known: Blocks) -> None:
    """Write the page that shows the results in a folder together, and the same as Parquet.

    Of a job that was judged more than once, the last judgement counts, as `known` has them.
    """
    from trainreport.batches import dataset, portfolio
    from trainreport.batches.lines import tables
    from trainreport.batches.tally import Tally

    tally = Tally()

    def counted() -> Iterator[pa.Table]:
        for table in tables(results.valid(output / RESULTS, known)):
            tally.add(table)
            yield table

    dataset.write(counted(), output)
    _files.write_whole(output / PORTFOLIO, portfolio.render(tally).encode(), replace=True)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold the collector of cycles off: entries have none, and looking for them takes a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _check(engine: str, address: str | None) -> None:
    """Find what would keep every job from being judged."""
    if not hasattr(os, "fork"):
        raise UsageError("batch needs a system that can fork a process, such as Linux or macOS")
    if engine not in ENGINES:
        raise UsageError(f"{engine!r} is no engine{did_you_mean(engine, ENGINES)}; expected {', '.join(ENGINES)}")
    if engine == "local" and address is not None:
        raise UsageError(f"an address is that of a cluster: give the engine too, one of {', '.join(ENGINES[1:])}")


def _opened(output: Path, *, resume: bool, replace: bool) -> Blocks:
    """Make the folder ready, and return what its results hold."""
    there = [output / name for name in (RESULTS, PORTFOLIO) if (output / name).exists()]
    if there and not (resume or replace):
        raise OutputExistsError(f"{there[0]} exists already; --resume goes on with it, --force begins anew")
    known = results.Blocks()
    try:
        output.mkdir(parents=True, exist_ok=True)
        for file in (output / RESULTS, output / _STATES):
            if not resume:
                file.unlink(missing_ok=True)
            elif file.exists():
                results.repair(file)
    except OSError as error:
        raise InputError(f"{output} cannot be written to: {error.strerror or error}; choose another place with -o") from None
    if (output / RESULTS).exists():
        with _uncollected():
            for line, entry in results.read(output / RESULTS):
                known.add(line, entry)
    return known


def _stamps(file: Path) -> dict[str, str]:
    """Return the state of each job's files when it was judged last; a job whose line is damaged is judged again."""
    found: dict[str, str] = {}
    if file.exists():
        with file.open(encoding="ascii", errors="replace") as stream:
            for line in stream:
                with suppress(ValueError, KeyError, TypeError):
                    one = json.loads(line)
                    found[one["path"]] = one["stamp"]
    return found
