"""Spreads jobs over worker processes of this machine, and yields their answers as they come.

The engines of a cluster are in `clusters`. This one is not joblib's loky: a job runs in a child that may be killed,
which hangs on a worker process that has everything imported; loky would put one more process between.
"""

from __future__ import annotations

import selectors
from typing import TYPE_CHECKING

from trainreport.batches.holder import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.batches.holder import Answer, Job, Settings

__all__ = ["answers"]


def answers(jobs: Iterator[Job], settings: Settings, workers: int) -> Iterator[tuple[Job, Answer]]:
    """Yield each job with its answer.

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
                    assert isinstance(worker, Worker)
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
                assert isinstance(key.fileobj, Worker)
                key.fileobj.end()


def _fill(selector: selectors.BaseSelector, jobs: Iterator[Job], settings: Settings, workers: int) -> None:
    """Start workers for jobs, up to their number; also in place of those that died."""
    while len(selector.get_map()) < workers and (job := next(jobs, None)) is not None:
        worker = Worker(settings)
        worker.give(job)
        selector.register(worker, selectors.EVENT_READ)
