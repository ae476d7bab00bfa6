"""The formats that pipelines read: what is printed, and that the exit code does not depend on it."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from trainreport import _resources
from trainreport.cli import command_line

SAMPLES = _resources.folder("sample_runs")


def call(*arguments):
    return CliRunner().invoke(command_line, [str(one) for one in arguments])


def sample(name):
    return SAMPLES / name / "logs", "--plan", SAMPLES / name / "plan.toml"


def test_check_lists_its_formats():
    assert "[text|json|sarif|junit|markdown]" in call("check", "--help").stdout


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "markdown"])
def test_the_exit_code_is_the_same_in_every_format(form):
    assert call("check", *sample("overfitting"), "--format", form).exit_code == 1
    assert call("check", *sample("healthy"), "--format", form).exit_code == 0


def test_each_format_tells_the_same_findings():
    found = json.loads(call("check", *sample("overfitting"), "--format", "json").stdout)
    [run] = json.loads(call("check", *sample("overfitting"), "--format", "sarif").stdout)["runs"]
    suite = ET.fromstring(call("check", *sample("overfitting"), "--format", "junit").stdout.encode())[0]
    text = call("check", *sample("overfitting"), "--format", "markdown").stdout
    [one] = found["runs"]
    codes = [finding["code"] for finding in one["findings"]]
    assert "TR101" in codes
    assert [result["ruleId"] for result in run["results"]] == codes
    assert run["properties"]["decision"] == found["decision"]
    failed = {case.get("name").split()[0] for case in suite if case.find("failure") is not None}
    assert {f["code"] for f in one["findings"] if f["severity"] in ("major", "critical")} <= failed
    assert f"# {found['decision']['headline']}" in text
    assert all(code in text for code in codes)


def test_fail_on_moves_the_bar_of_junit():
    def failures(*more):
        return int(ET.fromstring(call("check", *sample("overfitting"), "--format", "junit", *more).stdout.encode()).get("failures"))

    assert failures("--fail-on", "critical") < failures() == failures("--fail-on", "major") < failures("--fail-on", "note")


@pytest.mark.parametrize("name", ["md", "markdown", "md,markdown"])
def test_report_writes_markdown(tmp_path, name):
    result = call("report", *sample("healthy"), "-o", tmp_path / "out", "--format", name)
    assert (result.exit_code, result.stdout.split()) == (0, [str(tmp_path / "out" / "report.md")])
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert text == call("check", *sample("healthy"), "--format", "markdown").stdout


def test_report_replaces_no_markdown_of_somebody_else(tmp_path):
    from trainreport.errors import OutputExistsError

    (tmp_path / "report.md").write_text("mine")
    result = call("report", *sample("healthy"), "-o", tmp_path, "--format", "md")
    assert isinstance(result.exception, OutputExistsError)
    assert (tmp_path / "report.md").read_text() == "mine"
