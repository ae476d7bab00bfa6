"""What README says is what trainreport does."""

from __future__ import annotations

import re
import shutil
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


def test_the_examples_of_the_library_run(tmp_path, monkeypatch):
    """Each line is run, in a folder with what they name; what a comment says of a value is its value."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    samples = README.parent / "sample_runs"
    shutil.copytree(samples / "overfitting" / "logs", tmp_path / "runs" / "churn-3")
    shutil.copy(samples / "overfitting" / "plan.toml", tmp_path)
    shutil.copytree(samples / "search" / "logs", tmp_path / "sweep")
    shutil.copy(samples / "search" / "plan.toml", tmp_path / "sweep")
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    shown = {}
    for line in "".join(blocks).splitlines():
        code, _, comment = (part.strip() for part in line.partition("  #"))
        if re.match(r"[a-z_]+ = |import ", code):
            exec(code, names)
        elif code:
            shown[code] = eval(code, names)
            assert not comment.startswith("<") or repr(shown[code]) == comment
    plt.close("all")
    assert shown["a.plot()"].get_ylabel() == "accuracy"
    assert len(shown["c.frame"]) == 8
    assert {"report.pdf", "sweep.html", "churn-3.zip"} < {file.name for file in tmp_path.iterdir()}
