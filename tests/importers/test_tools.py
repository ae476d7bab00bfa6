"""Logs of different tools that are one run, and how joining grows with their number."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import START, machine, training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.groups import Group
from trainreport.importers.join import join
from trainreport.importers.recording import FileRead
from trainreport.importers.smi.times import NO_ZONE
from trainreport.importers.spans import overlap_share
from trainreport.importers.tools import join_tools
from trainreport.importers.zones import with_zones

RUN = training({"loss": range(5)}, seconds_per_step=600)
SUMMARY = training({"hparams/loss": [0.1]})
GPU = machine({"gpu0": {"gpu/utilization": [0.5] * 5}}, interval_s=600)
MANY = 5_000


def moved(one, folder, hours=0.0, **facts):
    """Return a recording of another folder and time."""
    file = FileRead(Path(folder), f"{folder}/log", 5, clock=NO_ZONE)
    shift = timedelta(hours=hours)
    given = {"key": folder, "folder": folder, "started_at": one.started_at + shift, "ended_at": one.ended_at + shift, "files": (file,)}
    return replace(one, **{**given, **facts})


def is_one_run(one, other):
    """Return whether two groups can be one run, as the rule says it pair by pair."""
    if {member.importer for member in one.training} & {member.importer for member in other.training}:
        return False
    folders = [f"{group.folder}/".removeprefix("./") for group in (one, other)]
    same_name = one.training[0].name == other.training[0].name
    bound = folders[0].startswith(folders[1]) or folders[1].startswith(folders[0]) or same_name
    return overlap_share(one.span, other.span, min) >= 0.5 and (bound or overlap_share(one.span, other.span, max) >= 0.8)


def pairwise(groups):
    """Return the runs and what they are made of, every group compared with every one kept before."""
    kept = []
    for group in sorted(groups, key=lambda one: (one.training[0].importer != "mlflow", one.folder, one.key)):
        partners = [other for other in kept if is_one_run(other, group)]
        if len(partners) == 1:
            partners[0].training += group.training
        else:
            kept.append(group)
    return [(group.key, [one.key for one in group.training]) for group in kept]


GROUP = st.tuples(
    st.sampled_from(["mlflow", "tensorboard", "other"]),
    st.sampled_from([".", "a", "a/b", "ab", "c/a"]),
    st.sampled_from(["x", "y", "z"]),
    st.tuples(st.integers(0, 6), st.integers(0, 6)),
)
"""With times; those without are joined by what they hold, see test_same_run."""


@settings(deadline=None)
@given(st.lists(GROUP, max_size=7))
def test_all_at_once_as_pair_by_pair(told):
    def groups():
        for number, (importer, folder, name, hours) in enumerate(told):
            start, end = (START + timedelta(hours=at) for at in (min(hours), max(hours)))
            one = replace(RUN, importer=importer, key=f"{number}", folder=folder, name=name, started_at=start, ended_at=end)
            yield Group(one.key, folder, [one])

    assert [(group.key, [one.key for one in group.training]) for group in join_tools(list(groups()))] == pairwise(groups())


def test_the_reason_says_what_they_share():
    mlflow = moved(RUN, "m", importer="mlflow", name="mine")
    for other, bond in ((moved(RUN, "m/tb"), "folder"), (moved(RUN, "t", name="mine"), "name"), (moved(RUN, "t"), "beginning and end")):
        [group] = join([mlflow, other])
        assert group.reasons == [f"{other.key}: same time and same {bond} as m"]


SCALES = {
    "runs": lambda: [moved(RUN, f"run{number}", number) for number in range(MANY)],
    "two tools": lambda: [
        moved(RUN, f"{tool}/run{number}", importer=tool, name=f"run{number}") for number in range(MANY // 4) for tool in ("mlflow", "tb")
    ],
    "a search": lambda: [moved(RUN, "s"), *(moved(SUMMARY, f"s/1671{number:06}.5", params={"lr": f"{number}"}) for number in range(MANY))],
    "a log of hardware each": lambda: [
        moved(one, f"{place}{number}", number) for number in range(MANY) for one, place in ((RUN, "run"), (GPU, "gpu/node"))
    ],
    "logs of other days": lambda: [
        *(moved(RUN, f"run{number}", number) for number in range(MANY)),
        *(moved(GPU, "gpu", number + 100_000) for number in range(MANY)),
    ],
    "one log for all": lambda: [
        *(moved(RUN, f"run{number}", number) for number in range(MANY)),
        moved(GPU, ".", ended_at=START + timedelta(hours=MANY)),
    ],
}
RUNS = {"two tools": MANY // 2, "a search": MANY + 1, "logs of other days": MANY + 1}


@pytest.mark.parametrize("case", SCALES)
def test_thousands_are_joined_in_seconds(case):
    found = SCALES[case]()
    start = time.process_time()
    groups = join(with_zones(found, None))
    assert time.process_time() - start < 20  # pair by pair these take minutes to hours
    assert len(groups) == RUNS.get(case, MANY)
