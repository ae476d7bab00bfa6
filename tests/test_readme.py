"""What README says is what trainreport does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainreport.cli import COMMANDS
from trainreport.detectors import all_detectors

README = Path(__file__).resolve().parent.parent / "README.md"

pytestmark = pytest.mark.skipif(not README.is_file(), reason="README is not part of this installation")


def test_the_example_is_what_check_prints(monkeypatch, capsys):
    from trainreport.cli import main

    block = re.search(r"```\n\$ (trainreport check sample_runs/.+?)\n(.*?)\n```", README.read_text(), re.DOTALL)
    assert block is not None
    monkeypatch.chdir(README.parent)
    monkeypatch.setattr("sys.argv", block.group(1).split())
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.rstrip("\n") == block.group(2)


def test_every_code_is_in_the_table():
    listed = re.findall(r"^\| (TR\d{3}) \| (\S+) \| (\w+) \|", README.read_text(), re.MULTILINE)
    assert listed == [(one.code, one.name, one.severity.word) for one in all_detectors()]


def test_the_tables_follow_from_the_product():
    from benchmarks.readme import with_tables

    assert with_tables(README.read_text()) == README.read_text()  # python -m benchmarks.readme


def test_every_command_is_named_and_no_other():
    named = set(re.findall(r"(?:`|\$ )trainreport ([a-z]+)", README.read_text()))
    assert named == set(COMMANDS)


def test_the_plan_of_the_readme_is_a_plan():
    from trainreport.model.plan_reader import parse_plan

    block = re.search(r"```toml\n(.*?)```", README.read_text(), re.DOTALL)
    assert block is not None
    assert parse_plan(block.group(1)).criteria


def test_the_table_of_the_frame_is_the_schema():
    from trainreport.model.schema import COLUMNS

    listed = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", README.read_text(), re.MULTILINE)
    assert [(name, dtype, meaning) for name, dtype, meaning in listed] == [(one.name, one.dtype, one.meaning) for one in COLUMNS]
