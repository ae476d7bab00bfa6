"""Whole batches: every run has its line, whatever happens on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from batches.conftest import SAMPLES, lines, states

from trainreport import api
from trainreport.batches import runner
from trainreport.batches.terms import Terms


def page(output):
    return (output / "portfolio.html").read_text().replace("\u00a0", " ")


def test_each_run_has_a_line_that_says_what_check_says(tree, tmp_path):
    tree.events("team/a", "team/b")
    tree.store("mlruns")
    tree.text("broken", "events.out.tfevents.1.host", "x" * 100)
    out = tmp_path / "out"
    plan = SAMPLES / "plateau" / "plan.toml"
    summary = runner.run(tree.root / "team", out, Terms(plan=str(plan)), jobs=2)
    assert (summary.runs, summary.failed, summary.skipped) == (2, 0, 0)
    by_path = {one["path"]: one for one in lines(out)}
    assert set(by_path) == {"a", "b"}
    whole = api.analyze(tree.root / "team" / "a", plan).assessment
    assert by_path["a"]["inputs_digest"] == whole.inputs_digest
    assert by_path["a"]["verdict"] == whole.decision.verdict.value
    assert "<title>Portfolio of training runs</title>" in (out / "portfolio.html").read_text()


def test_a_folder_that_fails_is_a_line_and_ends_nothing(tree, tmp_path):
    tree.events("a", "c")
    record = (tree.root / "a" / "events.out.tfevents.1.host").read_bytes()[:40]
    tree.text("b", "events.out.tfevents.1.host", "")
    (tree.root / "b" / "events.out.tfevents.1.host").write_bytes(record)  # a header, and no number
    summary = runner.run(tree.root, tmp_path / "out", jobs=1)
    assert (summary.runs, summary.failed) == (2, 1)
    [failed] = [one for one in lines(tmp_path / "out") if one["error"] is not None]
    assert failed["path"] == "b"
    assert "nothing in it can be read" in failed["error"]
    assert "1 folder could not be judged" in page(tmp_path / "out")


def test_a_limit_of_time_and_of_memory(tree, tmp_path):
    tree.events("a")
    assert runner.run(tree.root, tmp_path / "time", time_limit_s=0.001).failed == 1
    assert lines(tmp_path / "time")[0]["error"] == "took longer than the limit of 0.001 s; --time-limit raises it"
    tree.gpu("a")
    log = tree.root / "a" / "gpu.csv"
    log.write_bytes(log.read_bytes() * (30_000_000 // log.stat().st_size))
    assert runner.run(tree.root, tmp_path / "memory", memory_limit_gib=0.01).failed == 1
    assert lines(tmp_path / "memory")[0]["error"] == "needed more memory than the limit of 0.01 GiB; --memory-limit raises it"


def test_resume_leaves_out_what_is_done_and_does_what_changed(tree, tmp_path):
    tree.events("a", "b")
    out = tmp_path / "out"
    runner.run(tree.root, out)
    before = states(out)
    again = runner.run(tree.root, out, resume=True)
    assert (again.runs, again.skipped) == (0, 2)
    assert states(out) == before

    file = tree.root / "a" / "events.out.tfevents.1.host"
    os.utime(file)  # touched, the content is the same: judged again, and not written twice
    touched = runner.run(tree.root, out, resume=True)
    assert (touched.runs, touched.skipped) == (1, 1)
    assert states(out) == before

    times = file.stat()
    file.write_bytes(file.read_bytes()[:-200])
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # its date set back
    runner.run(tree.root, out, resume=True)
    assert len(lines(out)) == 3
    old, new = (one for one in lines(out) if one["path"] == "a")
    assert old["inputs_digest"] != new["inputs_digest"]
    assert "2 training runs judged" in page(out)  # the last judgement counts

    changed = runner.run(tree.root, out, Terms(plan=str(SAMPLES / "plateau" / "plan.toml")), resume=True)
    assert (changed.runs, changed.skipped) == (2, 0)


def test_resume_tries_again_what_failed(tree, tmp_path):
    tree.events("a")
    out = tmp_path / "out"
    runner.run(tree.root, out, time_limit_s=0.001)
    assert runner.run(tree.root, out, resume=True).runs == 1
    assert [one["error"] is None for one in lines(out)] == [False, True]
    assert "could not be judged" not in page(out)


def test_resume_without_the_states_writes_nothing_twice(tree, tmp_path):
    tree.events("a", "b")
    out = tmp_path / "out"
    runner.run(tree.root, out)
    before = states(out)
    (out / ".batch.jsonl").unlink()
    with (out / "results.jsonl").open("r+b") as stream:
        stream.truncate(stream.seek(0, 2) - 10)  # killed in the middle of a line
    runner.run(tree.root, out, resume=True)
    assert states(out) == before


def test_a_damaged_line_of_the_states_means_judged_again(tree, tmp_path):
    tree.events("a", "b")
    out = tmp_path / "out"
    runner.run(tree.root, out)
    before = states(out)
    (out / ".batch.jsonl").write_bytes(b"\0\0\n" + (out / ".batch.jsonl").read_bytes().split(b"\n", 1)[1])
    again = runner.run(tree.root, out, resume=True)
    assert (again.runs, again.skipped) == (1, 1)
    assert states(out) == before


def test_another_version_judges_again(tree, tmp_path, monkeypatch):
    tree.events("a")
    runner.run(tree.root, tmp_path / "out")
    monkeypatch.setattr("trainreport._version.__version__", "0.0.1")
    assert runner.run(tree.root, tmp_path / "out", resume=True).skipped == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_the_middle_and_resumed_is_the_same_as_undisturbed(tree, tmp_path, how):
    tree.events(*(f"run{number:02}" for number in range(12)))
    runner.run(tree.root, tmp_path / "whole")
    out = tmp_path / "cut"
    command = [sys.executable, "-m", "trainreport", "batch", tree.root, "-o", out, "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (out / "results.jsonl").exists() or len((out / "results.jsonl").read_bytes().splitlines()) < 2:
            time.sleep(0.01)
        process.send_signal(how)
        _, told = process.communicate()  # until the workers have ended too
    assert "Traceback" not in told
    assert 2 <= len((out / "results.jsonl").read_bytes().splitlines()) < 12
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "--resume goes on from there" in told
        assert (out / "results.jsonl").read_bytes().endswith(b"}\n")
    summary = runner.run(tree.root, out, resume=True)
    assert summary.skipped >= 1
    assert states(out) == states(tmp_path / "whole")


def test_the_command(call, tree, tmp_path):
    tree.events("a")
    out = tmp_path / "out"
    code, text, _ = call("batch", tree.root, "-o", out, "--jobs", 1)
    assert (code, text) == (0, f"{out / 'results.jsonl'}: 1 run judged, 0 folders failed\n{out / 'portfolio.html'}\n")
    code, _, told = call("batch", tree.root, "-o", out)
    assert code == 4
    assert "--resume goes on with it, --force begins anew" in told
    assert "1 folder as it was" in call("batch", tree.root, "-o", out, "--resume")[1]
    assert call("batch", tree.root, "-o", out, "--force")[0] == 0
    assert len(lines(out)) == 1


def test_what_is_wrong_is_said_before_the_work(call, tree, tmp_path):
    tree.events("a")
    plan = tmp_path / "plan.toml"
    plan.write_text("[thresholds]\nTR999.x = 1\n")
    out = tmp_path / "out"
    assert call("batch", tmp_path / "gone", "-o", out)[0] == 4
    assert call("batch", tree.root, "-o", out, "--plan", plan)[0] == 2
    assert call("batch", tree.root, "-o", out, "--as-of", "yesterday")[0] == 2
    assert call("batch", tree.root, "-o", out, "--jobs", 0)[0] == 2
    assert not out.exists()
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, told = call("batch", empty, "-o", out)
    assert code == 4
    assert "no log is found in it" in told


def test_a_portfolio_of_somebody_else_is_not_replaced(call, tree, tmp_path):
    tree.events("a")
    (tmp_path / "portfolio.html").write_text("mine")
    assert call("batch", tree.root, "-o", tmp_path)[0] == 4
    assert (tmp_path / "portfolio.html").read_text() == "mine"
