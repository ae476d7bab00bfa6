"""Tells the processes of a distributed run, which write at once, from restarts, which write one after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from trainreport.importers.spans import Spans, overlap_share, span_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

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
    files = [_File(one) for one in recordings]
    teams = [sorted({files[place].process for place in launch}) for launch in _launches(files)]
    most = max(len(team) for team in teams)
    if most < 2:
        return list(recordings), None
    rank = {process: number for team in teams for number, process in enumerate(team)}
    parallel = {process for team in teams if len(team) > 1 for process in team}
    shared = set().union(*(one.names for one in files if one.process in parallel))
    ranked = [_ranked(one.recording, rank[one.process]) if one.names & shared else one.recording for one in files]
    return ranked, f"{recordings[0].folder}: {most} processes wrote the same series at the same time, told apart as ranks 0 to {most - 1}"


class _File:
    """A recording, its process and its series; what is asked for again and again is found once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.process = _process(recording)
        self.span = span_of([recording])

    @cached_property
    def names(self) -> set[tuple[str, str]]:
        """Logged name and phase of each series."""
        pairs = self.recording.frame[["logged", "phase"]].drop_duplicates()
        return set(zip(pairs["logged"].astype(str), pairs["phase"].astype(str), strict=True))

    def steps(self, name: tuple[str, str]) -> npt.NDArray[np.int64]:
        """Return the steps of one series, each once."""
        import numpy as np

        frame = self.recording.frame
        mine = ((frame["logged"] == name[0]) & (frame["phase"] == name[1])).to_numpy()
        return np.unique(frame["step"].array[mine].dropna().to_numpy(dtype=np.int64))


def _launches(files: Sequence[_File]) -> list[set[int]]:
    """Return the positions of recordings in groups that were written at once, by the last of each."""
    spans = Spans([one.span for one in files])
    launch_of: dict[int, set[int]] = {}
    for place, one in enumerate(files):
        launch = {place}
        for other in spans.touching(one.span) if one.span is not None else ():
            if other < place and other not in launch and _at_once(files[other], one):
                launch |= launch_of[other]
        launch_of |= dict.fromkeys(launch, launch)
    return [launch for place, launch in launch_of.items() if max(launch) == place]


def _at_once(one: _File, other: _File) -> bool:
    """Return whether two processes wrote the same steps of the same series at the same time."""
    if one.process == other.process or overlap_share(one.span, other.span, min) < _SHARED:
        return False
    return any(_share_of_steps(one.steps(name), other.steps(name)) >= _SHARED for name in sorted(one.names & other.names))


def _share_of_steps(steps: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> float:
    import numpy as np

    fewer = min(len(steps), len(others))
    return len(np.intersect1d(steps, others, assume_unique=True)) / fewer if fewer else 0.0


def _process(one: Recording) -> tuple[str, str]:
    """Return host and process; a file whose name tells no process is taken as one of its own."""
    name = one.files[0].name if one.files else one.name
    match = _NAME.search(name.rpartition("/")[2])
    if match is None:
        return "", name
    return match["host"], match["process"].zfill(20) if match["process"] else name


def _ranked(one: Recording, rank: int) -> Recording:
    import numpy as np
    import pandas as pd

    rows = len(one.frame)
    ranks = pd.arrays.IntegerArray(np.full(rows, rank, dtype=np.int32), np.zeros(rows, dtype=np.bool_))
    return replace(one, frame=one.frame.assign(rank=ranks))
