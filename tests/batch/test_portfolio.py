"""What the page of all runs says."""

from __future__ import annotations

import re

import pytest
from batch.conftest import entry, tally

from trainreport.batch import portfolio
from trainreport.batch.tally import MOST


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
