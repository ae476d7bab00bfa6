"""Page 1 of the exam case: 98 % on training data, validation falling from 85 to 78 %, and the cost 40 % over."""

from __future__ import annotations

import re

import pytest
from scenarios.overfitting import SCENARIOS

from trainreport import reports

[EXAM] = [one for one in SCENARIOS if one.name == "the exam case"]


@pytest.fixture(scope="module")
def exam():
    return EXAM.assessed()


def shown(page, form):
    """Return the text of a page as a reader sees it."""
    text = page.decode()
    if form == "html":
        text = re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script|title)\b.*?</\1>", "", text))
    return re.sub(r"[\s*\u00a0]+", " ", text)


@pytest.fixture(scope="module", params=["markdown", "html"])
def page(request, exam):
    return shown(reports.render(exam, request.param, audience="sponsor"), request.param)


@pytest.mark.parametrize(
    "said",
    [
        "No-go",
        "Stop paying for training; decide about the data",  # no more compute; decide on the data
        "Found: overfitting with high confidence and over budget with high confidence",
        "it memorised what it trains on",
        "It reached 85 % in validation accuracy; 90 % was agreed",
        "More training will not close that gap, and the money is 40 % over budget",
        "Keep the checkpoint from step 1,600, agree a limit on the costs and choose how to improve the data before another run",
        "40 % over 20.00 EUR",
        "17.23 EUR after the best",  # 16 of 39 intervals of 28 EUR led to step 1,600: 28 * 24 / 39
        "62 % of the money came after",  # 24 / 39
    ],
)
def test_it_says(page, said):
    assert said in page


def test_going_on_is_not_advised_and_the_data_is(page):
    options = page[page.index("What we ask you to decide") :]
    names = ["Return to data preparation", "recommended", "Train longer", "not advised", "How sure is this?"]
    places = [options.index(name) for name in names]
    assert places == sorted(places)
    assert "Train longer · not advised" in options or "Train longer not advised" in options


@pytest.mark.parametrize("never", ["more GPUs", "Continue", "continue training", "promising"])
def test_it_never_says(page, never):
    assert never not in page


def test_page_1_says_the_same_in_the_whole_report(exam, page):
    whole = shown(reports.render(exam, "markdown"), "markdown")
    assert whole.index("Stop paying for training; decide about the data") < whole.index("What we ask you to decide")
    assert exam.decision.headline in page
    assert "Review the costs and agree a limit before any further run" in whole
