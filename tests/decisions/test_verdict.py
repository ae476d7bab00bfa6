"""The policy of DESIGN.md, rule by rule, from literal findings and criteria."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from builders import log_of, training

from trainreport.business.budget import BudgetLine
from trainreport.decisions.criteria import judge
from trainreport.decisions.facts import Facts, Told, Trained
from trainreport.decisions.verdict import decide
from trainreport.model.case import Case
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, State
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan_reader import parse_plan

TARGET = '[[criteria]]\nid = "accuracy"\nseries = "accuracy"\nthreshold = 0.90\nunit = "share"\n'
GOOD = [0.5, 0.7, 0.8, 0.91, 0.92, 0.93, 0.92]
SHORT = [0.5, 0.7, 0.8, 0.85, 0.84, 0.83, 0.82]
OVER = BudgetLine("money", "Spent", "40.00 EUR", "28.50 EUR", 1.4, True)


def finding(code, severity=Severity.MAJOR, evidence=()):
    action = Action(f"Do what {code} asks for.", "ML engineer", "an hour")
    return Finding(code, code.lower(), severity, Confidence.HIGH, f"{code} was seen.", evidence, action)


def non_finite(share_at_end):
    return finding(
        "TR106",
        Severity.CRITICAL,
        (
            Evidence("non-finite values", 3, "1", "count", 100),
            Evidence("share of non-finite values in the last 5 % of points", share_at_end, "1", "count", 5),
        ),
    )


def decided(curve, *findings, plan=TARGET, budget=(), others=(), curves=None, **facts):
    log = log_of(training({"val_acc": curve, "train_loss": range(len(curve), 0, -1)} if curves is None else curves, **facts))
    case = Case(log, parse_plan(plan), Ledger(cost=Money.parse("40 EUR"), gpu_hours=10.0))
    outcomes = tuple(Outcome(one.code, one.name, State.FOUND, one.message, (one,)) for one in findings)
    facts = Facts(case, judge(case), outcomes, tuple(budget), datetime(2026, 6, 10, tzinfo=UTC))
    return decide(replace(facts, told=Told((facts.own, *(Trained(*other) for other in others)))))


def short(decision):
    return decision.rule, decision.verdict.value, decision.next_step.value


def test_target_met_is_a_go():
    assert short(decided(GOOD)) == (3, "go", "proceed-to-evaluation")


def test_the_exam_case():
    decision = decided(SHORT, finding("TR101"), budget=[OVER])
    assert short(decision) == (5, "no-go", "return-to-data-preparation")
    conditions = " ".join(decision.conditions)
    assert "Go back to the checkpoint from step 3" in conditions
    assert "no further training" in conditions
    assert "Review the costs" in conditions
    assert decision.options[0].title == "Return to data preparation"
    assert decision.options[0].recommended
    assert [option.title for option in decision.options if not option.advised] == ["Train longer"]


def test_overfitting_for_the_first_time_is_tuned():
    assert short(decided(SHORT, finding("TR101"))) == (5, "no-go", "tune")


@pytest.mark.parametrize(
    "facts",
    [{"others": [({"lr": "1"}, frozenset({"TR101"}))]}, {"params": {"model/dropout": "0.3"}}, {"budget": [OVER]}],
    ids=["repeated", "already regularised", "over budget"],
)
def test_overfitting_goes_to_the_data_when_tuning_was_tried_or_money_is_gone(facts):
    assert short(decided(SHORT, finding("TR101"), **facts)) == (5, "no-go", "return-to-data-preparation")


def test_a_regulariser_that_is_off_does_not_count():
    assert short(decided(SHORT, finding("TR101"), params={"dropout": "0.0", "early_stopping": "False"})) == (5, "no-go", "tune")


def test_overfitting_after_the_target_was_met_is_a_go_from_that_checkpoint():
    decision = decided(GOOD, finding("TR101"))
    assert short(decision) == (3, "go-with-conditions", "proceed-to-evaluation")
    assert "the checkpoint from step 5" in decision.conditions[0]


def test_open_major_findings_and_overruns_are_conditions():
    decision = decided(GOOD, finding("TR201"), budget=[OVER])
    assert short(decision) == (3, "go-with-conditions", "proceed-to-evaluation")
    assert decision.conditions[0] == "Do what TR201 asks for."
    assert "40 % over" in decision.conditions[1]


def test_minor_and_accepted_findings_are_no_conditions():
    accepted = TARGET + '[[accepted]]\ncode = "TR201"\nuntil = 2026-12-31\nwho = "x"\nwhy = "y"\n'
    assert decided(GOOD, finding("TR112", Severity.MINOR)).verdict.value == "go"
    assert decided(GOOD, finding("TR201"), plan=accepted).verdict.value == "go"
    assert decided(GOOD, finding("TR201"), plan=accepted.replace("2026-12-31", "2026-01-31")).verdict.value == "go-with-conditions"


def test_a_single_lucky_evaluation_is_confirmed_on_the_test_set():
    decision = decided([0.5, 0.7, 0.8, 0.95, 0.7, 0.7, 0.7])
    assert short(decision) == (3, "go-with-conditions", "proceed-to-evaluation")
    assert "test set" in decision.conditions[0]


def test_the_best_of_three_runs_is_confirmed_on_the_test_set():
    decision = decided(GOOD, others=[({}, frozenset()), ({}, frozenset())])
    assert "best of 3 runs" in decision.conditions[0]


def test_broken_numbers_at_the_end():
    assert short(decided(SHORT, non_finite(1.0))) == (6, "no-go", "tune")
    assert short(decided(SHORT, non_finite(1.0), plan="")) == (6, "no-go", "tune")  # also without criteria
    only_training = {"train_loss": [3.0, 2.0, float("nan")]}
    assert short(decided([], non_finite(1.0), plan="", curves=only_training)) == (6, "no-go", "tune")


def test_a_stumble_that_recovers_is_a_finding_only():
    assert short(decided(GOOD, non_finite(0.0)))[1] == "go-with-conditions"


@pytest.mark.parametrize("code", ["TR102", "TR103", "TR104"])
def test_learning_trouble_is_tuned(code):
    assert short(decided(SHORT, finding(code))) == (7, "no-go", "tune")


def test_learning_trouble_of_several_configurations_goes_to_the_data():
    others = [({"lr": "1"}, frozenset({"TR104"})), ({"lr": "2"}, frozenset({"TR103"}))]
    decision = decided(SHORT, finding("TR104"), others=others, params={"lr": "3"})
    assert short(decision) == (7, "no-go", "return-to-data-preparation")


def test_no_advice_is_more_hardware():
    for code in ("TR101", "TR102", "TR103", "TR104"):
        decision = decided(SHORT, finding(code))
        text = " ".join([decision.lead, *decision.conditions, *(option.does for option in decision.options)]).lower()
        assert "more gpu" not in text
        assert "more hardware" not in text.replace("do not simply train longer or on more hardware", "")


def test_target_missed_without_a_diagnosis():
    assert short(decided(SHORT)) == (10, "no-go", "tune")


def test_nothing_measured_on_unseen_data():
    decision = decided([], curves={"train_loss": [3.0, 2.0, 1.0]}, plan="")
    assert short(decision) == (1, "cannot-tell", "collect-evidence")


def test_a_criterion_that_was_not_measured_is_named():
    decision = decided(GOOD, plan=TARGET + TARGET.replace('"accuracy"', '"recall"'))
    assert short(decision) == (1, "cannot-tell", "collect-evidence")
    assert "recall" in decision.lead


def test_too_few_points():
    assert short(decided([0.5, 0.6])) == (1, "cannot-tell", "collect-evidence")
    assert short(decided([0.5, 0.6], status="finished")) == (1, "cannot-tell", "collect-evidence")
    assert short(decided([0.6], status="finished")) == (10, "no-go", "tune")  # one final measurement


def test_barely_begun_goes_on():
    assert short(decided(SHORT, plan=TARGET + "[training]\nsteps = 1000\n")) == (1, "cannot-tell", "continue-training")


def test_without_criteria_the_diagnosis_still_tells_the_next_step():
    assert short(decided(SHORT, plan="")) == (11, "cannot-tell", "collect-evidence")
    assert short(decided(SHORT, finding("TR101"), plan="")) == (11, "cannot-tell", "tune")


def test_every_decision_says_what_would_change_it_and_is_short():
    for decision in (decided(GOOD), decided(SHORT), decided(SHORT, finding("TR101")), decided([0.5]), decided(SHORT, plan="")):
        assert decision.what_would_change_it
        assert decision.headline[0].isupper()
        assert decision.lead.count(". ") <= 3
