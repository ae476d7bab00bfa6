"""TR501: did the criteria stand before training; runs begin on 2026-06-09 at 6:00 UTC."""

from __future__ import annotations

import pytest
from costed import outcome

from trainreport.model.finding import Confidence, Severity, State

CRITERION = "[[criteria]]\nid = 'loss'\nseries = 'loss'\nthreshold = 1.0\ncomparator = '<='\n"


def plan(registered):
    return f"[plan]\nregistered = {registered}\n{CRITERION}"


def test_registered_after_the_start():
    finding = outcome("TR501", plan("2026-06-12T06:00:00Z")).findings[0]
    assert finding.message == "The acceptance criteria were registered 72.0 h after the run began."
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(3 * 86_400)


def test_a_clock_may_be_off_by_a_day():
    finding = outcome("TR501", plan("2026-06-09T07:00:00Z")).findings[0]
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.MEDIUM)
    changed = plan("2026-06-09T07:00:00Z") + "[thresholds]\nTR501.sure = 60\n"
    assert outcome("TR501", changed).findings[0].confidence is Confidence.HIGH


def test_without_a_time_it_cannot_be_shown():
    finding = outcome("TR501", CRITERION).findings[0]
    assert finding.message == (
        "The plan has 1 criterion and no time of registration, so that it cannot be shown that they stood before training."
    )
    assert finding.severity is Severity.MINOR


def test_clear():
    assert outcome("TR501", plan("2026-06-09T05:00:00Z")).reason == "the criteria were registered 60 min before the run began"


def test_not_applicable():
    assert outcome("TR501").reason == "the plan has no acceptance criteria"
    assert outcome("TR501", "[budget]\ngpu_hours = 1\n").reason == "the plan has no acceptance criteria"
    nothing = outcome("TR501", plan("2026-06-09T05:00:00Z"), curves={"loss": []})
    assert (nothing.state, nothing.reason) == (State.NOT_APPLICABLE, "nothing in the logs says when the run began")
