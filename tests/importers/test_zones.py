"""Which zone the clock of a hardware log is of."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import START, machine, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.offsets import OFFSETS
from trainreport.importers.recording import FileRead
from trainreport.importers.zones import with_zones
from trainreport.model.schema import CLOCK_REPAIRED

HOUR = timedelta(hours=1)


def run(key="run", start=START, minutes=360):
    return training({"loss": range(minutes)}, seconds_per_step=60, key=key, start=start)


def gpu(offset=0 * HOUR, minutes=370, folder="run", clock="no zone written; taken as UTC", busy=None):
    """Return a log whose clock is `offset` east of UTC, begun five minutes before START; `busy` are minutes from its begin."""
    first, last = busy or (5, minutes - 5)
    values = [0.9 if first <= minute < last else 0.0 for minute in range(minutes)]
    one = machine({"gpu0": {"gpu/utilization": values}}, interval_s=60, folder=folder, start=START - timedelta(minutes=5) + offset)
    return replace(one, files=(FileRead(Path("gpu.csv"), f"{folder}/gpu.csv", minutes, clock=clock),))


def placed(*recordings, zone=None):
    return next(one for one in with_zones(recordings, zone) if one.kind == "machine")


@given(st.sampled_from([quarters for quarters in OFFSETS if quarters]))
def test_log_is_moved_onto_its_run_from_any_offset(quarters):
    found = placed(run(), gpu(HOUR * quarters / 4))
    assert found.started_at == START - timedelta(minutes=5)
    assert found.frame["time"].iloc[0] == START - timedelta(minutes=5)
    assert set(found.frame["flags"]) == {CLOCK_REPAIRED}
    assert not found.problems


def test_clock_says_the_offset_and_the_evidence():
    [file] = placed(run(minutes=60), gpu(2 * HOUR, minutes=70)).files
    assert file.clock.startswith(
        "no zone written; taken as UTC+02:00, for then it covers the run 2026-06-09 06:00–06:59 (evidence: it covers 100%"
    )


def test_log_that_covers_its_run_as_utc_stays():
    log = gpu()
    assert placed(run(), log) is log


def test_log_that_covers_three_fifths_of_its_run_is_moved_where_the_work_then_fits_it():
    """Two hours off, it covers the last three of five hours as UTC, and the work seems to begin and to end two hours late."""
    found = placed(run(minutes=300), gpu(2 * HOUR, minutes=310))
    assert found.started_at == START - timedelta(minutes=5)
    [file] = found.files
    assert "taken as UTC+02:00" in file.clock
    assert file.clock.endswith("and the GPUs' work begins and ends 0 s from it on average, as UTC 7,200 s)")
    assert set(found.frame["flags"]) == {CLOCK_REPAIRED}


def test_log_of_a_day_is_moved_where_the_only_work_in_it_is_an_hour_late():
    found = placed(run(minutes=120), gpu(HOUR, minutes=600, busy=(5, 126)))
    assert found.started_at == START - timedelta(minutes=5)


def test_log_beside_two_runs_is_moved_onto_both():
    runs = run("run/a", minutes=120), run("run/b", start=START + 3 * HOUR, minutes=120)
    assert placed(*runs, gpu(2 * HOUR, minutes=310)).started_at == START - timedelta(minutes=5)


@pytest.mark.parametrize(
    ("offset", "minutes", "busy"),
    [
        (-2 * HOUR, 430, None),  # the GPUs worked before: an earlier job, or hours of preparing data
        (0 * HOUR, 480, None),  # they went on after the run: an evaluation that nobody logged
        (-2 * HOUR, 550, None),  # both
        (2 * HOUR, 190, None),  # the log was begun late and ended with the run
        (1 * HOUR, 120, None),  # it is of a part in the middle
        (-2 * HOUR, 550, (300, 425)),  # the GPUs worked for a part of the run
        (HOUR / 4, 300, None),  # a quarter of an hour is no zone
    ],
)
def test_log_that_began_before_its_run_or_ended_after_it_stays(offset, minutes, busy):
    log = gpu(offset, minutes=minutes, busy=busy)
    assert placed(run(minutes=300), log) is log


def test_log_without_utilization_that_covers_its_run_stays():
    log = gpu(2 * HOUR, minutes=310)
    log = replace(log, frame=log.frame.assign(series="gpu/power"))
    assert placed(run(minutes=300), log) is log


def test_where_several_offsets_fit_better_than_utc_the_reader_is_told():
    """The work is as long as the run and lies 5 h 37.5 min late: the zones of India and of Nepal do equally well."""
    found = placed(run(minutes=900), gpu(timedelta(minutes=337.5), minutes=910))
    [problem] = found.problems
    assert problem.about == "clock"
    assert "several other zones fit it better; give --source-zone" in problem.what
    assert found.frame["time"].iloc[0] == START + timedelta(minutes=332.5)


def test_zone_that_is_given_or_written_is_left_alone():
    local = gpu(8 * HOUR)
    assert placed(run(), local, zone="Asia/Shanghai") is local
    written = gpu(8 * HOUR, clock="UTC, from the offset or epoch seconds written")
    assert placed(run(), written) is written


def test_where_two_offsets_fit_nothing_is_moved_and_the_reader_is_told():
    log = gpu(8 * HOUR, minutes=200, busy=(0, 200))
    found = placed(run(minutes=20), log)
    assert found.frame is log.frame
    [problem] = found.problems
    assert "give --source-zone" in problem.what
    assert "2026-06-09 06:00–06:19" in problem.what


def test_log_of_another_day_is_none_of_the_run():
    log = gpu(90 * HOUR)
    assert placed(run(), log) is log


def test_log_beside_two_runs_far_apart_is_ambiguous():
    found = placed(run("run/a", minutes=60), run("run/b", start=START + 3 * HOUR, minutes=60), gpu(8 * HOUR, minutes=70))
    assert found.problems


def test_run_of_another_folder_is_not_taken():
    log = gpu(8 * HOUR, folder="other")
    assert placed(run("run"), log).started_at != log.started_at  # the nearest folder above both
    near = run("other/run", start=START + 30 * HOUR)
    assert placed(run("run"), near, log) is log


def test_restarted_run_is_one_span():
    found = placed(run(minutes=100), run(start=START + 4 * HOUR, minutes=120), gpu(8 * HOUR))
    assert found.started_at == START - timedelta(minutes=5)


@pytest.mark.parametrize("recordings", [[], [gpu()], [run()]])
def test_nothing_to_compare(recordings):
    assert with_zones(recordings, None) == recordings
