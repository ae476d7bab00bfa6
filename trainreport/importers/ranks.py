"""Tells the processes of a distributed run, which write at once, from restarts, which write one after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.importers.recording import Recording

__all__ = ["with_ranks"]

_SHARED = 0.5
"""Share of the shorter one that must overlap, in time and in the steps of some series, before two files count as written at once."""

# events.out.tfevents.<seconds>.<host>[.<process>.<number>][.v2]
_NAME = re.compile(r"tfevents\.\d+\.(?P<host>.+?)(?:\.(?P<process>\d+)\.\d+)?(?:\.v2)?$")


def with_ranks(recordings: Sequence[Recording]) -> tuple[list[Recording], str | None]:
    """Set the rank where several processes wrote the same series of one folder at the same time.

    Processes are numbered by host, process id and file name. A file that shares a series with them and was
    written by one process alone is rank 0: a restart with fewer processes.

    Parameters
    ----------
    recordings : sequence of Recording
        All of one folder and one tool.

    Returns
    -------
    list of Recording
        In the same order.
    str or None
        What was found, None where nothing was written at once.
    """
    if len(recordings) < 2:
        return list(recordings), None
    teams = [sorted({_process(recordings[place]) for place in launch}) for launch in _launches(recordings)]
    most = max(len(team) for team in teams)
    if most < 2:
        return list(recordings), None
    rank = {process: number for team in teams for number, process in enumerate(team)}
    parallel = {process for team in teams if len(team) > 1 for process in team}
    shared = set().union(*(_names(one) for one in recordings if _process(one) in parallel))
    ranked = [_ranked(one, rank[_process(one)]) if _names(one) & shared else one for one in recordings]
    return ranked, f"{recordings[0].folder}: {most} processes wrote the same series at the same time, told apart as ranks 0 to {most - 1}"


def _launches(recordings: Sequence[Recording]) -> list[list[int]]:
    """Return the positions of recordings in groups that were written at once."""
    launches: list[list[int]] = []
    for place, one in enumerate(recordings):
        together = [launch for launch in launches if any(_at_once(recordings[other], one) for other in launch)]
        launches = [launch for launch in launches if launch not in together]
        launches.append([place, *(other for launch in together for other in launch)])
    return launches


def _at_once(one: Recording, other: Recording) -> bool:
    """Return whether two processes wrote the same steps of the same series at the same time."""
    if _process(one) == _process(other) or _share_of_time(one, other) < _SHARED:
        return False
    names = _names(one) & _names(other)
    return any(_share_of_steps(one, other, name) >= _SHARED for name in sorted(names))


def _share_of_time(one: Recording, other: Recording) -> float:
    if one.started_at is None or one.ended_at is None or other.started_at is None or other.ended_at is None:
        return 0.0
    shared = (min(one.ended_at, other.ended_at) - max(one.started_at, other.started_at)).total_seconds()
    shorter = min(one.ended_at - one.started_at, other.ended_at - other.started_at).total_seconds()
    if shared < 0:
        return 0.0
    return shared / shorter if shorter else 1.0


def _share_of_steps(one: Recording, other: Recording, name: tuple[str, str]) -> float:
    steps, others = (frame.loc[(frame["logged"] == name[0]) & (frame["phase"] == name[1]), "step"] for frame in (one.frame, other.frame))
    fewer = min(steps.nunique(), others.nunique())
    return float(steps[steps.isin(others)].nunique() / fewer) if fewer else 0.0


def _names(one: Recording) -> set[tuple[str, str]]:
    pairs = one.frame[["logged", "phase"]].drop_duplicates()
    return set(zip(pairs["logged"].astype(str), pairs["phase"].astype(str), strict=True))


def _process(one: Recording) -> tuple[str, str]:
    """Return host and process; a file whose name tells no process is taken as one of its own."""
    name = one.files[0].name if one.files else one.name
    match = _NAME.search(name.rpartition("/")[2])
    if match is None:
        return "", name
    return match["host"], match["process"].zfill(20) if match["process"] else name


def _ranked(one: Recording, rank: int) -> Recording:
    import pandas as pd

    return replace(one, frame=one.frame.assign(rank=pd.array([rank] * len(one.frame), dtype="Int32")))
