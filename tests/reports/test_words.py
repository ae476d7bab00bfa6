from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from trainreport.model.money import Money
from trainreport.reports import words


def plain(text):
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.85, "85 %"),
        (0.0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.004, "0.4 %"),
        (0.01, "1 %"),
        (0.995, "99.5 %"),
        (0.99951, "> 99.9 %"),
        (1.0, "100 %"),
        (1.4, "140 %"),
        (float("nan"), "not a number"),
        (float("inf"), "infinite"),
    ],
)
def test_shares(value, said):
    assert plain(words.share(value)) == said


@pytest.mark.parametrize(
    ("amount", "said"), [("40", "40.00 EUR"), ("99.994", "99.99 EUR"), ("1240.4", "1,240 EUR"), ("0.001", "< 0.01 EUR")]
)
def test_money(amount, said):
    assert plain(words.money(Money(Decimal(amount), "EUR"))) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(2.5, "2.5 s"), (45, "45 s"), (720, "12 min"), (36_000, "10.0 h"), (300 * 3600, "12.5 days"), (float("nan"), "not a number")],
)
def test_durations(seconds, said):
    assert plain(words.duration(seconds)) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (0.85, "0.85"), (1234.5, "1,234"), (1.2e-7, "1.2e-7"), (3e12, "3e12"), (-0.5, "−0.5"), (20_000, "20,000")]
)
def test_numbers(value, said):
    assert words.number(value) == said


def test_a_value_and_its_limit_never_read_the_same():
    assert tuple(map(plain, words.pair(0.8962, 0.90, shares=True))) == ("89.6 %", "90.0 %")
    assert tuple(map(plain, words.pair(0.85, 0.90, shares=True))) == ("85 %", "90 %")
    assert words.pair(0.60004, 0.6, shares=False) == ("0.60004", "0.6")


def test_a_moment_is_in_the_zone_of_the_plan():
    moment = datetime(2026, 6, 9, 20, 10, tzinfo=UTC)
    assert plain(words.moment(moment, "Europe/Berlin")) == "9 June 2026, 22:10 Berlin"
    assert plain(words.moment(moment, "UTC")) == "9 June 2026, 20:10 UTC"


def test_sizes_and_lists():
    assert plain(words.memory(16 * 2**30)) == "16.0 GiB"
    assert plain(words.energy(3.9)) == "3.9 kWh"
    assert words.joined(["a"]) == "a"
    assert words.joined(["a", "b", "c"]) == "a, b and c"
    assert words.joined(list("abcdefg"), 2) == "a, b and 5 more"
    assert words.fraction(1 / 3) == "a third"
    assert len(words.short("x" * 500, 60)) == 60
