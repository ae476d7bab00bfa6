"""What runs say to each other: worked out once, for judging and for comparing alike."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import START, log_of, training

from trainreport.decisions import family
from trainreport.decisions.assess import assess
from trainreport.model.case import Family
from trainreport.model.plan import Criterion, Plan
from trainreport.reports.comparison import compared

GOAL = Plan(criteria=(Criterion("accuracy", "accuracy", 0.90, unit="share"),))


def run(name, best, *, after=0.0, **facts):
    return log_of(
        training({"val_accuracy": [best / 2, best, best - 0.1]}, key=name, start=START + timedelta(hours=after), **facts), run_id=name
    )


def test_a_run_says_its_best_value_and_where_it_stood():
    whole = assess([run("b", 0.7, after=1, params={"lr": "1"}), run("a", 0.8)], GOAL)
    told = whole.portfolio.family
    assert [(one.run_id, one.best_value, one.series, one.phase) for one in told] == [
        ("b", pytest.approx(0.7), "accuracy", "validation"),
        ("a", pytest.approx(0.8), "accuracy", "validation"),
    ]
    assert told.by_id["b"].params["lr"] == "1"
    assert told.by_id["b"].evaluations == 3
    assert told.by_id["b"].best_step < told.by_id["b"].last_step
    assert [one.run_id for one in told.in_order] == ["a", "b"]
    assert told.names == {"a", "b"}


def test_how_many_began_before():
    told = assess([run(name, 0.5, after=after) for name, after in (("late", 5), ("first", 0), ("next", 2))], GOAL).portfolio.family
    assert [one.run_id for one in told.in_order] == ["first", "next", "late"]
    assert [told.before(one.started_at, one.run_id) for one in told.in_order] == [0, 1, 2]
    assert told.before(START + timedelta(hours=3), "other") == 2
    assert told.before(None, "without a time") == 3


def test_comparing_works_out_nothing_again(monkeypatch):
    asked = []
    real = family._sibling
    monkeypatch.setattr(family, "_sibling", lambda case, one: asked.append(case.log.run.id) or real(case, one))
    whole = assess([run("a", 0.8), run("b", 0.7), run("c", 0.6)], GOAL)
    found = compared(whole)
    assert asked == ["a", "b", "c"]
    assert [entry.run.log.run.id for entry in found.entries] == ["a", "b", "c"]


def test_one_run_alone_has_no_portfolio_and_an_empty_family_is_one():
    assert assess([run("a", 0.8)], GOAL).portfolio is None
    nobody = Family()
    assert (len(nobody), nobody.by_id, nobody.in_order, nobody.before(START, "a")) == (0, {}, (), 0)
