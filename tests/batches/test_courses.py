"""Series of runs that end in one no-go after the other."""

from __future__ import annotations

from decimal import Decimal

from batches.conftest import month, tally

from trainreport.model.money import Money


def test_a_streak_is_the_no_gos_up_to_the_last_run():
    course = ["no-go", "go", "no-go", "no-go", "no-go", "no-go"]
    [streak] = tally(*(month(at, verdict) for at, verdict in enumerate(course, 1))).courses.streaks()
    assert (streak.where, streak.since[:7], streak.until[:7], streak.took.runs) == ("p", "2026-03", "2026-06", 4)
    assert streak.took.money == (Money(Decimal("10.00"), "EUR"),)
    assert tally(*(month(at, verdict) for at, verdict in enumerate([*course, "go"], 1))).courses.streaks() == []
    assert tally(*(month(at, verdict) for at, verdict in enumerate(course[:-1], 1))).courses.streaks() == []
    by_project = tally(*(month(at, verdict, project="churn") for at, verdict in enumerate(course, 1))).courses.streaks()
    assert [one.where for one in by_project] == ["churn"]
