"""plan.toml: the contract's example is read whole; every fault names its line and the nearest key."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from trainreport.errors import PlanError
from trainreport.model.money import Money
from trainreport.model.plan_reader import line_of, parse_plan, read_plan

FULL = """
[plan]
title = "Churn model, third round"
owner = "Customer analytics"
registered = 2026-11-01T09:00:00Z
display_zone = "Europe/Berlin"
[[criteria]]
id = "accuracy"
series = "accuracy"
threshold = 0.90
tolerance = 0.01
unit = "share"
chance = 0.50
baseline = 0.82
[budget]
money = "5000 EUR"
wall_time = "72 h"
deadline = 2026-12-15
[rates]
gpu_hour = { amount = "3.20 EUR", source = "price list", date = 2026-06-01 }
by_model = { "NVIDIA A100*" = "3.20 EUR", "Tesla T4" = "0.35 EUR" }
pue = 1.2
[training]
steps = 100000
gpus = 8
[tags]
team = "crm"
[history]
data_revisited = true
[thresholds]
TR201.low_share = 0.30
[[accepted]]
code = "TR207"
until = 2026-12-31
who = "Platform team"
why = "Fan replacement is scheduled"
"""


def faults(text):
    with pytest.raises(PlanError) as caught:
        parse_plan(text)
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_a_full_plan():
    plan = parse_plan(FULL)
    assert plan.registered == datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert plan.criteria[0].phase == "validation"
    assert plan.criteria[0].comparator == ">="
    assert plan.budget.money == Money(Decimal("5000"), "EUR")
    assert plan.budget.wall_time_s == 72 * 3600
    assert plan.budget.deadline == datetime(2026, 12, 15, 22, 59, 59, tzinfo=UTC)  # the day ends in Berlin
    assert plan.rates.gpu("NVIDIA A100-SXM4-80GB").price.amount == Decimal("3.20")
    assert plan.rates.gpu("Tesla T4").price.amount == Decimal("0.35")
    assert plan.rates.gpu("unheard of").date == date(2026, 6, 1)
    assert plan.thresholds == {("TR201", "low_share"): 0.30}
    assert plan.data_revisited is True
    assert plan.accepted[0].code == "TR207"
    assert plan.given


def test_an_empty_plan_is_a_plan():
    assert parse_plan("").criteria == ()


def test_unknown_key_names_line_and_nearest():
    [(line, message)] = faults('[plan]\ntitel = "x"\n')
    assert line == 2
    assert "did you mean 'title'?" in message


def test_unknown_table_names_line_and_nearest():
    [(line, message)] = faults("\n[bugdet]\nmoney = '3 EUR'\n")
    assert line == 2
    assert "did you mean 'budget'?" in message


def test_all_faults_are_named_at_once_each_with_its_line():
    found = faults(
        '[[criteria]]\nid = "a"\nseries = "loss"\nthreshold = "low"\n'
        '[[criteria]]\nid = "b"\nseries = "loss"\nthreshold = 1\nphase = "val"\n'
        "[rates]\npue = 0.5\n[budget]\nmoney = '3 euros'\n"
    )
    assert [line for line, _ in found] == [4, 9, 11, 13]


def test_missing_key_of_a_criterion_names_the_table():
    assert faults('[plan]\ntitle = "x"\n[[criteria]]\nid = "a"\nseries = "loss"\n')[0][0] == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[budget]\nmoney = '5 EUR'\n[rates]\ngpu_hour = '3 USD'\n", "never converted"),
        ("[training]\nsteps = 1.5\n", "whole number"),
        ("[training]\nsteps = 0\n", "more than 0"),
        ("[training]\nsteps = true\n", "expected a number"),
        ("[plan]\ndisplay_zone = 'Mars/Olympus'\n", "time zone"),
        ("[budget]\nwall_time = '72 hours'\n", "not a duration"),
        ("[budget]\nmoney = nan\n", "expected text"),
        ("[[accepted]]\ncode = 'TR207'\n", "until is missing"),
        ("plan = 3\n", "expected [plan]"),
        ("[criteria]\nid = 'a'\n", "expected [[criteria]]"),
        ("[thresholds]\nlow = 3\n", "TR201.low_share = 0.30"),
    ],
)
def test_impossible_values(text, expected):
    assert any(expected in message for _, message in faults(text))


def test_mandatory_criteria_cannot_mix_statistics():
    text = "".join(f'[[criteria]]\nid = "{name}"\nseries = "loss"\nthreshold = 1\nstatistic = "{name}"\n' for name in ("best", "final"))
    assert any("one checkpoint" in message for _, message in faults(text))


def test_broken_toml_names_the_line():
    assert faults("[plan]\ntitle = \n")[0][0] == 2


def test_missing_file_and_binary_file(tmp_path):
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan(tmp_path / "plan.toml")
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(PlanError, match="not UTF-8"):
        read_plan(tmp_path / "plan.toml")


def test_line_of_finds_the_key_in_the_right_table():
    text = '[a]\nx = 1\n[b]\nx = 2\n[[c]]\nx = 3\n[[c]]\n"x" = 4\n'
    assert [line_of(text, "a", "x"), line_of(text, "b", "x"), line_of(text, "c", "x", 0), line_of(text, "c", "x", 1)] == [2, 4, 6, 8]
