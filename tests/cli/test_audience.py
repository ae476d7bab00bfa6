"""``trainreport report --for``: the files hold the parts of the audience, and no other word does."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from trainreport import _resources
from trainreport.cli import command_line, report
from trainreport.reports.audience import AUDIENCES

SAMPLE = _resources.folder("sample_runs") / "overfitting"


def call(*arguments):
    return CliRunner().invoke(command_line, [str(one) for one in arguments])


def test_the_choices_are_the_audiences():
    assert set(report.AUDIENCES) == set(AUDIENCES)


@pytest.mark.parametrize("audience", ["sponsor", "auditor"])
def test_the_file_holds_the_parts(tmp_path, audience):
    result = call("report", SAMPLE / "logs", "--plan", SAMPLE / "plan.toml", "--for", audience, "--format", "md", "-o", tmp_path / "out")
    assert result.exit_code == 1
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert ('<a id="method"></a>' in text) is (audience == "auditor")
    assert '<a id="risks"></a>' not in text


def test_without_it_the_report_is_for_all(tmp_path):
    call("report", SAMPLE / "logs", "--plan", SAMPLE / "plan.toml", "--format", "md", "-o", tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert all(f'<a id="{part}"></a>' in text for part in ("risks", "budget", "learning", "provenance", "sign"))


def test_nobody_else_is_known(tmp_path):
    result = call("report", SAMPLE / "logs", "--for", "board", "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()
