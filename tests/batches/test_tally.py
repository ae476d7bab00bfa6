"""What all runs took and came to, added up by hand."""

from __future__ import annotations

from decimal import Decimal

from batches.conftest import entry, month, tally
from hypothesis import given
from hypothesis import strategies as st

from trainreport.model.money import Money


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


@given(st.lists(st.tuples(st.decimals(0, 10**6, places=2), st.sampled_from(["go", "no-go", "cannot-tell"])), max_size=30))
def test_verdicts_add_up_to_all(runs):
    found = tally(*(entry(str(place), verdict, cost=f"{cost:f}") for place, (cost, verdict) in enumerate(runs)))
    assert sum(one.runs for one in found.verdicts.values()) == found.all.runs == len(runs)
    total = sum((one.cost.get("EUR", Decimal(0)) for one in found.verdicts.values()), Decimal(0))
    assert total == sum((cost for cost, _ in runs), Decimal(0)) == found.all.cost.get("EUR", Decimal(0))


def test_months_teams_and_projects():
    found = tally(
        month(1, team="crm", project="churn"),
        month(1, "go", team="crm", project="churn"),
        month(3, team="ads"),
        entry("undated", cost=None),
    )
    assert {name: (one.all.runs, one.refused.runs) for name, one in found.months.items()} == {"2026-01": (2, 1), "2026-03": (1, 1)}
    assert found.months["2026-01"].all.money == (Money(Decimal("5.00"), "EUR"),)
    assert {named: one.all.runs for named, one in found.owners.items()} == {("crm", "churn"): 2, ("ads", ""): 1, ("", ""): 1}


def test_waste_by_cause_and_the_runs_that_wasted_most():
    def waste(code, hours, cost):
        return {"code": code, "gpu_hours": hours, "cost": {"amount": cost, "currency": "EUR"}, "message": code}

    found = tally(
        {**entry("a"), "findings": [waste("TR203", 0.5, "1.25"), waste("TR112", 0.1, "0.25"), waste("TR401", 90.0, "225.00")]},
        {**entry("b"), "findings": [waste("TR203", 1.0, "2.50"), {"code": "TR101", "gpu_hours": None, "cost": None, "message": ""}]},
        {**entry("c"), "findings": []},
    )
    assert {code: (one.runs, one.gpu_hours, one.money) for code, one in found.wasted.items()} == {
        "TR203": (2, 1.5, (Money(Decimal("3.75"), "EUR"),)),
        "TR112": (1, 0.1, (Money(Decimal("0.25"), "EUR"),)),
        "TR401": (1, 90.0, (Money(Decimal("225.00"), "EUR"),)),
    }
    assert [(one["path"], one["findings"][0]["code"]) for one in found.offenders.listed()] == [("b", "TR203"), ("a", "TR203")]
