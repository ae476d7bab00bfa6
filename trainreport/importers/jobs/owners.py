"""Says which run a scheduler's job is of.

A job is of the runs that lie within its time, and a run that was begun anew may have had several jobs one after the
other. Of jobs at the same time the one is taken that the run names, else the one that begins and ends as the run does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from trainreport.importers.folders import above, nearest
from trainreport.importers.groups import MachinePart
from trainreport.importers.spans import Spans, overlap_share, span_of
from trainreport.model import words
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trainreport.importers.groups import Group
    from trainreport.importers.recording import Recording
    from trainreport.importers.spans import Span

__all__ = ["give_jobs", "without_strangers"]

_SHARED = 0.5
"""Share of the shorter of job and run that must overlap."""
_CLEARER = 3.0
"""How many times further off the next best job must begin and end."""
_LEAST_S = 60.0
_NAMED = 5
_ELSEWHERE = "no run beside them lies in their time; read the file alone to see them"
_ANOTHERS = "the run in their time is of another job, which fits it better or which it names"
_ALIKE = "which of them the run in their time is of cannot be told: name a folder or a parameter of the run for its job"
_SHORTEST_NAME = 4
"""Characters of an id or a name that are no chance find in the texts of a run."""


def give_jobs(jobs: Sequence[Recording], groups: Sequence[Group]) -> list[Recording]:
    """Give each run the jobs that it ran in; return the jobs that are of no run."""
    runs = [group for group in groups if group.training]
    homes = _homes(jobs, runs)
    spans = [span_of([job]) for job in jobs]
    index = Spans(spans)
    owners: dict[int, list[Group]] = defaultdict(list)
    for group in runs:
        span = group.span
        if span is None:
            continue
        near = [place for place in index.touching(span) if _related(jobs[place], group, homes)]
        fits = [(place, own) for place in near if (own := spans[place]) is not None and overlap_share(span, own, min) >= _SHARED]
        for place in _chosen(fits, [jobs[place] for place, _ in fits], group, span):
            owners[place].append(group)
    for place, span in enumerate(spans):
        beside = [group for group in runs if _related(jobs[place], group, homes)] if span is None else []
        if len(beside) == 1 and sum(each.files[0].path == jobs[place].files[0].path for each in jobs) == 1:
            owners[place] = beside
    for place, whose in owners.items():
        _give(jobs[place], whose)
    return [job for place, job in enumerate(jobs) if place not in owners]


def without_strangers(groups: list[Group]) -> tuple[list[Group], list[Skipped]]:
    """Return the runs without jobs that are of none of them, where there are runs with a training log; and those jobs by file."""
    if not any(group.training for group in groups):
        return groups, []
    runs = [group for group in groups if group.training]
    index = Spans([group.span for group in runs])
    strange: dict[tuple[str, str], list[str]] = defaultdict(list)
    kept = []
    for group in groups:
        if group.training or any(part.recording.kind != "job" for part in group.machine):
            kept.append(group)
        else:
            job = group.machine[0].recording
            strange[job.files[0].name, _why_strange(job, runs, index)].append(_id(job))
    told = {(name, why): f"{words.plural(len(ids), 'job')}{_listed(ids) if why == _ALIKE else ''}" for (name, why), ids in strange.items()}
    return kept, [Skipped(name, f"{count}: {why}") for (name, why), count in told.items()]


def _why_strange(job: Recording, runs: Sequence[Group], index: Spans) -> str:
    """Return why a job is of no run: none lies in its time, or one has a job of its own there, or several are as likely."""
    span = span_of([job])
    near = [] if span is None else [runs[place] for place in index.touching(span)]
    alike = [group for group in near if overlap_share(group.span, span, min) >= _SHARED]
    if not alike:
        return _ELSEWHERE
    return _ANOTHERS if all(any(part.recording.kind == "job" for part in group.machine) for group in alike) else _ALIKE


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f" ({', '.join(ids[:_NAMED])}{more})"


def _homes(jobs: Sequence[Recording], runs: Sequence[Group]) -> dict[str, str | None]:
    """Return, for each folder of jobs, it or the nearest above it that has runs: what a scheduler told may lie beside their folders."""
    inhabited = {folder: folder for group in runs for folder in above(group.folder)}
    return {folder: nearest(folder, inhabited) for folder in {job.folder for job in jobs}}


def _related(job: Recording, group: Group, homes: Mapping[str, str | None]) -> bool:
    return homes[job.folder] in above(group.folder) or group.folder in above(job.folder)


def _chosen(fits: list[tuple[int, Span]], jobs: list[Recording], group: Group, span: Span) -> list[int]:
    """Return the jobs of a run: all that follow on each other; of those at the same time the one that is told or fits best.

    The parts of a heterogeneous job, ``12+0`` and ``12+1``, are one job that holds the machines of both; so are the
    attempts of a job that was put back into the queue.
    """
    whole = {place: (job.folder, _id(job).partition("+")[0]) for (place, _), job in zip(fits, jobs, strict=True)}
    ordered = sorted(fits, key=lambda one: one[1])
    if all(before[1][1] <= after[1][0] + 1 or whole[before[0]] == whole[after[0]] for before, after in pairwise(ordered)):
        return [place for place, _ in ordered]
    texts = _texts(group)
    by_id = {whole[place] for (place, _), job in zip(fits, jobs, strict=True) if _told_in(texts, {_id(job), _id(job).partition("+")[0]})}
    told = by_id or {
        whole[place] for (place, _), job in zip(fits, jobs, strict=True) if _told_in(texts, {job.name.partition(" attempt ")[0]})
    }
    ranked = sorted((abs(own[0] - span[0]) + abs(own[1] - span[1]), place) for place, own in fits)
    others = [off for off, place in ranked if whole[place] != whole[ranked[0][1]]]
    if len(told) != 1 and others[0] >= _CLEARER * max(ranked[0][0], _LEAST_S):
        told = {whole[ranked[0][1]]}
    return [place for place, _ in fits if len(told) == 1 and whole[place] in told]


def _id(job: Recording) -> str:
    """Return the id as the scheduler has it."""
    return job.key.rpartition("/")[2].partition(" ")[0]


def _texts(group: Group) -> list[str]:
    """Return a run's folder, files, parameters and tags."""
    texts = [group.key, *(text for one in group.training for table in (one.params, one.tags) for text in table.values())]
    return texts + [file.name for one in group.training for file in one.files]


def _told_in(texts: Sequence[str], words: set[str]) -> bool:
    """Return whether a text holds one of the words, an id or a name: an id between other digits is another one's."""
    edge = "[0-9]" if any(word[:1].isdecimal() for word in words) else "[0-9A-Za-z]"
    looked_for = [re.compile(f"(?<!{edge}){re.escape(word)}(?!{edge})") for word in words if len(word) >= _SHORTEST_NAME]
    return any(one.search(text) for one in looked_for for text in texts)


def _give(job: Recording, groups: Sequence[Group]) -> None:
    """Give a job to its runs; how it ended is told of the last of them alone."""
    name = job.files[0].name
    last = max(groups, key=lambda group: group.span or (0.0, 0.0))
    others = f"; {len(groups) - 1} other runs ran in it too" if len(groups) > 1 else ""
    shared = {f"{key.rpartition('/')[0]}/runs_in_it": str(len(groups)) for key in job.tags} if len(groups) > 1 else {}
    job = replace(job, tags={**job.tags, **shared})
    for group in groups:
        own = job if group is last else replace(job, status="unknown", events=())
        group.machine.append(MachinePart(own))
        why = "its time is that of this run" if span_of([job]) else "the only job and the only run near it; it has no times"
        group.reasons.append(f"{name}, job {job.key.rpartition('/')[2]}: {why}{others}")
