"""Runs jobs in a forked child with limits of time and memory; one that breaks them is an answer with its reason.

A child serves several jobs, because a fresh one costs about half as much as a small job. One that breaks down is
followed by a fresh one, in which the job gets one more try where the child had served before: no job is blamed for
what those before it left behind.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Keeper", "Limits"]

_JOBS_A_CHILD = 50
_CHUNK = 1 << 16
_NO_MEMORY = b"memory\n"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take."""

    time_s: float
    memory_gib: float
    """Address space on top of what the idle process has; not enforced where the system cannot, such as on macOS."""


class Keeper:
    """Hands jobs to its child, and watches it.

    Parameters
    ----------
    work : callable
        Gives the answer to a job: lines without their ends. It may raise MemoryError, nothing else.
    limits : Limits
    """

    def __init__(self, work: Callable[[bytes], bytes], limits: Limits) -> None:
        self._work, self._limits = work, limits
        self._child: _Child | None = None
        self._served = 0

    def answer(self, job: bytes) -> bytes:
        """Return the answer to a job, or ``{"error": reason}``."""
        shared = self._served > 0
        found = self._try(job)
        if shared and isinstance(found, _Trouble) and found.may_be_inherited:
            found = self._try(job)
        return json.dumps({"error": found.reason}).encode() if isinstance(found, _Trouble) else found

    def end(self) -> None:
        """Kill the child."""
        if self._child is not None:
            self._child.kill()
        self._child, self._served = None, 0

    def _try(self, job: bytes) -> bytes | _Trouble:
        self._child = self._child or _Child(self._work, self._limits)
        self._served += 1
        found = self._child.exchange(job.rstrip(b"\n") + b"\n")
        if isinstance(found, _Trouble) or self._served >= _JOBS_A_CHILD:
            self.end()
        return found


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why a child gave no answer."""

    reason: str
    may_be_inherited: bool = True
    """Whether jobs before it can have caused it."""


class _Child:
    """A forked process and the pipes to it."""

    def __init__(self, work: Callable[[bytes], bytes], limits: Limits) -> None:
        self._limits = limits
        jobs, self._jobs = os.pipe()
        self._answers, answers = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy's idle threads are no danger to a fork
            self._pid = os.fork()
        if not self._pid:
            os.close(self._jobs)
            os.close(self._answers)
            _serve(work, limits, jobs, answers)
        os.close(jobs)
        os.close(answers)

    def exchange(self, job: bytes) -> bytes | _Trouble:
        """Return the answer to a job, or the trouble; ends this process when nobody waits for the answer any more."""
        try:
            os.write(self._jobs, job)
        except BrokenPipeError:
            return self._died()
        deadline = time.monotonic() + self._limits.time_s
        found = bytearray()
        while not found.endswith(b"\n"):
            ready, _, _ = select.select([self._answers, sys.stdin.fileno()], [], [], max(0.0, deadline - time.monotonic()))
            if sys.stdin.fileno() in ready:  # one job at a time is given: this is the end
                self.kill()
                sys.exit(1)
            if not ready:
                return _Trouble(f"took longer than the limit of {self._limits.time_s:g} s; --time-limit raises it", may_be_inherited=False)
            some = os.read(self._answers, _CHUNK)
            if not some:
                return self._died()
            found += some
        if found == _NO_MEMORY:
            return _Trouble(f"needed more memory than the limit of {self._limits.memory_gib:g} GiB; --memory-limit raises it")
        return bytes(found[:-1])

    def kill(self) -> None:
        """End the process, whatever it does; a second time does nothing."""
        if not self._pid:
            return
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._pid = 0
        os.close(self._jobs)
        os.close(self._answers)

    def _died(self) -> _Trouble:
        info = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)  # `kill` takes the process away
        assert info is not None
        if info.si_code == os.CLD_EXITED:
            return _Trouble(f"its process ended with exit code {info.si_status}")
        name = signal.Signals(info.si_status).name
        hint = ": the system was out of memory, or somebody killed it" if name == "SIGKILL" else ""
        return _Trouble(f"its process was ended by {name}{hint}")


def _serve(work: Callable[[bytes], bytes], limits: Limits, jobs: int, answers: int) -> NoReturn:
    """Be the child: answer jobs until there are none."""
    code = 1
    try:
        _limit_memory(limits.memory_gib)
        with open(os.devnull, "r+b", buffering=0) as nowhere:  # noqa: PTH123  nothing but answers may reach the parent
            os.dup2(nowhere.fileno(), 0)
            os.dup2(nowhere.fileno(), 1)
        with os.fdopen(jobs, "rb") as given, os.fdopen(answers, "wb") as told:
            while job := given.readline():
                try:
                    answer = work(job) + b"\n"
                except MemoryError:
                    answer = _NO_MEMORY
                told.write(answer)
                told.flush()
        code = 0
    finally:
        os._exit(code)


def _limit_memory(gib: float) -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + int(gib * (1 << 30))
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (OSError, ValueError):  # no such files, or a lower limit is set already
        return
