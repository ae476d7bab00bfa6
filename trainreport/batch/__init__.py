"""Judges every run below a folder, each in a process that may fail, and keeps what is known when it ends early.

Three files are written into the folder of results: ``results.jsonl``, a line a run as soon as it is judged;
``portfolio.html`` at the end; and ``.batch.jsonl``, which says in what state the inputs of each job were. That stands
apart because it holds on this machine only, while the same logs give the same results anywhere.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport import _files, _version, detectors
from trainreport.batch import engine, results
from trainreport.batch.discovery import discover
from trainreport.batch.engine import Job, Settings
from trainreport.batch.stamps import stamp
from trainreport.errors import InputError, OutputExistsError, PlanError, UsageError
from trainreport.model import clock
from trainreport.model.digest import sha256_of_file
from trainreport.model.plan_reader import read_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trainreport.batch.results import Blocks

__all__ = ["MEMORY_LIMIT_GIB", "PORTFOLIO", "RESULTS", "TIME_LIMIT_S", "Summary", "run", "write_portfolio"]

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
    root: Path,
    output: Path,
    *,
    plan: Path | None = None,
    as_of: str | None = None,
    jobs: int = 1,
    time_limit_s: float = TIME_LIMIT_S,
    memory_limit_gib: float = MEMORY_LIMIT_GIB,
    resume: bool = False,
    replace: bool = False,
    progress: Callable[[Summary], None] | None = None,
) -> Summary:
    """Judge every run below `root` and write what was found into the folder `output`.

    Parameters
    ----------
    root : Path
        A folder.
    output : Path
        A folder; made where there is none.
    plan : Path, optional
        What was agreed before training; it holds for every run.
    as_of : str, optional
        What stands for now; the last time in each job's logs by default.
    jobs : int
        How many processes judge at the same time.
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
        If `root` is no folder, or no log is found in it.
    OutputExistsError
        If there are results, and they are neither to be gone on with nor to be replaced.
    PlanError
        If the plan has faults.
    UsageError
        If the system cannot fork a process.
    """
    if not hasattr(os, "fork"):
        raise UsageError("batch needs a system that can fork a process, such as Linux or macOS")
    if not root.is_dir():
        raise InputError(f"{root}: no such folder; expected one that holds runs")
    _check(plan, as_of)
    known = _opened(output, resume=resume, replace=replace)
    settings = Settings(None if plan is None else str(plan.resolve()), as_of, time_limit_s, memory_limit_gib)
    before = _stamps(output / _STATES) if resume else {}

    def is_done(path: str, state: str) -> bool:
        return before.get(path) == state and known.is_judged(path)

    summary = Summary()
    common = (_version.__version__, "" if plan is None else sha256_of_file(plan), as_of or "")
    todo = _todo(root, output, common, is_done, summary)
    with results.Log(output / RESULTS) as written, results.Log(output / _STATES) as states:
        for job, answer in engine.answers(todo, settings, jobs):
            failed = "error" in answer
            lines = [results.failure(job.path, _version.__version__, answer["error"])] if failed else answer["lines"]
            written.add(known.new(job.path, lines))
            if not failed:
                states.add([json.dumps({"path": job.path, "stamp": job.stamp})])
            summary.runs, summary.failed = summary.runs + len(lines) * (not failed), summary.failed + failed
            if progress is not None:
                progress(summary)
    if not (summary.runs or summary.failed or summary.skipped):
        raise InputError(f"{root}: no log is found in it; `trainreport formats` lists what is read")
    write_portfolio(output)
    return summary


def write_portfolio(output: Path) -> Path:
    """Write the page that shows the results in a folder together, and return its file.

    Of a job that was judged more than once, the last judgement counts.
    """
    from trainreport.batch import portfolio
    from trainreport.batch.tally import Tally

    file, blocks, found = output / RESULTS, results.Blocks(), Tally()
    for entry in results.read(file):
        blocks.add(entry)
        found.add(entry)
    if blocks.superseded:  # rare, and only known now: leave out what no longer counts
        found = Tally()
        for place, entry in enumerate(results.read(file)):
            if blocks.counts(place, entry):
                found.add(entry)
    _files.write_whole(output / PORTFOLIO, portfolio.render(found).encode(), replace=True)
    return output / PORTFOLIO


def _check(plan: Path | None, as_of: str | None) -> None:
    """Find the faults that every job would have."""
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


def _todo(root: Path, output: Path, common: tuple[str, ...], is_done: Callable[[str, str], bool], summary: Summary) -> Iterator[Job]:
    """Yield the jobs that were not judged by this version in the state that their files are in."""
    for folder in discover(root, output):
        path, state = folder.relative_to(root).as_posix(), stamp(folder, output, *common)
        if is_done(path, state):
            summary.skipped += 1
        else:
            yield Job(str(folder.resolve()), path, state)
