"""The process that judges jobs: ``python -m trainreport.batch.worker``, started by `engine`.

It reads settings and then jobs from stdin, a line of JSON each, and answers each job with a line on stdout. The
judging is done in a child that it forks once everything is imported; see `children`.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.batch.children import Keeper, Limits

if TYPE_CHECKING:
    from trainreport.model.plan import Plan

__all__ = ["judge", "main"]


def main() -> None:
    """Serve until stdin ends."""
    settings = json.loads(sys.stdin.buffer.readline())
    plan = _ready(settings["plan"])
    keeper = Keeper(partial(_answer, plan, settings["as_of"]), Limits(settings["time_limit_s"], settings["memory_limit_gib"]))
    while job := sys.stdin.buffer.readline():
        sys.stdout.buffer.write(keeper.answer(job) + b"\n")
        sys.stdout.buffer.flush()
    keeper.end()


def judge(folder: str, path: str, plan: Plan, as_of: str | None) -> list[str]:
    """Return the lines of a job's runs.

    Raises
    ------
    MemoryError
        Where a detector or a reader broke off for want of memory, too.
    """
    from trainreport.batch import results
    from trainreport.decisions.assess import assess
    from trainreport.importers import load
    from trainreport.model import clock

    loaded = load([Path(folder)])
    assessment = assess(loaded.logs, plan, skipped=loaded.skipped, as_of=clock.parse_instant(as_of) if as_of else None)
    broken = (outcome.reason for run in assessment.runs for outcome in run.outcomes)
    if any(_tells_of_memory(reason) for reason in (*broken, *(one.reason for one in loaded.skipped))):
        raise MemoryError
    return results.lines(assessment, path)


def _tells_of_memory(reason: str) -> bool:
    return "MemoryError" in reason or os.strerror(errno.ENOMEM) in reason


def _answer(plan: Plan, as_of: str | None, line: bytes) -> bytes:
    """Return the lines of a job's runs, or the reason why there are none, as JSON."""
    from trainreport.errors import TrainreportError

    job = json.loads(line)
    try:
        told: dict[str, Any] = {"lines": judge(job["folder"], job["path"], plan, as_of)}
    except MemoryError:
        raise
    except TrainreportError as error:
        if _tells_of_memory(str(error)):
            raise MemoryError from error
        told = {"error": str(error)}
    except Exception as error:  # a fault of ours in one run must not end the batch
        told = {"error": f"a fault of trainreport itself, {type(error).__name__}: {error}"}
    return json.dumps(told).encode()


def _ready(plan_file: str | None) -> Plan:
    """Import what every job needs, so that no child has to, and return the plan."""
    from trainreport import _resources
    from trainreport.model.plan import Plan
    from trainreport.model.plan_reader import read_plan

    with suppress(FileNotFoundError):  # a sample is judged too: much is imported where it is first used
        sample = _resources.folder("sample_runs") / "healthy" / "logs"
        if isinstance(sample, Path):
            judge(str(sample), "", Plan(), None)
    gc.collect()
    gc.freeze()  # the collector then leaves alone the pages that children share
    return read_plan(Path(plan_file)) if plan_file else Plan()


if __name__ == "__main__":
    main()
