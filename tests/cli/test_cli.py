"""The command line as its users run it: results, messages, exit codes, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

from trainreport import _resources
from trainreport.cli import COMMANDS, command_line

SAMPLES = _resources.folder("sample_runs")


def sample(name):
    return SAMPLES / name / "logs", "--plan", SAMPLES / name / "plan.toml"


def test_check_prints_the_decision(call):
    code, out, err = call("check", *sample("overfitting"))
    assert code == 1
    assert out.startswith("■ No-go · next: return to data preparation (rule 5)")
    assert "TR101 overfitting" in out
    assert err == ""


def test_check_json_is_the_contract(call):
    code, out, _ = call("check", *sample("healthy"), "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert data["schema"] == "trainreport.assessment/1"
    assert set(data) == {"schema", "trainreport", "inputs_digest", "redacted", "redactions", "runs", "portfolio", "decision"}
    [run] = data["runs"]
    assert data["decision"] == run["decision"]
    assert data["portfolio"] is None
    assert run["started_at"].startswith("2026-06-09T06:0")
    assert run["started_at"].endswith("Z")
    assert run["compute"]["cost"]["currency"] == "EUR"
    assert {file["importer"] for file in run["files"]} == {"tensorboard", "nvidia-smi", "mlflow"}


def test_fail_on(call):
    logs, option, plan = sample("mlflow_experiment")
    assert call("check", logs, option, plan)[0] == 0
    assert call("check", SAMPLES / "plateau" / "logs")[0] == 0  # no plan: cannot tell is no failure
    assert call("check", SAMPLES / "plateau" / "logs", "--fail-on", "major")[0] == 1
    assert call("check", SAMPLES / "healthy" / "logs", "--fail-on", "critical")[0] == 0


def test_cannot_tell_with_a_plan_is_3(call, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[criteria]]\nid = "bleu"\nseries = "bleu"\nthreshold = 30\n')
    assert call("check", SAMPLES / "healthy" / "logs", "--plan", plan)[0] == 3


def test_report_writes_what_was_asked_for(call, tmp_path):
    out = tmp_path / "out"
    code, text, _ = call("report", *sample("overfitting"), "-o", out, "--format", "html,json")
    assert code == 1
    assert text.split() == [str(out / "report.html"), str(out / "report.json")]
    assert json.loads((out / "report.json").read_text())["decision"]["rule"] == 5
    assert call("report", *sample("overfitting"), "-o", out, "--format", "html")[0] == 1  # an earlier report is replaced


def test_report_replaces_no_file_of_somebody_else(call, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    code, _, err = call("report", *sample("overfitting"), "-o", tmp_path, "--format", "html")
    assert code == 4
    assert "--force" in err
    assert (tmp_path / "report.html").read_text() == "mine"


def test_frame(call, tmp_path):
    logs = SAMPLES / "diverging" / "logs"
    assert call("frame", logs, "-o", tmp_path / "m.parquet")[0] == 0
    assert call("frame", logs, "-o", tmp_path / "m.csv")[0] == 0
    table = pd.read_parquet(tmp_path / "m.parquet")
    import pyarrow.parquet as pq

    assert pq.read_table(tmp_path / "m.parquet").column("value").null_count == 0  # NaN is written as NaN, not null
    assert table["value"].isna().sum() > 0
    text = pd.read_csv(tmp_path / "m.csv", keep_default_na=False)
    assert (text["value"] == "NaN").sum() == table["value"].isna().sum()
    assert list(text.columns) == list(table.columns)
    assert call("frame", logs, "-o", tmp_path / "m.csv")[0] == 4
    assert call("frame", logs, "-o", tmp_path / "m.csv", "--force")[0] == 0
    assert call("frame", logs, "-o", tmp_path / "m.xlsx")[0] == 2


def test_plan_new_and_check(call, tmp_path):
    plan = tmp_path / "plan.toml"
    assert call("plan", "new", plan)[0] == 0
    assert call("plan", "new", plan)[0] == 4  # never over what is there
    code, out, _ = call("plan", "check", plan)
    assert (code, "in order" in out) == (0, True)
    plan.write_text('[plan]\ntitel = "x"\n')
    code, _, err = call("plan", "check", plan)
    assert code == 2
    assert "plan.toml:2: [plan] titel: unknown key; did you mean 'title'?" in err


def test_explain_formats_doctor_demo(call, tmp_path):
    code, out, _ = call("explain", "tr101")
    assert code == 0
    assert "What it checks" in out
    assert "TR101  overfitting" in call("explain")[1]
    code, _, err = call("explain", "TR1O1")
    assert code == 2
    assert "did you mean" in err
    assert "nvidia-smi" in call("formats")[1]
    assert call("doctor")[0] == 0
    assert "overfitting" in call("demo", "--list")[1]
    assert call("demo", "nothing")[0] == 2


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_and_the_table_tells_the_same(command):
    result = CliRunner().invoke(command_line, [command, "--help"])
    assert result.exit_code == 0
    assert command_line.get_command(None, command).short_help == COMMANDS[command]


def test_bad_input_is_a_sentence_and_an_exit_code(call, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    (nothing / "notes.txt").write_text("hello")
    (nothing / "blob.csv").write_bytes(bytes(range(256)) * 40)
    (nothing / "cut.tfevents").write_bytes(b"\x18\x00\x00")
    for path, expected in ((tmp_path / "gone", "no such file"), (empty, "is empty"), (nothing, "nothing in it can be read")):
        code, out, err = call("check", path)
        assert code == 4
        assert expected in err
        assert out == ""
    assert call("check")[0] == 2
    assert call("chek", "x")[0] == 2
    assert "did you mean 'check'" in call("chek", "x")[2]
    assert call("check", SAMPLES / "healthy" / "logs", "--plan", tmp_path / "no.toml")[0] == 2
    assert call("check", SAMPLES / "healthy" / "logs", "--as-of", "yesterday")[0] == 2
    assert call("check", SAMPLES / "healthy" / "logs", "--source-zone", "Mars")[0] == 2
    assert call("report", SAMPLES / "healthy" / "logs", "--format", "docx", "-o", tmp_path / "r")[0] == 2


def test_a_truncated_event_file_keeps_its_good_records(call, tmp_path):
    whole = next((SAMPLES / "healthy" / "logs").glob("events*")).read_bytes()
    (tmp_path / "events.out.tfevents.1.host").write_bytes(whole[: len(whole) // 2 + 3])
    code, out, _ = call("check", tmp_path, "--format", "json")
    [run] = json.loads(out)["runs"]
    assert code == 0
    assert run["files"][0]["rows_read"] > 100
    assert run["problems"][0]["place"].startswith("byte ")
    assert call("check", tmp_path, "--strict")[0] == 4


def test_python_m_trainreport():
    out = subprocess.run([sys.executable, "-m", "trainreport", "--version"], capture_output=True, text=True, check=True)
    assert out.stdout.startswith("trainreport, version")
