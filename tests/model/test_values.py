"""Clock, units, money and words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest

from trainreport.errors import UsageError
from trainreport.model import clock, units, words
from trainreport.model.money import Money


def test_instants_are_utc():
    assert clock.parse_instant("2026-12-01T10:00:00+01:00") == datetime(2026, 12, 1, 9, tzinfo=UTC)
    assert clock.to_utc(datetime(2026, 12, 1, 10, tzinfo=timezone(timedelta(hours=8)))).hour == 2
    assert clock.iso(datetime(2026, 12, 1, 9, 0, 0, 250_000, tzinfo=UTC)) == "2026-12-01T09:00:00.25Z"
    assert clock.iso(datetime(2026, 12, 1, 9, tzinfo=UTC)) == "2026-12-01T09:00:00Z"


def test_no_plausible_wall_clock_is_no_time():
    assert clock.from_epoch_seconds(12.0) is None
    assert clock.from_epoch_seconds(float("nan")) is None
    assert clock.from_epoch_seconds(1_600_000_000.0) == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)


@pytest.mark.parametrize("text", ["tomorrow", "", "2026-13-01"])
def test_bad_instant(text):
    with pytest.raises(UsageError, match="ISO 8601"):
        clock.parse_instant(text)


def test_units():
    values, unit = units.to_canonical(np.array([15.0]), "MiB")
    assert (values[0], unit) == (15 * 1024**2, "B")
    values, unit = units.to_canonical(np.array([83.0]), "%")
    assert (values[0], unit) == (0.83, "1")


def test_money_is_decimal_and_never_converted():
    assert Money.parse("3.20 EUR").times(10.0).plain() == "32.00"
    assert Money.parse("1 240 EUR").amount == Decimal("1240")
    assert Money.parse("0.10 EUR").times(0.1).amount == Decimal("0.010")
    with pytest.raises(ValueError, match="one currency"):
        _ = Money.parse("1 EUR") + Money.parse("1 USD")
    for text in ("EUR 3", "3", "-3 EUR", "3 eur", "3,20 EUR"):
        with pytest.raises(ValueError, match="not an amount"):
            Money.parse(text)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.85, "85 %"),
        (0.0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.005, "0.5 %"),
        (1.4, "140 %"),
        (0.9997, "> 99.9 %"),
        (-0.12, "-12 %"),
        (52.0, "5,200 %"),
    ],
)
def test_percent(share, text):
    assert words.share(share) == text


def test_words():
    assert words.money(Money.parse("40 EUR")) == "40.00 EUR"
    assert words.money(Money.parse("1240.40 EUR")) == "1,240 EUR"
    assert words.money(Money.parse("0.001 EUR")) == "< 0.01 EUR"
    assert words.number(0.000012) == "1.2e-5"
    assert words.number(12_345.6) == "12,346"
    assert words.number(float("nan")) == "not a number"
    assert words.number(0.12345) == "0.123"
    assert words.measure(85.2, "accuracy") == words.measure(0.852, "accuracy") == "85 %"
    assert words.measure(2.5, "loss") == "2.5"
    assert words.duration(30) == "30 s"
    assert words.duration(36_000) == "10.0 h"
    assert words.series_words("f1", "validation") == "validation F1"
    assert words.joined(["a", "b", "c"]) == "a, b and c"
    assert words.joined(list("abcdefg"), most=3) == "a, b, c and 4 more"
    assert words.pair(0.8996, 0.90, shares=True) == ("89.96 %", "90.00 %")
    assert words.memory(15 * 1024**2) == "15.0 MiB"
    assert words.quantity(3.6e6, "J") == "1.0 kWh"
    assert words.plural(1, "step") == "1 step"
    assert words.fraction(0.34) == "a third"


def test_nanoseconds_keep_every_digit_and_refuse_what_is_no_clock():
    seconds = np.array([1_780_984_800.123456789, 0.0, -5.0, np.nan, np.inf, 1e18])
    ns = clock.nanoseconds(seconds)
    assert ns[0] == int(seconds[0]) * 10**9 + round((seconds[0] - int(seconds[0])) * 1e9)
    assert ns.tolist()[1:] == [0] + [clock.NOT_KNOWN_NS] * 4
    assert clock.span(ns)[0] == clock.span(ns)[1]
    assert clock.span(np.array([clock.NOT_KNOWN_NS, 0])) == (None, None)


def test_the_hour_that_a_clock_shows_twice():
    local = np.array(["2026-10-25T01:50", "2026-10-25T02:50", "2026-10-25T02:00", "2026-10-25T03:00"], dtype="datetime64[ns]").view(
        np.int64
    )
    utc = clock.local_to_utc(local, "Europe/Berlin").view("datetime64[ns]").astype("datetime64[m]").astype(str)
    assert utc.tolist() == ["2026-10-24T23:50", "2026-10-25T00:50", "2026-10-25T01:00", "2026-10-25T02:00"]


def test_a_number_stays_with_its_unit_at_a_line_end():
    assert words.wrapped("It fell to 46 % of it", 13) == ["It fell to", "46 % of it"]
    assert words.wrapped("- paid 44.85 EUR", 12, "", "  ") == ["- paid", "  44.85 EUR"]
