"""Charges from invoices in three forms, summed by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.billing import Charge, billed, read_charges
from trainreport.model.money import Money

NOON = datetime(2026, 6, 9, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FOCUS = """\
BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ResourceId,SkuId,Tags
0,3.20,EUR,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,i-1,gpu,"{""team"": ""crm"", ""Project"": ""churn""}"
3.20,,EUR,2026-06-09T13:00:00Z,2026-06-09T14:00:00Z,i-1,gpu,"{""team"": ""crm"", ""Project"": ""churn""}"
9.00,9.00,EUR,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,i-2,gpu,"{""team"": ""search""}"
""".splitlines()
AWS = """\
lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/UnblendedCost,lineItem/CurrencyCode,lineItem/ResourceId,\
savingsPlan/SavingsPlanEffectiveCost,resourceTags/user:Team
Usage,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,4.00,USD,i-1,,crm
SavingsPlanCoveredUsage,2026-06-09T13:00:00Z,2026-06-09T14:00:00Z,4.00,USD,i-1,2.50,crm
SavingsPlanNegation,2026-06-09T13:00:00Z,2026-06-09T14:00:00Z,-4.00,USD,,,crm
""".splitlines()
GOOGLE = """\
usage_start_time,usage_end_time,cost,currency,resource.name,sku.id,labels,credits
2026-06-09 12:00:00 UTC,2026-06-09 13:00:00 UTC,2.00,EUR,vm-1,A100,"[{""key"": ""team"", ""value"": ""crm""}]","[{""amount"": -0.5}]"
2026-06-09 13:00:00 UTC,2026-06-09 14:00:00 UTC,2.00,EUR,vm-1,A100,"[{""key"": ""team"", ""value"": ""crm""}]",[]
""".splitlines()


def test_focus_takes_effective_cost_and_falls_back_to_billed():
    charges, problems = read_charges(FOCUS)
    assert not problems
    bill = billed(charges, NOON, NOON + 2 * HOUR, {"Team": "crm", "project": "churn"})
    assert (bill.cost.plain(), bill.cost.currency, bill.charges, bill.split) == ("6.40", "EUR", 2, 0)
    assert (charges[0].resource, charges[0].sku) == ("i-1", "gpu")
    assert billed(charges, NOON, NOON + 2 * HOUR, {}).cost.plain() == "15.40"


def test_a_charge_counts_by_its_part_in_the_span():
    charges, _ = read_charges(FOCUS)
    bill = billed(charges, NOON + HOUR / 2, NOON + 1.25 * HOUR, {"team": "crm"})
    assert bill.cost.plain() == "2.40"  # half of 3.20 and a quarter of 3.20
    assert bill.split == 2
    assert billed(charges, NOON - 2 * HOUR, NOON - HOUR, {}) is None
    assert billed(charges, NOON, NOON + HOUR, {"team": "unknown"}) is None


def test_aws_commitments_are_counted_where_they_are_used():
    charges, problems = read_charges(AWS)
    assert not problems
    assert billed(charges, NOON, NOON + 2 * HOUR, {"team": "crm"}).cost == Money(Decimal("6.50"), "USD")


def test_aws_in_the_names_of_its_second_version():
    item = ("line_item_type", "usage_start_date", "usage_end_date", "unblended_cost", "currency_code")
    names = ",".join([*(f"line_item_{name}" for name in item), "resource_tags"])
    row = 'Usage,2026-06-09T12:00:00.000Z,2026-06-09T13:00:00.000Z,4.00,USD,"{""user_team"": ""crm""}"'
    charges, problems = read_charges([names, row])
    assert not problems
    assert charges[0].tags == {"team": "crm"}
    assert billed(charges, NOON, NOON + HOUR, {"team": "crm"}).cost.plain() == "4.00"


def test_google_credits_are_taken_off():
    charges, problems = read_charges(GOOGLE)
    assert not problems
    assert (charges[0].resource, charges[0].sku) == ("vm-1", "A100")
    assert billed(charges, NOON, NOON + 2 * HOUR, {"team": "crm"}).cost.plain() == "3.50"


def test_a_charge_without_a_length_counts_where_it_stands():
    fee = [Charge(NOON, NOON, Money(Decimal(5), "EUR"))]
    assert billed(fee, NOON, NOON + HOUR, {}).cost.plain() == "5.00"
    assert billed(fee, NOON - HOUR, NOON, {}) is None


def test_bad_lines_are_named_and_the_others_count():
    lines = [*FOCUS, "x,x,EUR,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,,,", "1,1,euro,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,,,"]
    charges, problems = read_charges([*lines, "1,1,EUR,yesterday,today,,,", "1,NaN,EUR,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,,,"])
    assert len(charges) == 3
    assert [problem.partition(":")[0] for problem in problems] == ["line 5", "line 6", "line 7", "line 8"]
    assert problems[:2] == ["line 5: a cost that is no number", "line 6: 'euro' is no currency"]


def test_other_files_are_refused():
    with pytest.raises(ValueError, match="neither FOCUS"):
        read_charges(["step,loss", "1,2.0"])
    with pytest.raises(ValueError, match="neither FOCUS"):
        read_charges([])


def test_currencies_are_never_mixed():
    charges = [Charge(NOON, NOON + HOUR, Money(Decimal(1), currency)) for currency in ("EUR", "USD")]
    with pytest.raises(ValueError, match="cannot be added"):
        billed(charges, NOON, NOON + HOUR, {})


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50), st.integers(0, 1000)), min_size=1, max_size=10), st.integers(1, 150))
def test_two_halves_of_a_span_cost_what_the_whole_does(rows, cut):
    charges = [Charge(NOON + a * HOUR, NOON + (a + length) * HOUR, Money(Decimal(cost), "EUR")) for a, length, cost in rows]
    ends = (NOON, NOON + cut * HOUR, NOON + 200 * HOUR)
    whole = billed(charges, ends[0], ends[2], {}).cost.amount
    parts = [bill.cost.amount for bill in (billed(charges, *ends[:2], {}), billed(charges, *ends[1:], {})) if bill is not None]
    assert float(sum(parts)) == pytest.approx(float(whole))
    assert whole == sum(cost for _, _, cost in rows)
