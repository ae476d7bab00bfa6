"""What all runs took and came to, added up by hand."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.batch import portfolio
from trainreport.batch.tally import MOST, Tally
from trainreport.model.money import Money


def entry(path="a", verdict="no-go", step="tune", codes=("TR101",), *, hours=1.0, cost="2.50", currency="EUR", error=None):
    return {
        "path": path,
        "run_id": f"run {path}",
        "inputs_digest": "d",
        "version": "0.1.0",
        "verdict": None if error else verdict,
        "next_step": None if error else step,
        "codes": [] if error else list(codes),
        "gpu_hours": hours,
        "cost": None if cost is None else {"amount": cost, "currency": currency},
        "error": error,
    }


def tally(*entries):
    found = Tally()
    for one in entries:
        found.add(one)
    return found


def text(found):
    page = re.sub(r"(?s)<style>.*?</style>", "", portfolio.render(found))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ")


def test_the_sums():
    found = tally(
        entry("a", cost="0.10"),
        entry("b", "go", "proceed-to-evaluation", (), hours=None, cost="0.20"),
        entry("c", codes=("TR101", "TR507"), hours=2.5, cost="3.00", currency="USD"),
        entry("d", error="too long"),
    )
    assert (found.all.runs, found.all.gpu_hours, found.all.measured, found.failed) == (3, 3.5, 2, 1)
    assert found.all.money == (Money(Decimal("0.30"), "EUR"), Money(Decimal("3.00"), "USD"))
    assert found.codes["TR101"].runs == 2
    assert found.codes["TR507"].money == (Money(Decimal("3.00"), "USD"),)
    assert [one["path"] for one in found.refused.listed()] == ["c", "a"]
    assert found.failures == [("d", "too long")]


def test_the_page_says_them():
    said = text(
        tally(entry("a", cost="100.40"), entry("b", "go", "proceed-to-evaluation", ("TR503",), cost="899.60"), entry("x", error="too long"))
    )
    assert "Review 1 run with a no-go, 100 EUR in all" in said
    assert "1,000 EUR" in said
    assert "Overfitting is the most frequent finding in training" in said
    assert "1 folder could not be judged" in said
    assert "too long" in said
    assert "Runs that no plan covers" not in said


def test_runs_outside_any_plan_are_listed():
    said = text(tally(entry("a", "cannot-tell", "collect-evidence", ("TR507",), cost=None)))
    assert "Agree on a plan: no run has a target that it can be judged by" in said
    assert "Runs that no plan covers, the dearest first" in said
    assert "no plan gave a rate" in said


def test_nothing_judged():
    said = text(tally(entry("x", error="too long")))
    assert "No run was judged" in said


def test_names_from_logs_are_shown_as_text():
    assert "<script>alert" not in portfolio.render(tally(entry("<script>alert(1)</script>")))


def test_lists_are_cut_and_say_so():
    found = tally(*(entry(f"r{number}", cost=f"{number}.00") for number in range(MOST + 7)))
    listed = [one["path"] for one in found.refused.listed()]
    assert listed == [f"r{number}" for number in range(MOST + 6, 6, -1)]
    assert "The 50 dearest of 57; results.jsonl has all." in text(found)


@given(st.lists(st.tuples(st.decimals(0, 10**6, places=2), st.sampled_from(["go", "no-go", "cannot-tell"])), max_size=30))
def test_verdicts_add_up_to_all(runs):
    found = tally(*(entry(str(place), verdict, cost=f"{cost:f}") for place, (cost, verdict) in enumerate(runs)))
    assert sum(one.runs for one in found.verdicts.values()) == found.all.runs == len(runs)
    total = sum((one.cost.get("EUR", Decimal(0)) for one in found.verdicts.values()), Decimal(0))
    assert total == sum((cost for cost, _ in runs), Decimal(0)) == found.all.cost.get("EUR", Decimal(0))


@pytest.mark.parametrize("verdict", ["go", "go-with-conditions", "not-yet", "no-go", "cannot-tell"])
def test_every_verdict_is_shown(verdict):
    assert portfolio.render(tally(entry(verdict=verdict)))
