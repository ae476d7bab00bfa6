"""TR001: what could not be read."""

from __future__ import annotations

import pytest
from builders import training

from trainreport.importers.recording import FileRead
from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.run import Problem

LOSS = {"train_loss": [3.0, 2.0, 1.0]}
CUT = Problem("run/events", "byte 4096", "the file ends inside a record, or is damaged up to its end")
BAD = Problem("run/events", "byte 512", "the checksum of the payload is wrong")
CLOCK = Problem("gpu.csv", "", "its clock fits no run", about="clock")


@pytest.fixture
def files(tmp_path):
    """Return a function: the files of a recording with so many rows read and skipped."""
    path = tmp_path / "events"
    path.write_bytes(b"x")
    return lambda read, skipped: (FileRead(path, "run/events", read, skipped),)


def test_a_file_that_breaks_off(judge, files):
    finding = judge("TR001", LOSS, files=files(9999, 1), problems=(BAD, CUT)).findings[0]
    assert finding.message == (
        "1 record of 10,000 could not be read: run/events, byte 512: the checksum of the payload is wrong (and 1 more place)."
    )
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.evidence[0].value == 1.0


def test_one_record_of_very_many_is_a_note(judge, files):
    assert judge("TR001", LOSS, files=files(9999, 1), problems=(BAD,)).findings[0].severity is Severity.NOTE
    assert judge("TR001", LOSS, files=files(99, 1), problems=(BAD,)).findings[0].severity is Severity.MINOR
    plan = "[thresholds]\nTR001.share = 0.5\n"
    assert judge("TR001", LOSS, files=files(99, 1), problems=(BAD,), plan=plan).findings[0].severity is Severity.NOTE


def test_an_unknown_loss_is_named(judge, files):
    finding = judge("TR001", LOSS, files=files(3, 0), problems=(CUT,)).findings[0]
    assert finding.message.startswith("Part of the log could not be read: run/events, byte 4096:")
    assert finding.severity is Severity.MINOR


def test_a_doubtful_clock_is_no_loss(judge, files):
    outcome = judge("TR001", LOSS, files=files(3, 0), problems=(CLOCK,))
    assert (outcome.state, outcome.reason) == (State.CLEAR, "all of 1 file could be read, 3 numbers")


def test_without_files(judge):
    assert judge("TR001", LOSS).state is State.NOT_APPLICABLE
    assert training(LOSS).files == ()
