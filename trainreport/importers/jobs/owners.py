"""Says which run a scheduler's job is of.

A job is of the runs that lie within its time, and a run that was begun anew may have had several jobs one after the
other. Of jobs at the same time the one is taken that the run names, else the one that begins and ends as the run does.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from trainreport.importers.folders import above
from trainreport.importers.groups import MachinePart
from trainreport.importers.spans import Spans, overlap_share, span_of
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.importers.groups import Group
    from trainreport.importers.recording import Recording
    from trainreport.importers.spans import Span

__all__ = ["give_jobs", "without_strangers"]

_SHARED = 0.5
"""Share of the shorter of job and run that must overlap."""
_CLEARER = 3.0
"""How many times further off the next best job must begin and end."""
_LEAST_S = 60.0
_SHORTEST_NAME = 4
"""Characters of an id or a name that are no chance find in the texts of a run."""


def give_jobs(jobs: Sequence[Recording], groups: Sequence[Group]) -> list[Recording]:
    """Give each run the jobs that it ran in; return the jobs that are of no run."""
    runs = [group for group in groups if group.training]
    spans = [span_of([job]) for job in jobs]
    index = Spans(spans)
    owners: dict[int, list[Group]] = defaultdict(list)
    for group in runs:
        span = group.span
        if span is None:
            continue
        near = [place for place in index.touching(span) if _related(jobs[place], group)]
        fits = [(place, own) for place in near if (own := spans[place]) is not None and overlap_share(span, own, min) >= _SHARED]
        for place in _chosen(fits, [jobs[place] for place, _ in fits], group, span):
            owners[place].append(group)
    for place, span in enumerate(spans):
        beside = [group for group in runs if _related(jobs[place], group)] if span is None else []
        if len(beside) == 1 and sum(each.files[0].path == jobs[place].files[0].path for each in jobs) == 1:
            owners[place] = beside
    for place, whose in owners.items():
        _give(jobs[place], whose)
    return [job for place, job in enumerate(jobs) if place not in owners]


def without_strangers(groups: list[Group]) -> tuple[list[Group], list[Skipped]]:
    """Return the runs without jobs that are of none of them, where there are runs with a training log; and those jobs by file."""
    if not any(group.training for group in groups):
        return groups, []
    strange: dict[str, int] = defaultdict(int)
    kept = []
    for group in groups:
        if group.training or any(part.recording.kind != "job" for part in group.machine):
            kept.append(group)
        else:
            strange[group.machine[0].recording.files[0].name] += 1
    why = "no run beside them lies in their time; read the file alone to see them"
    return kept, [Skipped(name, f"{count:,} job{'s' if count > 1 else ''}: {why}") for name, count in strange.items()]


def _related(job: Recording, group: Group) -> bool:
    return job.folder in above(group.folder) or group.folder in above(job.folder)


def _chosen(fits: list[tuple[int, Span]], jobs: list[Recording], group: Group, span: Span) -> list[int]:
    """Return the jobs of a run: all that follow on each other; of those at the same time the one that is told or fits best."""
    ordered = sorted(fits, key=lambda one: one[1])
    if all(before[1][1] <= after[1][0] + 1 for before, after in pairwise(ordered)):
        return [place for place, _ in ordered]
    told = [place for (place, _), job in zip(fits, jobs, strict=True) if _names(group, job)]
    if len(told) == 1:
        return told
    ranked = sorted((abs(own[0] - span[0]) + abs(own[1] - span[1]), place) for place, own in fits)
    return [ranked[0][1]] if ranked[1][0] >= _CLEARER * max(ranked[0][0], _LEAST_S) else []


def _names(group: Group, job: Recording) -> bool:
    """Return whether a run's folder, files, parameters or tags hold the id of a job, or its name."""
    texts = [group.key, *(text for one in group.training for table in (one.params, one.tags) for text in table.values())]
    texts += [file.name for one in group.training for file in one.files]
    words = {job.key.rpartition("/")[2], job.name}
    return any(len(word) >= _SHORTEST_NAME and any(word in text for text in texts) for word in words)


def _give(job: Recording, groups: Sequence[Group]) -> None:
    """Give a job to its runs; how it ended is told of the last of them alone."""
    name = job.files[0].name
    last = max(groups, key=lambda group: group.span or (0.0, 0.0))
    others = f"; {len(groups) - 1} other runs ran in it too" if len(groups) > 1 else ""
    for group in groups:
        own = job if group is last else replace(job, status="unknown", events=())
        group.machine.append(MachinePart(own))
        why = "its time is that of this run" if span_of([job]) else "the only job and the only run near it; it has no times"
        group.reasons.append(f"{name}, job {job.key.rpartition('/')[2]}: {why}{others}")
