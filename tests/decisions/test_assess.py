"""From logs to an assessment: several runs, prices, digests."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import START, log_of, machine, training

from trainreport.decisions.assess import assess
from trainreport.decisions.impact import priced
from trainreport.errors import PlanError
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, State, Waste
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan

TARGET = '[[criteria]]\nid = "accuracy"\nseries = "accuracy"\nthreshold = 0.90\nunit = "share"\n'


def run(name, best):
    return log_of(training({"val_acc": [0.1 + (best - 0.1) * step / 9 for step in range(10)]}, key=name), run_id=name)


def test_the_run_with_the_best_checkpoint_leads_and_decides():
    found = assess([run("a", 0.8), run("b", 0.95), run("c", 0.93)], parse_plan(TARGET))
    assert found.portfolio.best_run == "b"
    assert found.leading.log.run.id == "b"
    assert found.decision == found.leading.decision
    assert found.decision.verdict.value == "go-with-conditions"  # the best of three


def test_one_run_has_no_portfolio():
    found = assess([run("a", 0.95)], parse_plan(TARGET))
    assert found.portfolio is None
    assert found.decision == found.runs[0].decision


def test_every_detector_has_an_outcome_on_every_run():
    from trainreport.detectors import codes

    found = assess([log_of(machine({"gpu0": {"gpu/utilization": [0.5] * 30}}))], Plan())
    assert [outcome.code for outcome in found.runs[0].outcomes] == sorted(codes())


def test_what_several_runs_say_together_is_found_once():
    found = assess([run("a", 0.8), run("b", 0.95), run("c", 0.93)], parse_plan(TARGET))
    together = ["TR401", "TR402", "TR403", "TR404", "TR405"]
    assert [outcome.code for outcome in found.portfolio.outcomes] == together
    assert not any(outcome.code in together for one in found.runs for outcome in one.outcomes)


def test_what_all_runs_wasted_is_priced_by_what_all_of_them_cost():
    rate = TARGET.replace("0.9", "0.99") + '[rates]\ngpu_hour = "3 EUR"\n'
    runs = [
        log_of(
            training({"val_accuracy": [0.5, 0.7, value]}, key=name, params={"lr": lr, "seed": name}, start=START + timedelta(days=day)),
            machine({"gpu0": {"gpu/utilization": [0.9] * 361}}, start=START + timedelta(days=day)),
            run_id=name,
        )
        for day, (name, lr, value) in enumerate([("a", "1", 0.8), ("b", "1", 0.81), ("c", "2", 0.8), ("d", "2", 0.81), ("e", "3", 0.8)])
    ]
    found = assess(runs, parse_plan(rate))
    (sunk,) = [finding for outcome in found.portfolio.outcomes if outcome.code == "TR401" for finding in outcome.findings]
    assert sunk.impact.money.plain() == "12.03"  # four runs of 3,610 s at 3 EUR an hour


def test_the_digest_depends_on_the_plan():
    logs = [run("a", 0.95)]
    assert assess(logs, parse_plan(TARGET)).inputs_digest == assess(logs, parse_plan(TARGET)).inputs_digest
    assert assess(logs, parse_plan(TARGET)).inputs_digest != assess(logs, Plan()).inputs_digest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TR999.x = 1", "no detector has this code"),
        ("TR201.low_shar = 0.3", "did you mean 'low_share'"),
        ("TR201.low_share = 7", "out of range"),
    ],
)
def test_a_plan_with_a_threshold_that_is_none_is_faulty(text, expected):
    with pytest.raises(PlanError, match=expected) as caught:
        assess([run("a", 0.95)], parse_plan(f"[thresholds]\n{text}\n"))
    assert caught.value.faults[0].line == 2


def impact_of(waste, ledger, plan=""):
    finding = Finding("TR112", "x", Severity.MINOR, Confidence.HIGH, "m", (), Action("Do.", "x", "y"), waste=waste)
    [outcome] = priced([Outcome("TR112", "x", State.FOUND, "m", (finding,))], ledger, parse_plan(plan))
    return outcome.findings[0].impact


def test_waste_is_priced_by_its_share_of_the_run():
    ledger = Ledger(cost=Money.parse("40 EUR"), gpu_hours=10.0, wall_s=36_000.0)
    impact = impact_of(Waste(gpu_s=18_000.0, steps=500), ledger, "[budget]\nmoney = '100 EUR'\n")
    assert impact.money.plain() == "20.00"
    assert impact.text == "20.00 EUR, 20 % of the budget · 5.0 h of GPU time · 500 steps"
    assert impact_of(Waste(gpu_s=1e9), ledger).money.plain() == "40.00"  # never more than all of it
    assert impact_of(Waste(share_of_run=0.5), replace(ledger, cost=None)).text == "50 % of the run"
    assert impact_of(Waste(), ledger) is None
