"""What all runs took and came to, added up by hand."""

from __future__ import annotations

from decimal import Decimal

from batch.conftest import entry, tally
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
