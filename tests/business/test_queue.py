"""Time in a queue, as written down."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trainreport.business.queue import queue_wait
from trainreport.model.run import Run

STARTED = datetime(2026, 6, 9, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tags", "seconds"),
    [
        ({"SubmitTime": "2026-06-09T10:00:00", "StartTime": "2026-06-09T11:30:00"}, 5400),
        ({"slurm.submit_time": "1780999200", "SLURM_JOB_START_TIME": "1781002800"}, 3600),
        ({"slurm/Submit": "2026-06-09T10:00:00Z"}, 7200),
        ({"submitted_at": "2026-06-09T12:00:00+02:00"}, 7200),
        ({"queue_wait_s": "90.5"}, 90.5),
    ],
)
def test_waits(tags, seconds):
    assert queue_wait(Run("r", "r", started_at=STARTED, tags=tags)).seconds == seconds


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"SubmitTime": "2026-06-09T10:00:00"},  # no zone: not comparable with the start of the run
        {"SubmitTime": "2026-06-09T10:00:00", "StartTime": "2026-06-09T09:00:00"},  # before it was handed in
        {"SubmitTime": "Unknown", "StartTime": "Unknown"},
        {"queue_wait_s": "none"},
        {"queue_wait_s": "1e9"},
        {"start_time": "2026-06-09T10:00:00Z"},
    ],
)
def test_what_is_not_written_down(tags):
    assert queue_wait(Run("r", "r", started_at=STARTED, tags=tags)) is None


def test_parameters_count_too_and_the_basis_names_them():
    found = queue_wait(Run("r", "r", params={"job/submit_time": "1780999200", "job/start_time": "1780999260"}))
    assert found.seconds == 60
    assert found.basis == "job/submit_time to job/start_time, as logged"
