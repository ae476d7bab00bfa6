"""The process that judges jobs: ``python -m trainreport.batches.worker``, started by `holder`.

It reads settings and then jobs from stdin, a line of JSON each, and answers each job with a line on stdout. The
judging is done in a child that it forks once everything is imported; see `children`.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.batches.children import Keeper, Limits
from trainreport.batches.holder import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.model.decision import Assessment
    from trainreport.model.plan import Plan

__all__ = ["judge", "main"]


def main() -> None:
    """Serve until stdin ends, or no job has come for as long as the settings say."""
    settings = Settings(**json.loads(sys.stdin.buffer.readline()))
    plan = _ready(settings.plan)
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="trainreport-") as scratch:  # here: a child may be killed before it tidies up
        keeper = Keeper(partial(_answer, plan, settings, Path(scratch)), Limits(settings.time_limit_s, settings.memory_limit_gib))
        try:
            while job := _awaited(settings.idle_s):
                sys.stdout.buffer.write(keeper.answer(job) + b"\n")
                sys.stdout.buffer.flush()
        finally:
            keeper.end()


def judge(folder: str, path: str, plan: Plan, settings: Settings) -> list[str]:
    """Return the lines of a job's runs, and write the reports that the settings ask for.

    Raises
    ------
    MemoryError
        Where a detector or a reader broke off for want of memory, too.
    """
    from trainreport.batches import results
    from trainreport.decisions.assess import assess
    from trainreport.importers import load
    from trainreport.model import clock

    loaded = load([Path(folder)])
    now = clock.parse_instant(settings.as_of) if settings.as_of else None
    assessment = assess(loaded.logs, plan, skipped=loaded.skipped, as_of=now)
    broken = (outcome.reason for run in assessment.runs for outcome in run.outcomes)
    if any(_tells_of_memory(reason) for reason in (*broken, *(one.reason for one in loaded.skipped))):
        raise MemoryError
    _write_reports(assessment, results.report_folder(Path(settings.output), path), settings.reports)
    return results.lines(assessment, path)


def _write_reports(assessment: Assessment, folder: Path, forms: tuple[str, ...]) -> None:
    from trainreport import _files, reports
    from trainreport.batches.results import REPORT_NAMES

    for form in forms:
        _files.write_whole(folder / REPORT_NAMES[form], reports.render(assessment, form), replace=True)


def _tells_of_memory(reason: str) -> bool:
    return "MemoryError" in reason or os.strerror(errno.ENOMEM) in reason


def _awaited(idle_s: int) -> bytes:
    """Return the next job; nothing at the end of stdin."""
    signal.alarm(idle_s)
    try:
        return sys.stdin.buffer.readline()
    finally:
        signal.alarm(0)


def _answer(plan: Plan, settings: Settings, scratch: Path, line: bytes) -> bytes:
    """Return the lines of a job's runs, or the reason why there are none, as JSON."""
    from trainreport.errors import TrainreportError

    job = json.loads(line)
    try:
        with _local(job, scratch) as folder:
            told: dict[str, Any] = {"lines": judge(folder, job["path"], plan, settings)}
    except MemoryError:
        raise
    except TrainreportError as error:
        if _tells_of_memory(str(error)):
            raise MemoryError from error
        told = {"error": str(error)}
    except Exception as error:  # a fault of ours in one run must not end the batch
        told = {"error": f"a fault of trainreport itself, {type(error).__name__}: {error}"}
    return json.dumps(told).encode()


@contextmanager
def _local(job: dict[str, Any], scratch: Path) -> Iterator[str]:
    """Give the folder of a job on this machine, for as long as it is needed."""
    if job.get("files") is None:
        yield job["folder"]
        return
    from trainreport.batches import remote

    kept = scratch / "job"
    shutil.rmtree(kept, ignore_errors=True)  # what a killed child left behind
    place = kept / (job["folder"].rstrip("/").rpartition("/")[2] or "root")
    place.mkdir(parents=True)
    try:
        remote.fetch(job["folder"], job["files"], place)
        yield str(place)
    finally:
        shutil.rmtree(kept, ignore_errors=True)


def _ready(plan_file: str | None) -> Plan:
    """Import what every job needs, so that no child has to, and return the plan."""
    from trainreport import _resources
    from trainreport.model.plan import Plan
    from trainreport.model.plan_reader import read_plan

    with suppress(FileNotFoundError):  # a sample is judged too: much is imported where it is first used
        sample = _resources.folder("sample_runs") / "healthy" / "logs"
        if isinstance(sample, Path):
            judge(str(sample), "", Plan(), Settings(""))
    gc.collect()
    gc.freeze()  # the collector then leaves alone the pages that children share
    return read_plan(Path(plan_file)) if plan_file else Plan()


if __name__ == "__main__":
    main()
