"""What the page of all runs says."""

from __future__ import annotations

import re

import pytest
from batches.conftest import entry, tally

from trainreport.batches import portfolio
from trainreport.batches.tally import MOST


def text(found):
    page = re.sub(r"(?s)<style>.*?</style>", "", portfolio.render(found))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ")


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


def test_months_teams_waste_and_series_are_told():
    waste = {"code": "TR203", "gpu_hours": 0.5, "cost": {"amount": "1.25", "currency": "EUR"}, "message": "It waited half of the time."}
    sunk = {**waste, "code": "TR401", "message": "The last 8 runs gained nothing."}
    more = {"team": "crm", "project": "churn", "goodput": {"productive": 0.75, "input_wait": 0.25}, "findings": [waste]}
    runs = [{**entry(f"r{at}", cost="100.00"), **more, "ended_at": f"2026-{at:02}-03T00:00:00Z"} for at in (7, 8, 10, 11)]
    leader = {**runs[0], "path": "search", "findings": [sunk], "series": {"runs": 12, "spent": {"amount": "900.00", "currency": "EUR"}}}
    said = text(tally(*runs, leader, {**entry("other", "go", cost="100.00"), "ended_at": "2026-11-09T00:00:00Z"}))
    assert "July 2026 to November 2026" in said
    assert "Training 75 % and Waiting for data 25 %. Known of 5 runs." in said
    assert "100 % more was spent in November 2026 than in the month before" in said
    assert re.search(r"October 2026 1 1 100 % 1 100 EUR August 2026", said)  # September without a run is no row
    assert "crm · churn: 83 % of all cost" in said
    assert re.search(r"Input pipeline starvation TR203 4 2 5\.00 EUR", said)
    assert "It waited half of the time." in said
    assert "2 series to pause until the root cause is known" in said
    assert re.search(r"search The last 8 runs gained nothing\. 12 900 EUR", said)
    assert re.search(r"churn 2026-07-03 to 2026-11-03 5 5 500 EUR", said)


def test_one_month_is_a_table_and_no_chart():
    page = portfolio.render(tally({**entry("a"), "ended_at": "2026-07-03T00:00:00Z"}))
    assert "month by month" in page
    assert "EUR a month" not in page


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


@pytest.mark.parametrize("verdict", ["go", "go-with-conditions", "not-yet", "no-go", "cannot-tell"])
def test_every_verdict_is_shown(verdict):
    assert portfolio.render(tally(entry(verdict=verdict)))
