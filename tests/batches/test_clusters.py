"""Engines of a cluster give the results of this machine; each is started for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from batches.conftest import charged, lines, states

from trainreport.batches import clusters, holder, runner
from trainreport.batches.holder import Job, Settings
from trainreport.batches.terms import Terms

RUNS = 12


def test_what_runs_on_the_cluster_keeps_one_worker(tree, monkeypatch):
    tree.events("a")
    started = []
    monkeypatch.setattr(clusters, "Worker", lambda settings: started.append(settings) or holder.Worker(settings))
    job, settings = Job(str(tree.root / "a"), "a", ""), Settings(runner._version.__version__)
    path, told = clusters.judged(job, settings)
    assert path == "a"
    assert json.loads(told["lines"][0])["path"] == "a"
    assert clusters.judged(job, settings) == (path, told)
    assert len(started) == 1
    clusters._THREAD.kept[1]._process.kill()  # as when it has ended for want of work
    assert clusters.judged(job, settings) == (path, told)
    assert len(started) == 2
    clusters._THREAD.kept[1].end()
    clusters._THREAD.kept = None


def test_another_version_on_the_cluster_is_refused():
    _, told = clusters.judged(Job("/nowhere", "a", ""), Settings("0.0.0"))
    assert "install the same everywhere" in told["error"]


def test_jobs_that_cannot_be_listed_end_the_batch_with_the_reason():
    def broken():
        yield Job("/a", "a", "")
        raise runner.InputError("the store is gone")

    there = clusters._Jobs(broken())
    assert [job.path for job in there] == ["a"]
    assert str(there.fault) == "the store is gone"
    assert [(job.path, told["error"]) for job, told in there.lost(OSError("no route"))] == [
        ("a", "the cluster gave no answer: OSError: no route")
    ]
    assert there.open == {}


class Cluster:
    """A stand-in for joblib's Parallel on a cluster that breaks down in some of its calls."""

    def __init__(self, *failing):
        self.failing, self.calls = failing, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __call__(self, tasks):
        self.calls += 1
        told = [(job.path, {"lines": [job.path]}) for job, _ in tasks]
        if self.calls in self.failing:
            raise ConnectionError("a node was lost")
        return told


@pytest.fixture
def joblib(monkeypatch):
    """Give a stand-in for joblib, by which two judge at the same time."""

    def put(*failing):
        cluster, module = Cluster(*failing), ModuleType("joblib")
        module.Parallel = lambda **_: cluster
        module.delayed = lambda _: lambda *given: given
        module.effective_n_jobs = lambda _: 2
        monkeypatch.setitem(sys.modules, "joblib", module)
        return cluster

    return put


def test_a_batch_that_was_lost_is_tried_again_then_told(joblib):
    def by(*failing):
        cluster = joblib(*failing)
        jobs = iter([Job(f"/{at}", str(at), "") for at in range(70)])
        told = {job.path: answer for job, answer in clusters._batched(clusters._Jobs(jobs), Settings("1"), "ray")}
        assert sorted(told, key=int) == [str(at) for at in range(70)]
        return cluster.calls, sum("error" in answer for answer in told.values())

    assert by() == (3, 0)
    assert by(2) == (4, 0)
    assert by(2, 3) == (4, 32)
    with pytest.raises(runner.InputError, match="the engine ray gave no answer: ConnectionError: a node was lost; what was judged is kept"):
        by(1, 2)


def test_the_command_says_what_is_missing_or_not_meant(call, tree, tmp_path, monkeypatch):
    tree.events("a")
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, told = call("batch", tree.root, "-o", tmp_path / "out", "--engine", "dask")
    assert (code, "pip install 'trainreport[dask]'" in told) == (4, True)
    assert call("batch", tree.root, "-o", tmp_path / "new", "--engine", "cloud")[0] == 2
    assert call("batch", tree.root, "-o", tmp_path / "new", "--address", "tcp://host:1")[0] == 2
    assert call("batch", tree.root, "-o", tmp_path / "new", "--reports", "docx")[0] == 2
    assert not (tmp_path / "new").exists()


@pytest.fixture
def here(tree, tmp_path):
    tree.events(*(f"team/run{number:02}" for number in range(RUNS)))
    tree.text("broken", "events.out.tfevents.1.host", "")
    whole = tree.root / "team" / "run00" / "events.out.tfevents.1.host"
    (tree.root / "broken" / "events.out.tfevents.1.host").write_bytes(whole.read_bytes()[:40])
    charged(tmp_path / "bill.csv", ("2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "1000000.00"))
    runner.run(tree.root, tmp_path / "here", Terms(billing=str(tmp_path / "bill.csv")), jobs=2)
    return states(tmp_path / "here")


def check(tree, tmp_path, here, engine, address=None):
    """Judge by an engine in a process of its own, so that nothing of it stays in this one; the invoice is given as it lies here."""
    out = tmp_path / engine
    command = [sys.executable, "-m", "trainreport", "batch", tree.root, "-o", out, "--engine", engine, "--jobs", "2"]
    command += ["--billing", "bill.csv", *(["--address", address] if address else [])]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"{RUNS} runs judged, 1 folder failed" in done.stdout
    assert states(out) == here
    assert len(lines(out)) == RUNS + 1
    assert len({one["cost"]["amount"] for one in lines(out) if not one["error"]}) == 1  # all ran at the same time, so each has its part


@pytest.fixture
def scheduler(tmp_path):
    """A Dask scheduler with two workers, each a process of its own; only its address is known here."""
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'trainreport[engines]'")
    code = (
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)\n"
        "    print(cluster.scheduler_address, flush=True); input(); cluster.close()\n"
    )
    file = tmp_path / "cluster.py"
    file.write_text(code)
    with subprocess.Popen([sys.executable, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.communicate("\n", timeout=60)


@pytest.mark.full
def test_dask_by_the_address_of_a_scheduler(tree, tmp_path, here, scheduler):
    assert scheduler.startswith("tcp://")
    check(tree, tmp_path, here, "dask", scheduler)


@pytest.mark.full
def test_dask_on_this_machine(tree, tmp_path, here):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'trainreport[engines]'")
    check(tree, tmp_path, here, "dask")


@pytest.mark.full
def test_ray(tree, tmp_path, here):
    if not (Path(sys.prefix) / "bin" / "ray").exists():  # importing it here would start threads
        pytest.skip("Ray is not installed: pip install 'trainreport[engines]'")
    check(tree, tmp_path, here, "ray")


@pytest.mark.full
def test_spark_in_its_local_mode(tree, tmp_path, here):
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'trainreport[engines]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    check(tree, tmp_path, here, "spark", "local[2]")


@pytest.mark.full
def test_a_cluster_that_is_not_there(call, tree, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'trainreport[engines]'")
    tree.events("a")
    where = ["--engine", "dask", "--address", "tcp://127.0.0.1:9"]
    command = [sys.executable, "-m", "trainreport", "batch", tree.root, "-o", tmp_path / "out", *where]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 4, done.stderr
    assert "dask at tcp://127.0.0.1:9 cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
