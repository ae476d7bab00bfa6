"""Workers that die, and how many of them there are."""

from __future__ import annotations

import shutil

from batches.conftest import SAMPLES, lines, states

from trainreport.batches import holder, runner


def test_a_worker_that_is_killed_costs_one_line(tree, tmp_path, monkeypatch):
    tree.events("a", "b", "c")
    give = holder.Worker.give

    def killed(worker, job):
        give(worker, job)
        if job.path == "b":
            worker._process.kill()

    monkeypatch.setattr(holder.Worker, "give", killed)
    summary = runner.run(tree.root, tmp_path / "out")
    assert (summary.runs, summary.failed) == (2, 1)
    [failed] = [one for one in lines(tmp_path / "out") if one["error"]]
    assert (failed["path"], failed["error"]) == ("b", "the worker ended early, exit code -9")


def test_one_job_or_two_give_the_same(tree, tmp_path):
    shutil.copytree(SAMPLES / "starved" / "logs", tree.root / "x")
    shutil.copytree(SAMPLES / "unstable" / "logs", tree.root / "y")
    runner.run(tree.root, tmp_path / "one")
    runner.run(tree.root, tmp_path / "two", jobs=2)
    assert states(tmp_path / "one") == states(tmp_path / "two")
