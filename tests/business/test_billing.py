"""Charges from invoices in three forms, summed by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from builders import log_of, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.billing import Charge, billed, read_charges, read_invoice
from trainreport.business.ledger import ledgers
from trainreport.decisions.assess import assess
from trainreport.errors import InputError, UsageError
from trainreport.model.money import Money
from trainreport.model.plan_reader import parse_plan

NOON = datetime(2026, 6, 9, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def span(first, last):
    """Return hours after noon as seconds since 1970."""
    return tuple((NOON + hour * HOUR).timestamp() for hour in (first, last))


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
    bill = billed(charges, span(0, 2), {"Team": "crm", "project": "churn"})
    assert (bill.cost.plain(), bill.cost.currency, bill.charges, bill.split) == ("6.40", "EUR", 2, 0)
    assert (charges[0].resource, charges[0].sku) == ("i-1", "gpu")
    assert billed(charges, span(0, 2), {}).cost.plain() == "15.40"


def test_a_charge_counts_by_its_part_in_the_span():
    charges, _ = read_charges(FOCUS)
    bill = billed(charges, span(0.5, 1.25), {"team": "crm"})
    assert bill.cost.plain() == "2.40"  # half of 3.20 and a quarter of 3.20
    assert bill.split == 2
    assert billed(charges, span(-2, -1), {}) is None
    assert billed(charges, span(0, 1), {"team": "unknown"}) is None


def test_aws_commitments_are_counted_where_they_are_used():
    charges, problems = read_charges(AWS)
    assert not problems
    assert billed(charges, span(0, 2), {"team": "crm"}).cost == Money(Decimal("6.50"), "USD")


def test_aws_in_the_names_of_its_second_version():
    item = ("line_item_type", "usage_start_date", "usage_end_date", "unblended_cost", "currency_code")
    names = ",".join([*(f"line_item_{name}" for name in item), "resource_tags"])
    row = 'Usage,2026-06-09T12:00:00.000Z,2026-06-09T13:00:00.000Z,4.00,USD,"{""user_team"": ""crm""}"'
    charges, problems = read_charges([names, row])
    assert not problems
    assert charges[0].tags == {"team": "crm"}
    assert billed(charges, span(0, 1), {"team": "crm"}).cost.plain() == "4.00"


def test_google_credits_are_taken_off():
    charges, problems = read_charges(GOOGLE)
    assert not problems
    assert (charges[0].resource, charges[0].sku) == ("vm-1", "A100")
    assert billed(charges, span(0, 2), {"team": "crm"}).cost.plain() == "3.50"


def test_a_charge_without_a_length_counts_where_it_stands():
    fee = [Charge(NOON, NOON, Money(Decimal(5), "EUR"))]
    assert billed(fee, span(0, 1), {}).cost.plain() == "5.00"
    assert billed(fee, span(-1, 0), {}) is None


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
        billed(charges, span(0, 1), {})


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50), st.integers(0, 1000)), min_size=1, max_size=10), st.integers(1, 150))
def test_two_halves_of_a_span_cost_what_the_whole_does(rows, cut):
    charges = [Charge(NOON + a * HOUR, NOON + (a + length) * HOUR, Money(Decimal(cost), "EUR")) for a, length, cost in rows]
    whole = billed(charges, span(0, 200), {}).cost.amount
    parts = [bill.cost.amount for bill in (billed(charges, span(0, cut), {}), billed(charges, span(cut, 200), {})) if bill is not None]
    assert float(sum(parts)) == pytest.approx(float(whole))
    assert whole == sum(cost for _, _, cost in rows)


def test_what_is_charged_while_two_runs_are_alive_is_split_between_them():
    charges, _ = read_charges(FOCUS[:2])
    both = [span(0, 1), span(0.5, 1)]
    first, second = (billed(charges, one, {}, both) for one in both)
    assert (first.cost.plain(), second.cost.plain()) == ("2.40", "0.80")  # half alone, half shared
    fee = [Charge(NOON, NOON, Money(Decimal(5), "EUR"))]
    assert billed(fee, span(0, 1), {}, [span(0, 1), span(0, 2)]).cost.plain() == "2.50"


def test_an_invoice_is_the_cost_in_place_of_rates(tmp_path):
    path = tmp_path / "invoice.csv"
    path.write_text("\n".join([*FOCUS, "x,x,EUR,2026-06-09T12:00:00Z,2026-06-09T13:00:00Z,,,"]))
    log = log_of(training({"loss": [3.0, 2.0, 1.0]}, seconds_per_step=1800, start=NOON))
    plan = parse_plan('[training]\ngpus = 1\n[rates]\ngpu_hour = "9 EUR"\n[tags]\nteam = "crm"\n')
    (priced,), (charged,) = ledgers([log], plan), ledgers([log], plan, invoice=read_invoice(path))
    assert (priced.cost.plain(), charged.cost.plain()) == ("9.00", "3.20")
    assert charged.basis["cost"].startswith("invoice invoice.csv (SHA-256 ")
    assert "1 charge in its time with the plan's tags" in charged.basis["cost"]
    assert "1 line could not be read, the first: line 5" in charged.basis["cost"]
    assert [device.cost for device in charged.devices] == [None]


def test_a_run_that_the_invoice_does_not_know_keeps_its_rates(tmp_path):
    path = tmp_path / "invoice.csv"
    path.write_text("\n".join(FOCUS))
    log = log_of(training({"loss": [3.0, 2.0, 1.0]}, seconds_per_step=1800, start=NOON - 9 * HOUR))
    (ledger,) = ledgers([log], parse_plan('[training]\ngpus = 1\n[rates]\ngpu_hour = "9 EUR"\n'), invoice=read_invoice(path))
    assert ledger.cost.plain() == "9.00"
    assert ledger.basis["cost"].endswith("the invoice invoice.csv has no charge for it")


def test_what_is_no_invoice_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.csv: no invoice that can be read"):
        read_invoice(tmp_path / "nothing.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no invoice that can be read"):
        read_invoice(tmp_path / "binary.csv")


def test_an_invoice_in_another_currency_is_refused(tmp_path):
    path = tmp_path / "invoice.csv"
    path.write_text("\n".join(AWS))
    log = log_of(training({"loss": [3.0, 2.0, 1.0]}, start=NOON))
    with pytest.raises(UsageError, match="charges in USD, the plan in EUR: amounts are never converted"):
        assess([log], parse_plan('[budget]\nmoney = "9 EUR"\n'), invoice=read_invoice(path))
