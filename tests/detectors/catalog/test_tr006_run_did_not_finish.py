"""TR006: ended before it was done."""

from __future__ import annotations

import pytest

from trainreport.model.finding import Confidence, Severity, State

LOSS = {"train_loss": (range(0, 1201, 100), [1.0] * 13)}
PLAN = "[training]\nsteps = {}\n"


@pytest.mark.parametrize(("status", "words"), [("failed", "The run failed"), ("killed", "The run was killed")])
def test_failed_and_killed(judge, status, words):
    finding = judge("TR006", LOSS, status=status, plan=PLAN.format(2000)).findings[0]
    assert finding.message == f"{words} at step 1,200 of 2,000 planned."
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(0.6)


def test_still_running_as_far_as_anyone_knows(judge):
    finding = judge("TR006", LOSS, status="running").findings[0]
    assert finding.message == "Its tool has the run as still running; its last sign of life is from 2026-06-09T06:20:00Z."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.MEDIUM)


def test_a_run_that_stopped_early(judge):
    finding = judge("TR006", LOSS, params={"trainer/max_steps": "2000"}).findings[0]
    assert finding.message == "The run stopped at step 1,200 of 2,000 planned."
    assert finding.severity is Severity.MINOR
    assert finding.evidence[0].method.endswith("from the parameters")


def test_done(judge):
    assert judge("TR006", LOSS, status="finished", plan=PLAN.format(2000)).state is State.CLEAR
    assert judge("TR006", LOSS, plan=PLAN.format(1250)).reason == "it did step 1,200 of 1,250 planned"
    assert judge("TR006", LOSS, plan=PLAN.format(1201)).reason == "it did step 1,201 of 1,201 planned"  # counted from 0
    assert judge("TR006", LOSS, plan=PLAN.format(2000) + "[thresholds]\nTR006.done = 0.5\n").state is State.CLEAR


def test_nobody_says(judge):
    assert judge("TR006", LOSS).reason == "no source says how the run ended or how long it was meant to be"
    assert judge("TR006", LOSS, params={"epochs": "ten"}).state is State.NOT_APPLICABLE
