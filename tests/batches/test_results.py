"""Lines of results, and which of them count."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport import _resources, api
from trainreport.batches import results
from trainreport.errors import InputError
from trainreport.model.plan import Plan
from trainreport.reports.exports.json import as_dict

KEYS = ["path", "run_id", "inputs_digest", "version", "verdict", "next_step", "codes", "gpu_hours", "cost", "error"]
MORE = ["name", "team", "project", "started_at", "ended_at", "status", "energy_kwh", "goodput", "findings", "series", "terms"]


def line(path="a", digest="d", version="1", error=None, run="r"):
    told = {"path": path, "run_id": run, "inputs_digest": digest, "version": version, "error": error}
    return json.dumps({key: told.get(key) for key in KEYS})


def test_a_line_says_what_check_says():
    logs = _resources.folder("sample_runs") / "overfitting" / "logs"
    assessment = api.analyze(logs, logs.parent / "plan.toml").assessment
    [text] = results.lines(assessment, "team/run")
    told, whole = json.loads(text), as_dict(assessment)
    assert list(told) == KEYS + MORE
    assert told["path"] == "team/run"
    assert told["verdict"] == "no-go"
    assert told["next_step"] == "return-to-data-preparation"
    assert told["inputs_digest"] == whole["inputs_digest"]
    assert told["cost"] == whole["runs"][0]["compute"]["cost"]
    assert told["codes"] == sorted({finding["code"] for finding in whole["runs"][0]["findings"]})
    assert told["error"] is None
    run = whole["runs"][0]
    assert [told[key] for key in ("name", "started_at", "ended_at", "status", "goodput")] == [
        run[key] for key in ("name", "started_at", "ended_at", "status", "goodput")
    ]
    assert told["energy_kwh"] == run["compute"]["energy_kwh"]
    for brief, full in zip(told["findings"], run["findings"], strict=True):
        assert [brief[key] for key in ("code", "severity", "confidence", "message")] == [
            full[key] for key in ("code", "severity", "confidence", "message")
        ]
        assert brief["cost"] == (full["impact"] and full["impact"]["money"])
        if full["waste"]["gpu_s"] is not None:
            assert brief["gpu_hours"] == pytest.approx(full["waste"]["gpu_s"] / 3600)


def test_what_several_runs_show_stands_with_the_leading_one():
    logs = _resources.folder("sample_runs") / "search" / "logs"
    assessment = api.analyze(logs, logs.parent / "plan.toml").assessment
    told = [json.loads(text) for text in results.lines(assessment, ".")]
    assert len(told) == len(assessment.runs) > 1
    assert [one["run_id"] for one in told if "TR404" in one["codes"]] == [assessment.portfolio.best_run]


def test_team_and_project_are_the_plans_else_the_runs_own():
    logs = _resources.folder("sample_runs") / "overfitting" / "logs"
    assessment = api.analyze(logs).assessment
    run = assessment.runs[0].log.run
    tagged = replace(run, tags={"Team": "crm", "project": "churn"})
    one = replace(assessment.runs[0], log=replace(assessment.runs[0].log, run=tagged))
    told = json.loads(results.lines(replace(assessment, runs=(one,), plan=Plan(tags={"project": "next"})), "a")[0])
    assert (told["team"], told["project"]) == ("crm", "next")


def test_a_sunk_series_is_told_with_its_leader():
    logs = _resources.folder("sample_runs") / "search" / "logs"
    assessment = api.analyze(logs, logs.parent / "plan.toml").assessment
    told = [json.loads(text) for text in results.lines(assessment, ".")]
    [leader] = [one for one in told if one["series"] is not None]
    assert leader["series"]["runs"] == len(assessment.runs)
    assert "TR401" in leader["codes"]


def test_a_failure_has_every_key():
    told = json.loads(results.failure("team/Zürich \udcff", "1", "too long"))
    assert list(told) == KEYS + MORE
    assert told["path"] == "team/Zürich \udcff"
    assert (told["error"], told["verdict"], told["codes"]) == ("too long", None, [])


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="ascii"), max_size=200), max_size=5), st.integers(0, 400))
def test_repair_cuts_the_last_line_only(lines, cut):
    whole = "".join(f"{one}\n" for one in lines).encode()
    left = whole[: max(0, len(whole) - cut)]
    assert _repaired(left) == left[: left.rfind(b"\n") + 1]


def test_repair_of_a_last_line_longer_than_a_block():
    assert _repaired(b"a\n" + b"b" * 200_000) == b"a\n"
    assert _repaired(b"b" * 200_000) == b""


def _repaired(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines"
        path.write_bytes(data)
        results.repair(path)
        return path.read_bytes()


def test_a_line_that_is_none_is_named(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text(line() + '\n{"path": "b"}\n')
    with pytest.raises(InputError, match=r"results.jsonl:2: not a line of results: expected an object with path, run_id"):
        list(results.read(file))


def _blocks(*lines):
    blocks = results.Blocks()
    for text in lines:
        blocks.add(text, json.loads(text))
    return blocks


def test_the_last_judgement_of_a_job_counts():
    lines = [line(run="1"), line(run="2"), line("b"), line(digest="e", run="1"), line(digest="e", run="2")]
    blocks = _blocks(*lines)
    assert blocks.superseded
    assert [blocks.counts(place, json.loads(text)) for place, text in enumerate(lines)] == [False, False, True, True, True]
    assert not _blocks(*lines[:3]).superseded


def test_what_stands_there_is_not_written_again():
    lines = [line(run="1"), line(run="2"), line(run="3")]
    assert _blocks(*lines[:2]).new("a", lines) == lines[2:]
    assert _blocks(*lines).new("a", lines) == []
    changed = [line(digest="e", run="1")]
    assert _blocks(*lines, *changed).new("a", lines) == lines  # back in an earlier state: it counts again


def test_a_failure_is_not_judged():
    assert _blocks(line()).is_judged("a")
    assert not _blocks(line()).is_judged("b")
    assert not _blocks(line(digest=None, error="too long")).is_judged("a")
    assert not _blocks(line(), line(digest=None, error="too long")).is_judged("a")


def test_an_interrupt_finds_lines_whole(tmp_path):
    """A process that writes blocks of lines is interrupted at any time: no block is torn."""
    file = tmp_path / "lines"
    code = (
        "import sys; from pathlib import Path; from trainreport.batches.results import Log\n"
        "log = Log(Path(sys.argv[1])); print('ready', flush=True)\n"
        "while True: log.add(['a' * 5000, 'b' * 5000])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
        writer.stdout.readline()
        while not file.stat().st_size:
            pass
        writer.send_signal(signal.SIGINT)
        writer.wait()
    assert file.stat().st_size % 10_002 == 0
