"""TR301: what was spent beside what was agreed."""

from __future__ import annotations

import pytest
from costed import money, outcome

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

PLAN = "[budget]\nmoney = '400 EUR'\ngpu_hours = 100\n"


def spent(amount, hours=None):
    return Ledger(cost=None if amount is None else money(amount), gpu_hours=hours, wall_s=3600.0, basis={"cost": "at 3 EUR an hour"})


def test_one_run_that_passed_the_limit():
    finding = outcome("TR301", PLAN, ledger=spent(560, 80)).findings[0]
    assert finding.message == "This run brought money to 560 EUR of the 400 EUR agreed (40 % over)."
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(1.4)
    assert finding.evidence[0].method == "at 3 EUR an hour"


def test_several_limits_in_one_finding():
    message = outcome("TR301", PLAN, ledger=spent(560, 120)).findings[0].message
    assert message == (
        "This run brought money to 560 EUR of the 400 EUR agreed (40 % over) and GPU time to 120 h of the 100 h agreed (20 % over)."
    )


def test_the_finding_stands_on_the_run_that_passed_the_limit_and_on_those_after_it():
    before, after = (-2, {"cost": money(300)}), (2, {"cost": money(300)})
    assert outcome("TR301", PLAN, ledger=spent(90), others=[before, after]).reason == (
        "this run and the 1 run before it: money at 390 EUR of the 400 EUR agreed, 98 %"
    )
    passed = outcome("TR301", PLAN, ledger=spent(200), others=[before, after]).findings[0].message
    assert passed == (
        "This run and the 1 run before it brought money to 500 EUR of the 400 EUR agreed (25 % over); the limit was passed during this run."
    )
    earlier = [(-2, {"cost": money(300)}), (-1, {"cost": money(300)})]
    assert (
        outcome("TR301", PLAN, ledger=spent(1), others=earlier)
        .findings[0]
        .message.endswith("; the limit was passed before this run began.")
    )


def test_time_in_which_runs_overlap_counts_once():
    plan = "[budget]\nwall_time = '100 min'\n"
    together = outcome("TR301", plan, ledger=spent(None), others=[(-0.5, {})])
    assert together.reason.endswith("time at 90 min of the 100 min agreed, 90 %")
    assert outcome("TR301", plan, ledger=spent(None), others=[(-1, {})]).state is State.FOUND


def test_a_little_over_is_minor():
    assert outcome("TR301", PLAN, ledger=spent(410)).findings[0].severity is Severity.MINOR


def test_clear_and_a_limit_changed_by_the_plan():
    assert outcome("TR301", PLAN, ledger=spent(240, 50)).reason == (
        "this run: money at 240 EUR of the 400 EUR agreed, 60 % and GPU time at 50.0 h of the 100 h agreed, 50 %"
    )
    assert outcome("TR301", PLAN + "[thresholds]\nTR301.over = 0.5\n", ledger=spent(240)).state is State.FOUND


def test_not_applicable():
    assert outcome("TR301", ledger=spent(560)).reason == "the plan sets no limit on money, GPU-hours or wall time"
    unknown = outcome("TR301", "[budget]\nmoney = '400 EUR'\n", ledger=Ledger(basis={"cost": "not known: no rate"}))
    assert (unknown.state, unknown.reason) == (State.NOT_APPLICABLE, "what was spent is not known: cost not known: no rate")
