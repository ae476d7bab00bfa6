"""TR302: estimate at completion beside the budget."""

from __future__ import annotations

import numpy as np
import pytest
from costed import money, outcome

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

PLAN = "[budget]\nmoney = '300 EUR'\n[training]\nsteps = 400\n"
SPENT = Ledger(cost=money(100), gpu_hours=10.0, wall_s=3600.0)


def test_a_quarter_done_took_a_third():
    finding = outcome("TR302", PLAN, ledger=SPENT).findings[0]
    assert (
        finding.message == "At step 100 of 400 planned the run is on course to end with money at 400 EUR of the 300 EUR agreed, 33 % over."
    )
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)
    assert finding.evidence[0].value == pytest.approx(4 / 3)


def test_the_interval_is_from_the_thirds_of_the_run():
    # Steps of 20, 40 and 60 s in equal number: what remains takes half to one and a half times as long as on the average.
    curves = {"loss": [1.0] * 101, "train/step_time": (range(1, 100), np.repeat([20.0, 40.0, 60.0], 33))}
    finding = outcome("TR302", PLAN, curves=curves, ledger=SPENT).findings[0]
    assert "money at 400 EUR of the 300 EUR agreed (250 EUR to 550 EUR), 33 % over" in finding.message
    assert (finding.evidence[0].low, finding.evidence[0].high) == (pytest.approx(2.5 / 3), pytest.approx(5.5 / 3))
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.MEDIUM)  # the quickest third would keep the limit


def test_what_ran_before_counts():
    assert outcome("TR302", PLAN, ledger=Ledger(cost=money(70))).state is State.CLEAR
    assert outcome("TR302", PLAN, ledger=Ledger(cost=money(70)), others=[(-2, {"cost": money(30)})]).state is State.FOUND


def test_time_goes_on_from_the_start_of_the_run():
    plan = "[budget]\nwall_time = '3 h'\n[training]\nsteps = 400\n"
    assert "time at 4.0 h of the 3.0 h agreed" in outcome("TR302", plan, ledger=SPENT).findings[0].message


def test_clear():
    assert outcome("TR302", PLAN, ledger=Ledger(cost=money(50))).reason == (
        "step 100 of 400 planned; at the end money at 200 EUR of the 300 EUR agreed, 67 %"
    )


def test_not_applicable():
    assert outcome("TR302", PLAN, ledger=SPENT, status="finished").reason == "the run is done"
    assert outcome("TR302", PLAN.replace("400", "100"), ledger=SPENT).reason == "the run is done"
    assert "neither the plan nor the parameters" in outcome("TR302", "[budget]\nmoney = '300 EUR'\n", ledger=SPENT).reason
    assert outcome("TR302", PLAN.replace("400", "10000"), ledger=SPENT).reason.endswith("from 5 % on its end can be foretold")
    assert "no limit on what is known" in outcome("TR302", "[training]\nsteps = 400\n", ledger=SPENT).reason
    assert "every limit is passed already" in outcome("TR302", PLAN, ledger=Ledger(cost=money(301))).reason
    assert (
        outcome("TR302", PLAN, ledger=SPENT, others=[(2, {})]).reason
        == "the run ended at step 100 of 400 planned, and another began after it"
    )


def test_a_limit_changed_by_the_plan():
    plan = PLAN.replace("400", "10000") + "[thresholds]\nTR302.done = 0.01\n"
    assert outcome("TR302", plan, ledger=SPENT).findings[0].confidence is Confidence.MEDIUM  # too early to be sure
