"""The public interface, as a notebook uses it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import trainreport as tr
from trainreport import _resources
from trainreport.errors import UsageError

SAMPLE = _resources.folder("sample_runs") / "overfitting"


@pytest.fixture(scope="module")
def analysis():
    return tr.analyze(SAMPLE / "logs", SAMPLE / "plan.toml")


def test_load_gives_the_frame_that_analyze_judges(analysis):
    pd.testing.assert_frame_equal(tr.load(str(SAMPLE / "logs")), analysis.frame)


def test_an_analysis_shows_itself(analysis):
    assert repr(analysis).startswith("<Analysis of 1 run(s): no-go, return-to-data-preparation · TR101")
    assert "Stop paying for training" in analysis._repr_html_()
    assert [finding.code for finding in analysis.findings][:2] == ["TR101", "TR301"]
    assert analysis.decision is analysis.assessment.decision


def test_the_suffix_says_the_format(analysis, tmp_path):
    written = analysis.report(tmp_path / "out.json")
    assert json.loads(written.read_text())["schema"] == "trainreport.assessment/1"
    assert analysis.report(tmp_path / "out.md", audience="sponsor").read_text().startswith("Training review for")
    with pytest.raises(UsageError, match="the suffix says the format"):
        analysis.report(tmp_path / "out.docx")


def test_the_plan_may_be_read_before(analysis):
    plan = tr.read_plan(SAMPLE / "plan.toml")
    assert tr.analyze([SAMPLE / "logs"], plan, as_of="2026-06-09T12:00:00Z").decision.rule == analysis.decision.rule


def test_one_run_cannot_be_compared():
    with pytest.raises(UsageError, match="comparing takes two or more"):
        tr.compare(SAMPLE / "logs")


def test_what_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        tr.analyse  # noqa: B018
    assert set(tr.__all__) <= set(dir(tr))
