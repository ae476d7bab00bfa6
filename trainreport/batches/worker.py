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
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainreport.batches.children import Keeper, Limits
from trainreport.batches.holder import Job, Settings
from trainreport.batches.terms import Basis, Terms, read
from trainreport.errors import TrainreportError
from trainreport.model.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.importers import Loaded
    from trainreport.model.decision import Assessment

__all__ = ["judge", "main"]


def main() -> None:
    """Serve until stdin ends, or no job has come for as long as the settings say."""
    given = json.loads(sys.stdin.buffer.readline())
    settings = Settings(**{**given, "terms": Terms(**given["terms"])})
    _import_all()
    try:
        basis: Basis | str = read(settings.terms)
    except TrainreportError as error:  # a file that is not there on this machine
        basis = f"this worker cannot read what runs are judged by: {error}"
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="trainreport-") as scratch:  # here: a child may be killed before it tidies up
        keeper = Keeper(partial(_answer, basis, settings, Path(scratch)), Limits(settings.time_limit_s, settings.memory_limit_gib))
        try:
            while job := _awaited(settings.idle_s):
                sys.stdout.buffer.write(keeper.answer(job) + b"\n")
                sys.stdout.buffer.flush()
        finally:
            keeper.end()


def judge(folder: str, job: Job, basis: Basis, settings: Settings) -> list[str]:
    """Return the lines of a job's runs, which lie in `folder`, and write the reports that the settings ask for.

    Raises
    ------
    MemoryError
        Where a detector or a reader broke off for want of memory, too.
    """
    from trainreport.batches import results

    assessment = _assessed(folder, job, basis, settings.terms)
    broken = (outcome.reason for run in assessment.runs for outcome in run.outcomes)
    if any(_tells_of_memory(reason) for reason in (*broken, *(one.reason for one in assessment.skipped))):
        raise MemoryError
    _write_reports(assessment, results.report_folder(Path(settings.output), job.path), settings.terms, basis)
    return results.lines(assessment, job.path, job.terms)


def _assessed(folder: str, job: Job, basis: Basis, terms: Terms) -> Assessment:
    from trainreport.decisions.assess import assess
    from trainreport.model.redaction import redacted

    loaded, redaction = _loaded(folder, terms), None
    logs, skipped = loaded.logs, loaded.skipped
    if terms.redact:
        cleaned = redacted(logs, skipped, [folder])
        logs, skipped, redaction = cleaned.logs, cleaned.skipped, cleaned.redaction
    invoice = basis.invoice and replace(basis.invoice, others=tuple((start, end) for start, end in job.others))
    return assess(logs, basis.plan, skipped=skipped, as_of=basis.as_of, invoice=invoice, grid=basis.grid, redaction=redaction)


def _spans(folder: str, settings: Settings) -> list[tuple[float, float]]:
    """Return when a job's runs held their machines."""
    from trainreport.business.pace import paid_span

    return [span for log in _loaded(folder, settings.terms).logs if (span := paid_span(log)) is not None]


def _loaded(folder: str, terms: Terms) -> Loaded:
    from trainreport.importers import load

    declared = None if terms.map_file is None else Path(terms.map_file)
    return load([Path(folder)], source_zone=terms.source_zone, interval_s=terms.interval_s, declared=declared)


def _write_reports(assessment: Assessment, folder: Path, terms: Terms, basis: Basis) -> None:
    from trainreport import _files, reports
    from trainreport.batches.results import REPORT_NAMES

    for form in terms.reports:
        page = reports.render(assessment, form, language=terms.language, brand=basis.brand)
        _files.write_whole(folder / REPORT_NAMES[form], page, replace=True)


def _reason(text: str, job: Job, terms: Terms) -> str:
    """Return why there is no judgement, as it may be told."""
    if not terms.redact:
        return text
    from trainreport.model.decision import Skipped
    from trainreport.model.redaction import redacted

    return redacted((), [Skipped(job.path, text)], [job.folder]).skipped[0].reason


def _tells_of_memory(reason: str) -> bool:
    return "MemoryError" in reason or os.strerror(errno.ENOMEM) in reason


def _awaited(idle_s: int) -> bytes:
    """Return the next job; nothing at the end of stdin."""
    signal.alarm(idle_s)
    try:
        return sys.stdin.buffer.readline()
    finally:
        signal.alarm(0)


def _answer(basis: Basis | str, settings: Settings, scratch: Path, line: bytes) -> bytes:
    """Return the lines of a job's runs, or the reason why there are none, as JSON."""
    if isinstance(basis, str):
        return json.dumps({"error": basis}).encode()
    job = Job(**json.loads(line))
    try:
        with _local(job, scratch) as folder:
            told: dict[str, Any] = (
                {"spans": _spans(folder, settings)} if settings.only_spans else {"lines": judge(folder, job, basis, settings)}
            )
    except MemoryError:
        raise
    except TrainreportError as error:
        if _tells_of_memory(str(error)):
            raise MemoryError from error
        told = {"error": _reason(str(error), job, settings.terms)}
    except Exception as error:  # a fault of ours in one run must not end the batch
        told = {"error": _reason(f"a fault of trainreport itself, {type(error).__name__}: {error}", job, settings.terms)}
    return json.dumps(told).encode()


@contextmanager
def _local(job: Job, scratch: Path) -> Iterator[str]:
    """Give the folder of a job on this machine, for as long as it is needed."""
    if job.files is None:
        yield job.folder
        return
    from trainreport.batches import remote

    kept = scratch / "job"
    shutil.rmtree(kept, ignore_errors=True)  # what a killed child left behind
    place = kept / (job.folder.rstrip("/").rpartition("/")[2] or "root")
    place.mkdir(parents=True)
    try:
        remote.fetch(job.folder, job.files, place)
        yield str(place)
    finally:
        shutil.rmtree(kept, ignore_errors=True)


def _import_all() -> None:
    """Import what every job needs, so that no child has to."""
    from trainreport import _resources

    with suppress(FileNotFoundError):  # a sample is judged too: much is imported where it is first used
        sample = _resources.folder("sample_runs") / "healthy" / "logs"
        if isinstance(sample, Path):
            judge(str(sample), Job("", "", ""), Basis(Plan()), Settings(""))
    gc.collect()
    gc.freeze()  # the collector then leaves alone the pages that children share


if __name__ == "__main__":
    main()
