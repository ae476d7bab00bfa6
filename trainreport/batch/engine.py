"""Spreads jobs over worker processes of this machine, and yields their answers as they come."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Job", "Settings", "answers"]

_START = [sys.executable, "-P", "-m", "trainreport.batch.worker"]  # -P: no module of the current folder is taken for another


@dataclass(frozen=True, slots=True)
class Job:
    """A folder that is judged as a whole."""

    folder: str
    """Where it is."""
    path: str
    """Where it is below the root of the batch, with slashes."""
    stamp: str
    """State of its files; see `stamps`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for every job."""

    plan: str | None
    as_of: str | None
    time_limit_s: float
    memory_limit_gib: float


class _Worker:
    """A worker process, and the job that it has."""

    def __init__(self, settings: Settings) -> None:
        # A session of its own: Ctrl-C reaches this process only, which then ends the worker.
        self._process = subprocess.Popen(_START, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)  # noqa: S603
        self.job: Job | None = None
        self._write(asdict(settings))

    def fileno(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job) -> None:
        self.job = job
        self._write({"folder": job.folder, "path": job.path})

    def answer(self) -> dict[str, Any] | None:
        """Return the answer to its job; None where the worker has died."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        return answer

    def end(self) -> None:
        """Let it go: it kills its child and ends when its stdin does."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    @property
    def code(self) -> int:
        return self._process.wait()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has died; `answer` will tell
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()


def answers(jobs: Iterator[Job], settings: Settings, workers: int) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Yield each job with its answer: ``{"lines": […]}`` or ``{"error": reason}``.

    Parameters
    ----------
    jobs : iterator of Job
        Taken one by one, as workers become free.
    settings : Settings
    workers : int
        How many processes judge at the same time.
    """
    with selectors.DefaultSelector() as selector:
        try:
            while True:
                _fill(selector, jobs, settings, workers)
                busy = [key.fileobj for key, _ in selector.select()] if selector.get_map() else []
                if not busy:
                    return
                for worker in busy:
                    assert isinstance(worker, _Worker)
                    assert worker.job is not None
                    job, answer = worker.job, worker.answer()
                    following = None if answer is None else next(jobs, None)
                    if following is not None:
                        worker.give(following)
                    else:
                        selector.unregister(worker)
                        worker.end()
                    yield job, answer or {"error": f"the worker ended early, exit code {worker.code}"}
        finally:
            for key in list(selector.get_map().values()):
                assert isinstance(key.fileobj, _Worker)
                key.fileobj.end()


def _fill(selector: selectors.BaseSelector, jobs: Iterator[Job], settings: Settings, workers: int) -> None:
    """Start workers for jobs, up to their number; also in place of those that died."""
    while len(selector.get_map()) < workers and (job := next(jobs, None)) is not None:
        worker = _Worker(settings)
        worker.give(job)
        selector.register(worker, selectors.EVENT_READ)
