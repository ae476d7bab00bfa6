"""TR303: the end beside the deadline; runs begin on 2026-06-09 at 6:00 and did 100 steps in an hour."""

from __future__ import annotations

import numpy as np
import pytest
from builders import START
from costed import HOUR, outcome

from trainreport.model.finding import Confidence, Severity, State


def plan(deadline, steps=400, more=""):
    return f"[budget]\ndeadline = {deadline}\n[training]\nsteps = {steps}\n{more}"


def test_on_course_to_end_after_the_deadline():
    finding = outcome("TR303", plan("2026-06-09T08:00:00Z")).findings[0]
    assert finding.message == "At step 100 of 400 planned the run is on course to end on 2026-06-09, 2.0 h after the deadline."
    assert finding.evidence[0].value == pytest.approx(7200)
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)


def test_what_remains_begins_now():
    assert outcome("TR303", plan("2026-06-09T12:00:00Z")).state is State.CLEAR
    late = outcome("TR303", plan("2026-06-09T12:00:00Z"), as_of=START + 5 * HOUR).findings[0]
    assert late.evidence[0].value == pytest.approx(7200)  # at 11:00 with three hours to go


def test_the_interval_is_from_the_thirds_of_the_run():
    curves = {"loss": [1.0] * 101, "train/step_time": (range(1, 100), np.repeat([20.0, 40.0, 60.0], 33))}
    evidence = outcome("TR303", plan("2026-06-09T08:00:00Z"), curves=curves).findings[0].evidence[0]
    assert (evidence.low, evidence.high) == (pytest.approx(0.5 * 3600), pytest.approx(3.5 * 3600))
    tight = outcome("TR303", plan("2026-06-09T09:00:00Z"), curves=curves).findings[0]
    assert (tight.severity, tight.confidence) == (Severity.MINOR, Confidence.MEDIUM)


def test_a_run_that_is_done():
    finding = outcome("TR303", plan("2026-06-09T06:30:00Z", steps=100)).findings[0]
    assert finding.message == "The run ended 30 min after the deadline of 2026-06-09."
    assert outcome("TR303", plan("2026-06-09T06:59:00Z"), status="finished").findings[0].severity is Severity.MINOR
    assert outcome("TR303", plan("2026-06-09T08:00:00Z"), status="finished").reason == "it ended 60 min before the deadline"


def test_a_run_of_unknown_length_that_logged_after_the_deadline():
    finding = outcome("TR303", "[budget]\ndeadline = 2026-06-09T06:30:00Z\n").findings[0]
    assert finding.message == "The run ended 30 min after the deadline of 2026-06-09."


def test_clear():
    assert (
        outcome("TR303", plan("2026-06-09T12:00:00Z")).reason == "step 100 of 400 planned; at this pace it ends 2.0 h before the deadline"
    )


def test_not_applicable():
    assert outcome("TR303", "[training]\nsteps = 400\n").reason == "the plan has no deadline"
    assert "neither the plan nor the parameters" in outcome("TR303", "[budget]\ndeadline = 2026-06-09T08:00:00Z\n").reason
    assert outcome("TR303", plan("2026-06-09T08:00:00Z"), curves={"loss": ([0], [1.0])}).reason == "the logs of the training have no times"
    assert "another began after it" in outcome("TR303", plan("2026-06-09T08:00:00Z"), others=[(2, {})]).reason


def test_a_limit_changed_by_the_plan():
    changed = plan("2026-06-09T08:00:00Z", more="[thresholds]\nTR303.done = 0.5\n")
    assert outcome("TR303", changed).reason.endswith("from 50 % on its end can be foretold")
