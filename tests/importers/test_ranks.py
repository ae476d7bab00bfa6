"""Processes that write at once, told from restarts."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import START, training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.ranks import with_ranks
from trainreport.importers.recording import FileRead


def written(file, curves=None, start=START):
    """Return what `file` holds: by default 60 steps of a loss in an hour."""
    name = f"run/events.out.tfevents.{file}"
    one = training(curves or {"loss": range(60)}, seconds_per_step=60, start=start)
    return replace(one, files=(FileRead(Path(name), name, 0),))


def ranks(*recordings):
    """Return the rank of each recording, None where it has none, and the sentence about them."""
    found, reason = with_ranks(recordings)
    return [None if one.frame["rank"].isna().all() else int(one.frame["rank"].iloc[0]) for one in found], reason


FOUR = [written(f"17000000{n}.host.{pid}.0", start=START + timedelta(seconds=n)) for n, pid in ((4, 101), (2, 99), (3, 100), (1, 1000))]


def test_processes_at_once_are_numbered_by_host_and_process():
    found, reason = ranks(*FOUR)
    assert found == [2, 0, 1, 3]
    assert "ranks 0 to 3" in reason


def test_hosts_come_before_processes():
    assert ranks(written("17.b.1.0"), written("17.a.2.0.v2"))[0] == [1, 0]


def test_one_after_the_other_is_a_restart():
    assert ranks(written("1.host.1.0"), written("2.host.2.0", start=START + timedelta(hours=2))) == ([None, None], None)


def test_a_short_overlap_is_a_restart():
    assert ranks(written("1.host.1.0"), written("2.host.2.0", start=START + timedelta(minutes=50)))[1] is None


def test_other_series_are_no_ranks():
    assert ranks(written("1.host.1.0"), written("2.host.2.0", {"gpu": range(60)}))[1] is None


def test_other_steps_are_no_ranks():
    assert (
        ranks(written("1.host.1.0"), written("2.host.2.0", {"loss": (range(1000, 1060), range(60))}, START - timedelta(hours=16)))[1]
        is None
    )


def test_one_process_with_two_files_is_no_rank():
    assert ranks(written("1.host.7.0"), written("2.host.7.1"))[1] is None


def test_files_without_a_process_in_their_name_are_processes_of_their_own():
    assert ranks(written("1.host"), written("2.host"))[0] == [0, 1]


def test_a_restart_of_all_ranks_keeps_their_numbers():
    later = START + timedelta(hours=3)
    again = [written(f"18.host.{pid}.0", start=later) for pid in (208, 207)]
    assert ranks(written("17.host.8.0"), written("17.host.9.0"), *again)[0] == [0, 1, 1, 0]


def test_a_restart_with_one_process_continues_rank_0():
    alone = written("18.host.3.0", start=START + timedelta(hours=3))
    other = written("18.host.4.0", {"eval": range(3)}, start=START + timedelta(hours=3))
    assert ranks(written("17.host.8.0"), written("17.host.9.0"), alone, other)[0] == [0, 1, 0, None]


def test_nothing_and_one():
    assert with_ranks([]) == ([], None)
    assert ranks(FOUR[0]) == ([None], None)


@pytest.mark.parametrize("empty", [{"loss": []}])
def test_a_file_without_rows_is_no_rank(empty):
    assert ranks(FOUR[0], written("9.host.5.0", empty))[1] is None


@settings(deadline=None)
@given(st.permutations(range(4)))
def test_the_order_of_files_changes_nothing(order):
    straight = dict(zip(range(4), ranks(*FOUR)[0], strict=True))
    assert dict(zip(order, ranks(*(FOUR[place] for place in order))[0], strict=True)) == straight


def test_ranks_of_restarts_do_not_run_together():
    times = itertools.product((0, 3), (1, 2))
    found, _ = ranks(*(written(f"{hour}.host.{hour}{pid}.0", start=START + timedelta(hours=hour)) for hour, pid in times))
    assert found == [0, 1, 0, 1]
