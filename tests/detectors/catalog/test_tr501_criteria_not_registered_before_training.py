"""TR501: did the criteria stand before training; runs begin on 2026-06-09 at 6:00 UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from costed import outcome

from trainreport.model import lock
from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.plan_reader import read_plan

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


def locked(tmp_path, *versions, now=None):
    """Return a plan read from a file, with a lock of (time, text) beside it."""
    chain = []
    for day, text in versions:
        chain.append(lock.add(text, chain, datetime(2026, 6, day, tzinfo=UTC)))
    (tmp_path / "plan.toml").write_text(now or versions[-1][1])
    (tmp_path / "plan.lock.json").write_bytes(lock.render(chain))
    return read_plan(tmp_path / "plan.toml")


def judged(plan, monkeypatch):
    monkeypatch.setattr("costed.parse_plan", lambda _: plan)
    return outcome("TR501", "read from a file")


def test_a_lock_before_the_run_shows_that_the_criteria_stood(tmp_path, monkeypatch):
    found = judged(locked(tmp_path, (8, CRITERION)), monkeypatch)
    digest = lock.content_digest(lock.content(CRITERION))
    assert found.state is State.CLEAR
    assert found.reason == (
        f"the criteria were locked 30.0 h before the run began and stand unchanged (version 1, 2026-06-08T00:00:00Z, SHA-256 {digest})"
    )


def test_the_rest_of_the_plan_may_change(tmp_path, monkeypatch):
    later = CRITERION + "worth = 'much'\n[budget]\ngpu_hours = 9\n"
    assert judged(locked(tmp_path, (8, CRITERION), (12, later)), monkeypatch).state is State.CLEAR


@pytest.mark.parametrize("told", [True, False])
def test_criteria_changed_after_the_start_are_listed(tmp_path, monkeypatch, told):
    later = CRITERION.replace("1.0", "1.5") + "tolerance = 0.1\n"
    versions = ((8, CRITERION), (12, later)) if told else ((8, CRITERION),)
    finding = judged(locked(tmp_path, *versions, now=later), monkeypatch).findings[0]
    assert finding.message == (
        "The acceptance criteria are not those that were locked before the run began (version 1, 2026-06-08T00:00:00Z): "
        "criteria[loss].threshold: 1.0 → 1.5; criteria[loss].tolerance: not set → 0.1."
    )
    assert (finding.severity, finding.evidence[0].value) == (Severity.MAJOR, 2)


def test_a_lock_after_the_start_proves_nothing(tmp_path, monkeypatch):
    assert judged(locked(tmp_path, (12, CRITERION)), monkeypatch).findings[0].severity is Severity.MINOR
    registered = plan("2026-06-09T05:00:00Z")
    assert judged(locked(tmp_path, (12, registered)), monkeypatch).reason == "the criteria were registered 60 min before the run began"


def test_a_lock_that_was_tampered_with(tmp_path, monkeypatch):
    locked(tmp_path, (8, CRITERION))
    file = tmp_path / "plan.lock.json"
    file.write_text(file.read_text().replace("2026-06-08", "2026-06-01").replace('"threshold": 1.0', '"threshold": 2.0'))
    finding = judged(read_plan(tmp_path / "plan.toml"), monkeypatch).findings[0]
    assert finding.severity is Severity.MAJOR
    assert "version 1 was changed after it was locked" in finding.message
