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
from typing import TYPE_CHECKING

from trainreport import _files, _version, detectors
from trainreport.batches import engine as local
from trainreport.batches import results
from trainreport.batches.clusters import ENGINES
from trainreport.batches.holder import Job, Settings
from trainreport.batches.jobs import found
from trainreport.errors import InputError, OutputExistsError, PlanError, UsageError, did_you_mean
from trainreport.model import clock
from trainreport.model.digest import sha256_of_file
from trainreport.model.plan_reader import read_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from trainreport.batches.holder import Answer
    from trainreport.batches.results import Blocks

__all__ = [
    "ALL_ENGINES",
    "MEMORY_LIMIT_GIB",
    "PORTFOLIO",
    "RESULTS",
    "TIME_LIMIT_S",
    "Summary",
    "cpus",
    "run",
    "write_portfolio",
    "write_tables",
]

ALL_ENGINES = ("local", *ENGINES)
TIME_LIMIT_S = 600.0
"""A run of a million scalars takes seconds; ten minutes are for stores of very many runs and slow disks."""
MEMORY_LIMIT_GIB = 4.0
"""A run of a million scalars takes a tenth of it."""
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


def run(
    root: str | Path,
    output: Path,
    *,
    plan: Path | None = None,
    as_of: str | None = None,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    reports: Sequence[str] = (),
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
    plan : Path, optional
        What was agreed before training; it holds for every run.
    as_of : str, optional
        What stands for now; the last time in each job's logs by default.
    jobs : int, optional
        How many are judged at the same time; by default one a CPU of this machine, or as many as the cluster has room for.
    engine : str
        Who judges: one of `ALL_ENGINES`.
    address : str, optional
        Of the cluster; without one, the engine is started on this machine.
    reports : sequence of str
        Formats in which the report on each job is written, below ``reports`` in `output`.
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
        If an argument cannot be meant, or the system cannot fork a process.
    """
    _check(plan, as_of, engine, address, reports)
    settings = Settings(
        version=_version.__version__,
        plan=None if plan is None else str(plan.resolve()),
        as_of=as_of,
        time_limit_s=time_limit_s,
        memory_limit_gib=memory_limit_gib,
        reports=tuple(reports),
        output=str(output.resolve()),
    )
    common = (settings.version, "" if plan is None else sha256_of_file(plan), as_of or "", *reports)
    every = found(root, output, common)
    known = _opened(output, resume=resume, replace=replace)
    before = _stamps(output / _STATES) if resume else {}
    summary = Summary()

    def is_new(job: Job) -> bool:
        done = before.get(job.path) == job.stamp and known.is_judged(job.path)
        summary.skipped += done
        return not done

    todo = filter(is_new, every)
    answers = local.answers(todo, settings, jobs or cpus()) if engine == "local" else _on_cluster(todo, settings, engine, address, jobs)
    with results.Log(output / RESULTS) as written, results.Log(output / _STATES) as states:
        for job, answer in answers:
            failed = "error" in answer
            lines = [results.failure(job.path, settings.version, answer["error"])] if failed else answer["lines"]
            written.add(known.new(job.path, lines))
            if not failed:
                states.add([json.dumps({"path": job.path, "stamp": job.stamp})])
            summary.runs, summary.failed = summary.runs + len(lines) * (not failed), summary.failed + failed
            if progress is not None:
                progress(summary)
    if not (summary.runs or summary.failed or summary.skipped):
        raise InputError(f"{root}: no log is found in it; `trainreport formats` lists what is read")
    write_tables(output, write_portfolio(output))
    return summary


def cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _on_cluster(
    todo: Iterator[Job], settings: Settings, engine: str, address: str | None, jobs: int | None
) -> Iterator[tuple[Job, Answer]]:
    from trainreport.batches import clusters

    return clusters.answers(todo, settings, engine, address, jobs if jobs or address else cpus())


def write_portfolio(output: Path) -> Blocks:
    """Write the page that shows the results in a folder together, and return which of their lines count.

    Of a job that was judged more than once, the last judgement counts.
    """
    from trainreport.batches import portfolio
    from trainreport.batches.tally import Tally

    file, blocks, tally = output / RESULTS, results.Blocks(), Tally()
    with _uncollected():
        for entry in results.read(file):
            blocks.add(entry)
            tally.add(entry)
        if blocks.superseded:  # rare, and only known now: leave out what no longer counts
            tally = Tally()
            for line in results.valid(file, blocks):
                tally.add(json.loads(line))
    _files.write_whole(output / PORTFOLIO, portfolio.render(tally).encode(), replace=True)
    return blocks


def write_tables(output: Path, blocks: Blocks) -> None:
    """Write the results in a folder as Parquet, those lines that count."""
    from trainreport.batches import dataset

    dataset.write(results.valid(output / RESULTS, blocks), output)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold the collector of cycles off: entries have none, and looking for them takes a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _check(plan: Path | None, as_of: str | None, engine: str, address: str | None, reports: Sequence[str]) -> None:
    """Find the faults that every job would have."""
    if not hasattr(os, "fork"):
        raise UsageError("batch needs a system that can fork a process, such as Linux or macOS")
    if engine not in ALL_ENGINES:
        raise UsageError(f"{engine!r} is no engine{did_you_mean(engine, ALL_ENGINES)}; expected {', '.join(ALL_ENGINES)}")
    if engine == "local" and address is not None:
        raise UsageError(f"an address is that of a cluster: give the engine too, one of {', '.join(ENGINES)}")
    for form in reports:
        if form not in results.REPORT_NAMES:
            expected = ", ".join(results.REPORT_NAMES)
            raise UsageError(f"{form!r} is not a format of reports{did_you_mean(form, results.REPORT_NAMES)}; expected {expected}")
    if as_of is not None:
        clock.parse_instant(as_of)
    if plan is not None and (faults := detectors.faulty_limits(read_plan(plan))):
        raise PlanError(faults)


def _opened(output: Path, *, resume: bool, replace: bool) -> Blocks:
    """Make the folder ready, and return what its results hold."""
    there = [output / name for name in (RESULTS, PORTFOLIO) if (output / name).exists()]
    if there and not (resume or replace):
        raise OutputExistsError(f"{there[0]} exists already; --resume goes on with it, --force begins anew")
    known = results.Blocks(keep_lines=True)
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
        for entry in results.read(output / RESULTS):
            known.add(entry)
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
