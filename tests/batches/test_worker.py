"""What the process that judges answers."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from batches.conftest import SAMPLES

from trainreport.batches import worker
from trainreport.batches.holder import Job, Settings
from trainreport.batches.terms import Basis, Terms
from trainreport.errors import InputError
from trainreport.model.plan import Plan


def answer(folder):
    return json.loads(worker._answer(Basis(Plan()), Settings("1"), Path(), json.dumps(asdict(Job(str(folder), "a", ""))).encode()))


def test_each_job_is_answered_by_a_line(tree):
    tree.events("a")
    settings = asdict(Settings("1", time_limit_s=60))
    jobs = [asdict(Job(str(tree.root / name), name, "")) for name in ("a", "gone")]
    told = []
    with subprocess.Popen([sys.executable, "-m", "trainreport.batches.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        for job in jobs:  # one at a time; the end of stdin is the end of the worker
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
            told.append(json.loads(process.stdout.readline()))
    assert json.loads(told[0]["lines"][0])["path"] == "a"
    assert "no such file or folder" in told[1]["error"]


@pytest.mark.parametrize("error", [MemoryError(), InputError("log: Cannot allocate memory")])
def test_want_of_memory_is_told_apart(monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(worker, "judge", broken)
    with pytest.raises(MemoryError):
        answer("x")


def test_want_of_memory_within_a_detector_too(monkeypatch):
    def broken(*_):
        raise MemoryError

    monkeypatch.setattr("trainreport.detectors.catalog.tr101_overfitting.Overfitting.check", broken)
    with pytest.raises(MemoryError):
        worker.judge(str(SAMPLES / "plateau" / "logs"), Job("", "a", ""), Basis(Plan()), Settings("1"))


def test_a_fault_of_ours_is_an_answer(monkeypatch):
    monkeypatch.setattr(worker, "judge", lambda *_: 1 / 0)
    assert answer("x") == {"error": "a fault of trainreport itself, ZeroDivisionError: division by zero"}


def test_a_worker_without_work_ends_by_itself(tree):
    settings = asdict(Settings("1", idle_s=1))
    with subprocess.Popen([sys.executable, "-m", "trainreport.batches.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stdout.read() == b""


def test_reports_are_written_where_the_job_lies(tree, tmp_path):
    tree.events("team/a")
    settings = Settings("1", Terms(reports=("html", "markdown")), output=str(tmp_path))
    worker.judge(str(tree.root / "team" / "a"), Job("", "team/a", ""), Basis(Plan()), settings)
    folder = tmp_path / "reports" / "team" / "a"
    assert sorted(file.name for file in folder.iterdir()) == ["report.html", "report.md"]
    assert (folder / "report.html").read_text().lower().startswith("<!doctype html>")
