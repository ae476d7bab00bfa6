"""A worker process, as the process that started it sees it: give it a job, wait for the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from trainreport.batches.terms import Terms

__all__ = ["ENGINES", "MEMORY_LIMIT_GIB", "TIME_LIMIT_S", "Answer", "Job", "Settings", "Worker"]

ENGINES = ("local", "dask", "ray", "spark")
"""Who may start workers; each but the first is an extra of trainreport of the same name, see `clusters`."""
TIME_LIMIT_S = 600.0
"""A run of a million scalars takes seconds; ten minutes are for stores of very many runs and slow disks."""
MEMORY_LIMIT_GIB = 4.0
"""A run of a million scalars takes a tenth of it."""

Answer = dict[str, Any]
"""``{"lines": […]}``, ``{"spans": […]}`` or ``{"error": reason}``."""

_START = [sys.executable, "-P", "-m", "trainreport.batches.worker"]  # -P: no module of the current folder is taken for another


@dataclass(frozen=True, slots=True)
class Job:
    """A folder that is judged as a whole."""

    folder: str
    """Where it is: a folder, or the address of a store."""
    path: str
    """Where it is below the root of the batch, with slashes."""
    stamp: str
    """State of its files and of all that it is judged by; see `stamps`."""
    files: tuple[tuple[str, int], ...] | None = None
    """Of a store: the names of the files below and their bytes, as listed; the store is not asked again."""
    terms: str = ""
    """What it is judged by besides its files, as a fingerprint that stands on its lines."""
    share: float = 0.0
    """How much of the batch lies before its end, 0 to 1; see `discovery`."""
    others: tuple[tuple[float, float], ...] = ()
    """When runs of other jobs held their machines: they share what an invoice charges; see `sharing`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for every job."""

    version: str
    terms: Terms = Terms()  # noqa: RUF009  frozen
    time_limit_s: float = TIME_LIMIT_S
    memory_limit_gib: float = MEMORY_LIMIT_GIB
    output: str = ""
    """Folder of the results, for the reports."""
    idle_s: int = 0
    """Seconds without a job after which the process ends by itself; 0: never."""
    only_spans: bool = False
    """Whether each job is only asked when its runs held their machines."""


class Worker:
    """A worker process, and the job that it has."""

    def __init__(self, settings: Settings) -> None:
        # A session of its own: Ctrl-C reaches this process only, which then ends the worker.
        self._process = subprocess.Popen(_START, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)  # noqa: S603
        self.job: Job | None = None
        self._write(asdict(settings))

    def fileno(self) -> int:
        """Return what becomes readable when the answer is there."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job) -> None:
        """Give it a job; it has none."""
        self.job = job
        self._write(asdict(job))

    def answer(self) -> Answer | None:
        """Return the answer to its job; None where the worker has died."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer: Answer | None = json.loads(line) if line.endswith(b"\n") else None
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
        """Its exit code, once it has ended."""
        return self._process.wait()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has died; `answer` will tell
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
