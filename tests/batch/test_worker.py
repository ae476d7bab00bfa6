"""What the process that judges answers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from batch.conftest import SAMPLES

from trainreport.batch import worker
from trainreport.errors import InputError
from trainreport.model.plan import Plan


def answer(folder):
    return json.loads(worker._answer(Plan(), None, json.dumps({"folder": str(folder), "path": "a"}).encode()))


def test_each_job_is_answered_by_a_line(tree):
    tree.events("a")
    settings = {"plan": None, "as_of": None, "time_limit_s": 60, "memory_limit_gib": 4}
    jobs = [{"folder": str(tree.root / name), "path": name} for name in ("a", "gone")]
    told = []
    with subprocess.Popen([sys.executable, "-m", "trainreport.batch.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
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
        worker.judge(str(SAMPLES / "plateau" / "logs"), "a", Plan(), None)


def test_a_fault_of_ours_is_an_answer(monkeypatch):
    monkeypatch.setattr(worker, "judge", lambda *_: 1 / 0)
    assert answer("x") == {"error": "a fault of trainreport itself, ZeroDivisionError: division by zero"}
