from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.errors import InputError
from trainreport.importers import load
from trainreport.importers.formats.mlflow_json import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

INFO = {
    "run_uuid": "abc",
    "run_id": "abc",
    "experiment_id": "1",
    "status": "FINISHED",
    "start_time": 1_700_000_000_000,
    "end_time": 1_700_000_060_000,
    "lifecycle_stage": "active",
    "artifact_uri": "dbfs:/x",
    "run_name": "first try",
}
HISTORY = {
    "val_loss": [{"value": 0.5, "timestamp": 1_700_000_001_000, "step": 10}, {"value": 0.25, "timestamp": 1_700_000_002_000, "step": 20}]
}
DATASETS = {"dataset_inputs": [{"dataset": {"name": "wine", "digest": "beef", "source": "x"}, "tags": []}]}
TEXTS = {"params": {"seed": "7"}, "tags": {"mlflow.source.git.commit": "f00", "mlflow.parentRunId": "p"}}
SYSTEM = {"package_version": "1.2.0", "script": "export_run.py", "mlflow_tracking_uri": "databricks"}
NEW = {"system": SYSTEM, "mlflow": {"info": INFO, "metrics": HISTORY, "inputs": DATASETS, **TEXTS}}
MIDDLE = {"export_info": {"mlflow_version": "1.26"}, "info": INFO, "metrics": HISTORY, **TEXTS}
OLD = {"info": INFO, "metrics": {"val_loss": 0.25}, **TEXTS}
REST = {
    "run": {
        "info": INFO,
        "data": {
            "metrics": [{"key": "val_loss", "value": "NaN", "timestamp": 1_700_000_002_000, "step": "20"}],
            "params": [{"key": "seed", "value": "7"}],
            "tags": [{"key": "mlflow.source.git.commit", "value": "f00"}, {"key": "mlflow.parentRunId", "value": "p"}],
        },
    }
}


def read(folder: Path, content: object) -> Recording:
    path = folder / "run.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return IMPORTER.read(Source(path, path.name))


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize("run", [NEW, MIDDLE, OLD, REST], ids=["new", "middle", "old", "rest"])
def test_every_form_gives_the_same_run(tmp_path: Path, run: dict) -> None:
    assert IMPORTER.recognises(Path("run.json"), json.dumps(run, indent=2).encode()[:4096])
    one = read(tmp_path, run)
    assert (one.key, one.name, one.status, one.seed) == ("abc", "first try", "finished", "7")
    assert (one.code_version, one.parent) == ("f00", "p")
    assert one.started_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert one.frame["phase"].tolist() == ["validation"] * len(one.frame)
    assert not one.problems


def test_whole_histories(tmp_path: Path) -> None:
    one = read(tmp_path, NEW)
    assert one.frame["value"].tolist() == [0.5, 0.25]
    assert one.frame["step"].tolist() == [10, 20]
    assert one.frame["time"].tolist()[0] == datetime(2023, 11, 14, 22, 13, 21, tzinfo=UTC)
    assert one.data_version == "wine@beef"
    assert one.events == ()


def test_last_values_only(tmp_path: Path) -> None:
    one = read(tmp_path, OLD)
    assert one.frame["step"].isna().all()
    assert one.events[0].kind == "notice"
    rest = read(tmp_path, REST).frame
    assert math.isnan(rest["value"].tolist()[0])
    assert rest["step"].tolist() == [20]


def test_the_experiment_is_named_beside_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "experiments" / "1" / "runs" / "abc"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(NEW))
    (tmp_path / "experiments" / "1" / "experiment.json").write_text(
        json.dumps({"mlflow": {"experiment": {"name": "churn"}, "runs": ["abc"]}})
    )
    loaded = load([tmp_path], experiments=["churn"])
    assert loaded.logs[0].run.tags["mlflow.experiment"] == "churn"
    assert loaded.skipped == ()


@pytest.mark.parametrize(
    "head", ["[]", "{}", '{"info": {"num_total_runs": 2}}', '{"mlflow": {"experiment": {"experiment_id": "1"}}}', "{" * 4096, "\x00"]
)
def test_other_json_is_not_recognised(head: str) -> None:
    assert not IMPORTER.recognises(Path("run.json"), head.encode())


@pytest.mark.parametrize(
    "content", ["{", "[]", "[" * 100_000, '{"info": 3}', '{"info": {"run_id": null}}', '{"info": {"run_id": {"a": 1}}}']
)
def test_what_holds_no_run_is_an_error(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        read(tmp_path, content)


def test_entries_that_are_no_points_are_listed(tmp_path: Path) -> None:
    metrics = {
        "loss": [{"value": 0.5, "step": 1}, {"value": None}, "x", 3, {"value": 1, "step": 1.5}, {"value": 1, "timestamp": 10**30}],
        "acc": {"a": 1},
    }
    one = read(tmp_path, {"info": INFO, "metrics": metrics, "params": 3, "tags": [3, {"key": "a"}]})
    assert one.frame["value"].tolist() == [0.5, 3.0]
    assert len(one.problems) == 5
    assert one.tags["a"] == ""


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@given(VALUES, VALUES, st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
@settings(max_examples=80, deadline=None)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, params: object, tags: object, metrics: object) -> None:
    one = read(tmp_path_factory.mktemp("any"), {"info": INFO, "metrics": metrics, "params": params, "tags": tags})
    assert one.key == "abc"


LARGEST = 1.7976931348623157e308  # stands for an infinity, see the next


@given(
    st.lists(
        st.tuples(st.floats().filter(lambda value: abs(value) != LARGEST), st.integers(0, 2**41), st.integers(-(2**60), 2**60)),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_every_value_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, int, int]]) -> None:
    metrics = {"loss": [{"value": value, "timestamp": millis, "step": step} for value, millis, step in rows]}
    frame = read(tmp_path_factory.mktemp("all"), {"info": INFO, "metrics": metrics}).frame
    assert [repr(value) for value in frame["value"]] == [repr(value) for value, _, _ in rows]
    assert frame["step"].tolist() == [step for _, _, step in rows]


def test_the_largest_float_is_an_infinity(tmp_path: Path) -> None:
    metrics = {"loss": [{"value": LARGEST, "timestamp": 1, "step": 1}, {"value": -LARGEST, "timestamp": 1, "step": 2}]}
    assert read(tmp_path, {"info": INFO, "metrics": metrics}).frame["value"].tolist() == [math.inf, -math.inf]
