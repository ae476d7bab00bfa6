"""Which of the runs that were read count."""

from __future__ import annotations

import pytest

from trainreport import api
from trainreport.errors import InputError, UsageError
from trainreport.importers import load

START = 1780984800000
META = """\
experiment_id: '{experiment}'
lifecycle_stage: {stage}
run_id: {run}
run_name: {name}
status: 3
start_time: {start}
end_time: {end}
"""


def run(root, experiment, run_id, name, *, stage="active", start=START, points=3):
    folder = root / experiment / run_id
    (folder / "metrics").mkdir(parents=True)
    (folder / "meta.yaml").write_text(
        META.format(experiment=experiment, run=run_id, name=name, stage=stage, start=start, end=start + 600_000)
    )
    (folder / "metrics" / "val_loss").write_text("".join(f"{start + 60_000 * n} {1 / (n + 1)} {n}\n" for n in range(points)))
    (root / experiment / "meta.yaml").write_text(
        f"artifact_location: .\nexperiment_id: '{experiment}'\nlifecycle_stage: active\nname: exp{experiment}\n"
    )


@pytest.fixture
def store(tmp_path):
    run(tmp_path, "1", "a" * 32, "first")
    run(tmp_path, "1", "b" * 32, "second")
    run(tmp_path, "2", "c" * 32, "first", start=START + 10**9)
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "abc"),
        ({"experiments": ["exp1"]}, "ab"),
        ({"experiments": ["2"]}, "c"),
        ({"experiments": ["1", "exp2"]}, "abc"),
        ({"runs": ["b" * 32]}, "b"),
        ({"runs": ["first"]}, "ac"),
        ({"runs": ["first"], "experiments": ["exp2"]}, "c"),
    ],
)
def test_runs_that_were_asked_for(store, asked, expected):
    loaded = load([store], **asked)
    assert "".join(log.run.id[0] for log in loaded.logs) == expected
    assert len(loaded.skipped) == (0 if expected == "abc" else 1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"runs": ["frist"]}, "run 'frist' is not in the logs; did you mean 'first'[?]; found: "),
        ({"experiments": ["exp3"]}, "experiment 'exp3' is not in the logs; did you mean 'exp2'[?]; found: 1, 2, exp1, exp2"),
        ({"runs": ["second"], "experiments": ["exp2"]}, "no run is of the experiment"),
    ],
)
def test_what_is_not_there_is_an_error_that_names_what_is(store, asked, message):
    with pytest.raises(UsageError, match=message):
        load([store], **asked)


def test_a_notebook_may_give_one_name(store):
    assert set(api.load(store, run="second").frame["run"]) == {"b" * 32}
    assert {one.log.run.name for one in api.analyze(store, experiment="exp2").assessment.runs} == {"first"}


def test_deleted_runs(tmp_path):
    run(tmp_path, "1", "a" * 32, "first", stage="deleted")
    with pytest.raises(InputError, match="was deleted in MLflow; --run reads it all the same"):
        load([tmp_path])
    [log] = load([tmp_path], runs=["first"]).logs
    assert log.events["kind"].tolist() == ["deleted"]


def test_of_two_copies_the_longer_is_read(tmp_path):
    run(tmp_path / "old", "1", "a" * 32, "first", points=2)
    run(tmp_path / "new", "1", "a" * 32, "first", points=5)
    for paths in ([tmp_path], [tmp_path / "old", tmp_path / "new"]):
        loaded = load(paths)
        assert [len(log.frame) for log in loaded.logs] == [5]
        assert "a copy of the one in" in loaded.skipped[0].reason


def test_a_gpu_log_stays_with_the_run_that_was_asked_for(store):
    rows = "".join(f"2026/06/09 06:{minute:02d}:00.000, 0, Tesla T4, 50 %, 1000 MiB\n" for minute in range(10))
    (store / "gpu.csv").write_text("timestamp, index, name, utilization.gpu [%], memory.used [MiB]\n" + rows)
    [log] = load([store], runs=["second"]).logs
    assert {file.importer for file in log.run.files} == {"mlflow", "nvidia-smi"}
