"""Runs of different jobs that share what an invoice charges.

A job sees the whole invoice and only its own runs. So that no charge counts twice, all jobs are first asked when their
runs held their machines, and each is then told when those of the others did. It splits what was charged in that time
with them, as `report` does with runs that it is given together. That the logs are read twice is the price.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trainreport.model.digest import canonical_json, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.batches.holder import Answer, Job

__all__ = ["shared"]


def shared(asked: Iterable[tuple[Job, Answer]]) -> list[Job]:
    """Return each job with the times of other jobs' runs that overlap its own, in the order of their paths.

    Parameters
    ----------
    asked : iterable of (Job, Answer)
        All jobs with the spans of their runs; one that failed has none, and will fail again.
    """
    import numpy as np

    known = sorted(((job, answer.get("spans", [])) for job, answer in asked), key=lambda one: one[0].path)
    spans = np.array([span for _, own in known for span in own], dtype=np.float64).reshape(-1, 2)
    owners = np.array([at for at, (_, own) in enumerate(known) for _ in own], dtype=np.int64)
    found = []
    for at, (job, own) in enumerate(known):
        beside = np.zeros(len(spans), dtype=np.bool_)
        for start, end in own:
            beside |= (spans[:, 0] < end) & (spans[:, 1] > start)
        others = tuple((float(start), float(end)) for start, end in sorted(spans[beside & (owners != at)].tolist()))
        told = canonical_json(others)
        found.append(replace(job, others=others, terms=fingerprint(job.terms, told), stamp=fingerprint(job.stamp, told)))
    return found
