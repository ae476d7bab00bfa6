"""Which zone the clock of a scheduler is of: all jobs of a file share it. The run lasts from 06:00 to 12:00 UTC."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from builders import START
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.jobs.job import Job, recordings_of
from trainreport.importers.jobs.zones import Beside, with_zone
from trainreport.importers.offsets import OFFSETS
from trainreport.importers.recording import Source
from trainreport.importers.tables.found import Troubles

HOUR = timedelta(hours=1)
RUN = (START.timestamp(), (START + 6 * HOUR).timestamp())
SMI = "monitor/gpu.csv"


def jobs(*spans, offset_h=0.0):
    """Return jobs from and to some hours after 06:00, on a clock so many hours east of UTC."""
    source = Source(Path("sacct.txt"), "sacct.txt")
    told = [
        Job("slurm", str(place), state="COMPLETED", gpus=1, **{
            name: f"{START + (hours + offset_h) * HOUR:%Y-%m-%dT%H:%M:%S}" for name, hours in (("start", begin), ("end", end))
        })
        for place, (begin, end) in enumerate(spans)
    ]  # fmt: skip
    return recordings_of("slurm-sacct", source, told, Troubles(source))


def starts(found):
    return [(one.started_at - START) / HOUR for one in found]


@given(st.sampled_from([quarters for quarters in OFFSETS if quarters]))
def test_a_job_as_long_as_the_run_tells_its_clock(quarters):
    (found,) = with_zone(jobs((-0.02, 6.02), offset_h=quarters / 4), [RUN], None)
    assert starts([found]) == [pytest.approx(-0.02)]
    assert "taken as UTC" in found.files[0].clock
    assert found.frame["time"].max() == found.ended_at


def test_a_job_that_fits_as_utc_stays():
    given_jobs = jobs((-0.1, 6.1))
    assert with_zone(given_jobs, [RUN], None) == list(given_jobs)


def test_all_jobs_of_a_file_are_moved_by_one_offset():
    """A stranger, at another time of the day, must not be moved onto the run on its own."""
    found = with_zone(jobs((-0.02, 6.02), (9, 17), offset_h=2), [RUN], None)
    assert starts(found) == [pytest.approx(-0.02), pytest.approx(9)]


def test_where_two_jobs_would_fit_at_two_offsets_the_reader_is_told():
    """The second is as long, and begins with the run on a clock of UTC+11."""
    alike = jobs((-0.02, 6.02), (9, 15.1), offset_h=2)
    found = with_zone(alike, [RUN], None)
    assert starts(found) == starts(alike)
    assert "give --source-zone" in found[0].problems[-1].what
    assert starts(with_zone(alike, [RUN], Beside(8, SMI))) == [pytest.approx(-0.02), pytest.approx(9)]


def test_of_several_runs_the_offset_counts_that_fits_all():
    second = (RUN[0] + 10 * 3600, RUN[1] + 10 * 3600)
    found = with_zone(jobs((-0.02, 6.02), (9.98, 16.02), offset_h=-5), [RUN, second], None)
    assert starts(found) == [pytest.approx(-0.02), pytest.approx(9.98)]


def test_a_long_job_is_placed_by_the_gpu_log_beside_it():
    """It covers the run at many offsets, and not as UTC."""
    long = jobs((-1, 8), offset_h=8)
    doubted = with_zone(long, [RUN], None)
    assert starts(doubted) == [7]
    assert doubted[0].problems[-1].what.endswith("and no single offset is the one that fits; give --source-zone")
    (found,) = with_zone(long, [RUN], Beside(32, SMI))
    assert starts([found]) == [-1]
    assert found.files[0].clock == (
        "no zone written; taken as UTC+08:00, as monitor/gpu.csv beside it, for then it covers the run 2026-06-09 06:00–12:00"
    )


def test_jobs_one_after_the_other_are_placed_by_the_gpu_log_beside_them():
    found = with_zone(jobs((0, 3), (3.1, 6), offset_h=8), [RUN], Beside(32, SMI))
    assert starts(found) == [0, pytest.approx(3.1)]


def test_a_job_of_another_day_stays():
    far = jobs((90, 96))
    assert with_zone(far, [RUN], None) == list(far)
    assert with_zone(far, [RUN], Beside(8, SMI)) == list(far)


def test_too_many_to_compare_stay():
    many = jobs(*((0.0, 6.0) for _ in range(3)), offset_h=2)
    assert with_zone(many, [RUN] * 100_000, None) == list(many)
