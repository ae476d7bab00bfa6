"""TR003: times in doubt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import log_of, training

from trainreport import detectors
from trainreport.model.case import Case
from trainreport.model.finding import Severity, State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Problem, SourceFile
from trainreport.model.schema import CLOCK_REPAIRED, concat

LOSS = {"train_loss": list(np.linspace(3.0, 1.0, 40))}


@pytest.fixture
def changed():
    """Return a function: the outcome on LOSS after its frame was changed."""

    def outcome(change):
        log = log_of(training(LOSS))
        log = replace(log, frame=change(log.frame.copy()))
        (found,) = detectors.run(Case(log, Plan(), Ledger()), [detectors.detector("TR003")])
        return found

    return outcome


def test_time_that_runs_backwards(changed):
    def back(frame):
        frame["time"] = frame["time"] - pd.to_timedelta(np.where(np.arange(40) >= 20, 3600, 0), unit="s")
        return frame

    finding = changed(back).findings[0]
    assert finding.message == "In 1 of 40 entries time runs backwards while steps rise."
    assert (finding.severity, finding.evidence[2].value) == (Severity.MINOR, 1.0)


def test_a_jitter_of_seconds_is_none(changed):
    def jitter(frame):
        frame["time"] = frame["time"] - pd.to_timedelta(np.where(np.arange(40) == 20, 30, 0), unit="s")
        return frame

    assert changed(jitter).state is State.CLEAR


def test_repaired_times_alone_are_a_note(changed):
    finding = changed(lambda frame: frame.assign(flags=np.full(40, CLOCK_REPAIRED, dtype=np.uint8))).findings[0]
    assert finding.message == "The times of 40 of 40 rows were repaired while reading (run/events)."
    assert finding.severity is Severity.NOTE


def test_the_file_whose_clock_was_moved_and_by_how_much_are_said():
    """As from a GPU log two hours off: its rows bear the mark, and the file how its clock was understood."""
    clock = "no zone written; taken as UTC+02:00, for then it covers the run 2026-06-09 06:00–06:40 (evidence: it covers 100% of it)"
    log = log_of(training(LOSS))
    moved = log.frame.assign(flags=np.full(40, CLOCK_REPAIRED, dtype=np.uint8), file=pd.Categorical(["run/gpu.csv"] * 40))
    files = (SourceFile("run/events", "", 1, "tensorboard", 40, 0, "UTC"), SourceFile("run/gpu.csv", "", 1, "nvidia-smi", 40, 0, clock))
    log = replace(log, frame=concat([log.frame, moved]), run=replace(log.run, files=files))
    (found,) = detectors.run(Case(log, Plan(), Ledger()), [detectors.detector("TR003")])
    assert found.findings[0].message.startswith(
        "The times of 40 of 80 rows were repaired while reading (run/gpu.csv: no zone written; taken as UTC+02:00, "
        "for then it covers the run 2026-06-09 06:00–06:40)"
    )


def test_a_clock_that_fits_no_run(judge):
    problem = Problem("gpu.csv", "", "its times cover no run; give --source-zone", about="clock")
    finding = judge("TR003", LOSS, problems=(problem,)).findings[0]
    assert finding.message == "Gpu.csv: its times cover no run; give --source-zone."
    assert finding.severity is Severity.MINOR


def test_clear_and_not_applicable(judge, changed):
    assert judge("TR003", LOSS).reason == "times of 40 entries rise with their steps, none was repaired"
    timeless = changed(lambda frame: frame.assign(time=pd.Series(pd.NaT, index=frame.index, dtype="datetime64[ns, UTC]")))
    assert (timeless.state, timeless.reason) == (State.NOT_APPLICABLE, "no time was logged")
