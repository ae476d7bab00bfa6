"""``trainreport compare`` as its users run it, on the search that ships with trainreport."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from trainreport import _resources, api
from trainreport.cli import command_line
from trainreport.errors import InputError, UsageError

SAMPLES = _resources.folder("sample_runs")
SEARCH = SAMPLES / "search" / "logs", "--plan", SAMPLES / "search" / "plan.toml"


def call(*arguments):
    return CliRunner().invoke(command_line, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def comparison():
    return api.compare(SEARCH[0], SEARCH[2])


def test_the_text_ranks_groups_and_tells_chance():
    result = call("compare", *SEARCH)
    assert result.exit_code == 1  # the verdict over all is no-go
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0][:2] == ["■", "No-go"]
    ranked = [line[:3] for line in lines if line and line[0].isdigit() and len(line) > 8 and line[1].startswith("width")]
    assert [line[0] for line in ranked] == [str(place) for place in range(1, 9)]
    assert ranked[0] == ["1", "width-32-decay-0.002-seed-1", "84.8"]
    assert "All runs together took 33.60 CHF of 40.00 CHF agreed and 16.0 h of GPU time." in result.stdout
    for code in ("TR401", "TR405"):
        assert code in result.stdout


def test_json_holds_ranks_spread_and_what_differs():
    result = call("compare", *SEARCH, "--format", "json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["schema"]) == (1, "trainreport.comparison/1")
    assert data["differing"] == ["hidden", "weight_decay"]
    assert [(group["n"], len(group["runs"])) for group in data["groups"]] == [(2, 2)] * 4
    for group in data["groups"]:
        values = [run["value"] for run in data["runs"] if run["name"] in group["runs"]]
        assert group["mean"] == pytest.approx(sum(values) / 2)
        assert group["sd"] == pytest.approx(abs(values[0] - values[1]) / 2**0.5)
    assert data["noise"]["repeated"] is True
    assert data["to_stop"] == []
    assert {run["cost"]["amount"] for run in data["runs"]} == {"4.20"}
    assert {"TR401", "TR405"} <= set(data["codes"])


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_every_format_names_every_run(form, comparison):
    result = call("compare", *SEARCH, "--format", form)
    assert result.exit_code == 1
    for one in comparison.assessment.runs:
        assert one.log.run.name in result.stdout


def test_html_is_one_page_without_links_to_nowhere():
    class Page(HTMLParser):
        ids, targets = set(), set()

        def handle_starttag(self, tag, attrs):
            given = dict(attrs)
            self.ids |= {given["id"]} if "id" in given else set()
            self.targets |= {given["href"][1:]} if given.get("href", "").startswith("#") else set()

    page = Page()
    page.feed(call("compare", *SEARCH, "--format", "html").stdout)
    assert page.targets <= page.ids


def test_fail_on_is_the_gate_of_check():
    assert call("compare", SEARCH[0]).exit_code == call("check", SEARCH[0]).exit_code
    assert call("compare", SEARCH[0], "--fail-on", "note").exit_code == 1


def test_one_run_is_no_comparison():
    result = call("compare", SAMPLES / "healthy" / "logs")
    assert isinstance(result.exception, UsageError)
    assert "there is one run only" in str(result.exception)


def test_a_missing_path_is_named():
    result = call("compare", "nowhere", "neither")
    assert isinstance(result.exception, InputError)


def test_the_frame_has_a_row_a_run(comparison):
    frame = comparison.frame
    assert list(frame["place"]) == list(range(1, 9))
    assert list(frame["value"]) == sorted(frame["value"], reverse=True)
    assert set(frame["param:hidden"]) == {"32", "48"}
    assert set(frame["criterion:accuracy"]) == {"missed"}
    assert frame["cost"].sum() == pytest.approx(33.60)


def test_a_notebook_shows_it(comparison):
    html = comparison._repr_html_()
    assert html.count("<tr") == 9
    assert "Pause the series" in html
    assert repr(comparison) == "<Comparison of 8 runs: no-go>"


def test_names_of_runs_are_text_in_a_notebook(made_hostile):
    assert "<script>" not in made_hostile._repr_html_()


@pytest.fixture
def made_hostile():
    from builders import log_of, training

    from trainreport.decisions.assess import assess
    from trainreport.model.plan import Plan

    logs = [log_of(training({"val_accuracy": [0.1, value]}, key=name), run_id=name) for name, value in (("<script>", 0.5), ("b", 0.6))]
    return api.Comparison(assess(logs, Plan()))
