"""Spreads jobs over a cluster: Dask, Ray and Spark, all as backends of joblib.

What goes out is where a folder lies, and what comes back is its lines of results. On the cluster, each thread or
process that takes jobs keeps one worker process of ours, the same that judges on this machine, so that a job can be
killed there too. Dask hands answers back as they come; Ray and Spark do not, so they get the jobs in batches.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from trainreport import _version
from trainreport.batches.holder import Job, Settings, Worker
from trainreport.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from trainreport.batches.holder import Answer

__all__ = ["answers", "judged"]

_IDLE_S = 60  # a worker process does not outlive the batch on the cluster by more
_JOBS_A_BATCH = 16  # for each that judges at the same time: enough that waiting for the last one costs little
_TRIES = 2  # of a batch, after which it is given up
_THREAD = threading.local()


def answers(jobs: Iterator[Job], settings: Settings, engine: str, address: str | None, workers: int | None) -> Iterator[tuple[Job, Answer]]:
    """Yield each job with its answer.

    Parameters
    ----------
    jobs : iterator of Job
        Taken as the cluster has room for them.
    settings : Settings
    engine : str
        One of `holder.ENGINES`, not local.
    address : str, optional
        Of the cluster; without one, a small one is started on this machine.
    workers : int, optional
        How many jobs are judged at the same time; as many as the cluster has room for by default.

    Raises
    ------
    InputError
        If the cluster cannot be reached, or gives no answer at all.
    MissingDependencyError
        If a library is not installed.
    """
    connect, streams = _CONNECT[engine]
    there = _Jobs(jobs)
    try:
        with connect(address, workers):
            import joblib

            with joblib.parallel_config(backend=engine, n_jobs=workers or -1):
                send = _streamed if streams else _batched
                yield from send(there, replace(settings, idle_s=_IDLE_S), engine)
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"the engine {engine} needs the package {error.name!r}: pip install 'trainreport[{engine}]'") from None
    if there.fault is not None:
        raise there.fault


def judged(job: Job, settings: Settings) -> tuple[str, Answer]:
    """Judge a job with the worker process that this thread keeps: what runs on the cluster.

    Returns
    -------
    tuple of str and Answer
        The job's path, and its answer.
    """
    if settings.version != _version.__version__:
        reason = f"this worker has trainreport {_version.__version__}, not {settings.version}: install the same everywhere"
        return job.path, {"error": reason}
    kept, told = getattr(_THREAD, "kept", None), None
    if kept is not None and kept[0] == settings:
        told = _asked(kept[1], job)
    elif kept is not None:
        kept[1].end()
    if told is None:  # none yet, or it ended for want of work, or of what the jobs before left behind
        fresh = Worker(settings)
        _THREAD.kept = (settings, fresh)
        told = _asked(fresh, job)
        if told is None:
            _THREAD.kept = None
            told = {"error": f"the worker ended early, exit code {fresh.code}"}
    return job.path, told


def _asked(worker: Worker, job: Job) -> Answer | None:
    worker.give(job)
    told = worker.answer()
    if told is None:
        worker.end()
    return told


class _Jobs:
    """The jobs that were taken and not answered; joblib takes them in a thread of its own, where an error would be lost."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self._jobs = jobs
        self.open: dict[str, Job] = {}
        self.fault: Exception | None = None
        """Why there are no more, if it was not their end."""

    def __iter__(self) -> Iterator[Job]:
        return self

    def __next__(self) -> Job:
        try:
            job = next(self._jobs)
        except StopIteration:
            raise
        except Exception as error:
            self.fault = error
            raise StopIteration from None
        self.open[job.path] = job
        return job

    def lost(self, error: Exception) -> Iterator[tuple[Job, Answer]]:
        """Yield what was not answered with the reason."""
        reason = f"the cluster gave no answer: {_said(error)}"
        yield from ((job, {"error": reason}) for job in self.open.values())
        self.open.clear()


def _streamed(there: _Jobs, settings: Settings, engine: str) -> Iterator[tuple[Job, Answer]]:
    from joblib import Parallel, delayed

    while True:
        came = 0
        try:
            for path, answer in Parallel(return_as="generator_unordered", batch_size=1)(delayed(judged)(job, settings) for job in there):
                came += 1
                yield there.open.pop(path), answer
        except Exception as error:  # the cluster's own: a node that was lost, again and again
            if not came:
                raise _broken(engine, error) from error
            yield from there.lost(error)
        else:
            return


def _batched(there: _Jobs, settings: Settings, engine: str) -> Iterator[tuple[Job, Answer]]:
    from joblib import Parallel, delayed, effective_n_jobs

    size, came, tries = _JOBS_A_BATCH * effective_n_jobs(-1), 0, 0
    batch = list(islice(there, size))
    while batch:
        try:
            with Parallel(batch_size=1) as parallel:  # keeps its processes from batch to batch
                while batch:
                    told = parallel(delayed(judged)(job, settings) for job in batch)
                    came, tries = came + len(told), 0
                    for path, answer in told:
                        yield there.open.pop(path), answer
                    batch = list(islice(there, size))
        except Exception as error:
            tries += 1
            if tries == _TRIES and not came:
                raise _broken(engine, error) from error
            if tries == _TRIES:
                yield from there.lost(error)
                batch, tries = list(islice(there, size)), 0


def _broken(engine: str, error: Exception) -> InputError:
    return InputError(f"the engine {engine} gave no answer: {_said(error)}; what was judged is kept, --resume goes on from there")


def _said(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__


@contextmanager
def _dask(address: str | None, workers: int | None) -> Iterator[None]:
    from distributed import Client

    here: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    try:
        client = Client(address, set_as_default=True) if address else Client(**here)
    except (OSError, ValueError) as error:
        raise _unreached("dask", address, "tcp://host:8786", error) from None
    with client:
        yield


@contextmanager
def _ray(address: str | None, workers: int | None) -> Iterator[None]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    import ray
    from ray.util.joblib import register_ray

    here: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(address or "local", log_to_driver=False, logging_level="ERROR", **({} if address else here))
    except (OSError, ValueError, RuntimeError) as error:
        raise _unreached("ray", address, "ray://host:10001 or host:6379", error) from None
    register_ray()
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _spark(address: str | None, workers: int | None) -> Iterator[None]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # on this machine; on a cluster its own setting holds
    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("trainreport").config("spark.ui.enabled", "false")
    try:
        session = builder.master(address or f"local[{workers or '*'}]").getOrCreate()
    except Exception as error:  # Java's, in many kinds
        raise _unreached("spark", address, "spark://host:7077", error) from None
    session.sparkContext.setLogLevel("ERROR")
    register_spark()
    try:
        yield
    finally:
        session.stop()


def _unreached(engine: str, address: str | None, expected: str, error: Exception) -> InputError:
    meant = f"; expected an address such as {expected}" if address else ""
    return InputError(f"{engine} at {address or 'this machine'} cannot be reached: {_said(error)}{meant}")


_CONNECT: dict[str, tuple[Callable[[str | None, int | None], AbstractContextManager[None]], bool]] = {
    "dask": (_dask, True),
    "ray": (_ray, False),
    "spark": (_spark, False),
}
"""How each is reached, and whether it hands answers back as they come."""
