from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.errors import InputError, StrictError
from trainreport.importers import load
from trainreport.importers.formats.mlflow_files import IMPORTER
from trainreport.importers.mlflow_store.metrics import NOT_KNOWN, MetricFile, Points, read_fast, read_metrics, read_plain
from trainreport.importers.recording import Importer, Recording, Source

META = """\
artifact_uri: file:///home/someone/mlruns/1/abc/artifacts
end_time: 1700000007000
experiment_id: '1'
lifecycle_stage: active
run_id: abc
run_name: first try
run_uuid: abc
source_version: ''
start_time: 1700000000000
status: 3
tags: []
"""


def store(root: Path, files: dict[str, str], meta: str = META) -> Source:
    """Write a run's folder and return its source."""
    run = root / "mlruns" / "1" / "abc"
    for name, text in {"meta.yaml": meta, **files}.items():
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(text, encoding="utf-8")
    return Source(run / "meta.yaml", "mlruns/1/abc/meta.yaml")


def read(root: Path, files: dict[str, str], meta: str = META) -> Recording:
    return IMPORTER.read(store(root, files, meta))


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("meta.yaml", META, True),
        ("meta.yaml", "experiment_id: '0'\nrun_uuid: abc\n", True),
        ("run.yaml", META, False),
        # an experiment, so that one without runs is named as what it is
        ("meta.yaml", "artifact_location: ./1\nexperiment_id: '1'\nlifecycle_stage: active\nname: Default\n", True),
        # a version of a registered model
        ("meta.yaml", "creation_timestamp: 1\ncurrent_stage: None\nname: m\nrun_id: abc\nversion: 1\n", False),
        # a dataset
        ("meta.yaml", "digest: d1\nname: iris\nsource_type: code\n", False),
        ("meta.yaml", "", False),
    ],
)
def test_recognises_runs_and_experiments_only(name: str, head: str, *, expected: bool) -> None:
    assert IMPORTER.recognises(Path(name), head.encode()) is expected


def test_metrics_keep_every_line_in_order(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        {
            "metrics/val_loss": "1700000002000 0.25 20\n1700000001000 0.5 10\n",
            "metrics/train/my loss 1.5": "1700000001000 1.5 10",
        },
    )
    frame = recording.frame
    assert frame["logged"].tolist() == ["train/my loss 1.5", "val_loss", "val_loss"]
    assert frame["value"].tolist() == [1.5, 0.25, 0.5]
    assert frame["step"].tolist() == [10, 20, 10]
    assert frame["series"].tolist()[1:] == ["loss", "loss"]
    assert frame["phase"].tolist() == ["train", "validation", "validation"]
    assert frame["time"].tolist()[1] == datetime(2023, 11, 14, 22, 13, 22, tzinfo=UTC)
    assert frame["file"].tolist() == ["mlruns/1/abc/metrics/train/my loss 1.5", *2 * ["mlruns/1/abc/metrics/val_loss"]]
    assert not recording.problems


def test_values_that_are_not_finite_stay(tmp_path: Path) -> None:
    text = "".join(f"1700000000000 {word} {step}\n" for step, word in enumerate(["nan", "inf", "-inf", "NaN", "Infinity", "-Infinity"]))
    frame = read(tmp_path, {"metrics/loss": text}).frame
    assert [str(value) for value in frame["value"]] == ["nan", "inf", "-inf", "nan", "inf", "-inf"]
    assert frame["flags"].tolist() == [1] * 6


def test_line_without_a_step_has_none(tmp_path: Path) -> None:
    frame = read(tmp_path, {"metrics/loss": "1700000000000 0.5\n1700000001000 0.25 3\n"}).frame
    assert frame["step"].isna().tolist() == [True, False]
    assert frame["step"].tolist()[1] == 3
    assert frame["value"].tolist() == [0.5, 0.25]


def test_line_with_a_dataset_keeps_its_step_and_gives_the_data_version(tmp_path: Path) -> None:
    recording = read(tmp_path, {"metrics/loss": "1700000000000 0.5 7 my data d41d8\n"})
    assert recording.frame["step"].tolist() == [7]
    assert recording.data_version == "d41d8"


def test_bad_lines_are_listed_and_good_ones_kept(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        {
            "metrics/acc": "1700000000000 0.5 1\n",
            "metrics/loss": "1700000000000 0.5 1\nhello\n1700000001000 tensor(1) 2\n\n1 2 3 4\n1700000002000 0.125 3\n",
        },
    )
    assert recording.frame["value"].tolist() == [0.5, 0.5, 0.125]
    assert [(problem.file, problem.place) for problem in recording.problems] == [
        ("mlruns/1/abc/metrics/loss", "line 2"),
        ("mlruns/1/abc/metrics/loss", "line 3"),
        ("mlruns/1/abc/metrics/loss", "line 5"),
    ]
    assert recording.problems[0].what == "found 'hello'; expected 'milliseconds value step'"
    reads = {one.name: (one.rows_read, one.rows_skipped) for one in recording.files}
    assert reads["mlruns/1/abc/metrics/loss"] == (2, 3)
    assert reads["mlruns/1/abc/metrics/acc"] == (1, 0)


def test_strict_raises_on_the_first_bad_line(tmp_path: Path) -> None:
    source = store(tmp_path, {"metrics/loss": "hello\n"})
    with pytest.raises(StrictError, match=r"mlruns/1/abc/metrics/loss: line 1: found 'hello'; expected"):
        IMPORTER.read(Source(source.path, source.name, strict=True))


def test_enormous_line_is_a_problem(tmp_path: Path) -> None:
    recording = read(tmp_path, {"metrics/loss": "1700000000000 0.5 1\n" + "7" * 1_100_000 + "\n1700000000000 0.25 2\n"})
    assert recording.frame["value"].tolist() == [0.5, 0.25]
    assert recording.problems[0].what.startswith("a line of 1100000 bytes")


def test_time_that_is_no_wall_clock_is_left_out(tmp_path: Path) -> None:
    recording = read(tmp_path, {"metrics/loss": "0 0.5 1\n1700000000000 0.25 2\n1700000000 0.125 3\n"})
    assert recording.frame["time"].isna().tolist() == [True, False, True]
    assert [problem.what[:24] for problem in recording.problems] == ["2 times such as 0; expec"]


def test_what_is_known_of_the_run(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        {
            "params/lr": "0.1",
            "params/model/Seed": "42",
            "params/data_seed": "7",
            "tags/mlflow.parentRunId": "parent1",
            "tags/mlflow.source.git.commit": "c0ffee\n",
            "tags/mlflow.note.content": "two\nlines",
            "tags/mlflow.runName": "other",
        },
    )
    assert (recording.key, recording.name, recording.kind, recording.folder) == ("abc", "first try", "training", "mlruns/1/abc")
    assert recording.status == "finished"
    assert recording.started_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert recording.ended_at == datetime(2023, 11, 14, 22, 13, 27, tzinfo=UTC)
    assert recording.params == {"data_seed": "7", "lr": "0.1", "model/Seed": "42"}
    assert recording.seed == "42"
    assert recording.parent == "parent1"
    assert recording.code_version == "c0ffee"
    assert recording.tags["mlflow.note.content"] == "two\nlines"
    assert recording.tags["meta.artifact_uri"].endswith("/artifacts")
    assert recording.data_version is None
    assert "mlruns/1/abc/metrics" in recording.covers
    assert not any("artifacts" in name for name in recording.covers)
    assert len(recording.frame) == 0
    assert {one.name for one in recording.files} >= {"mlruns/1/abc/meta.yaml", "mlruns/1/abc/params/lr"}


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("1", "running"),
        ("2", "unknown"),
        ("3", "finished"),
        ("4", "failed"),
        ("5", "killed"),
        ("KILLED", "killed"),
        ("FINISHED", "finished"),
        ("9", "unknown"),
    ],
)
def test_status(tmp_path: Path, written: str, status: str) -> None:
    assert read(tmp_path, {}, META.replace("status: 3", f"status: {written}")).status == status


def test_names_and_ids_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    recording = read(tmp_path, {}, "experiment_id: 1\nrun_uuid: 0123\nname: 2024-01-02\nlifecycle_stage: deleted\nsource_version: beef\n")
    assert (recording.key, recording.name, recording.code_version) == ("0123", "2024-01-02", "beef")
    assert [event.kind for event in recording.events] == ["deleted"]


def test_old_tags_inside_meta_are_read(tmp_path: Path) -> None:
    recording = read(tmp_path, {"tags/b": "2"}, META.replace("tags: []", "tags:\n- key: a\n  value: 1\n- odd"))
    assert (recording.tags["a"], recording.tags["b"]) == ("1", "2")


def test_dataset_of_the_inputs_gives_the_data_version(tmp_path: Path) -> None:
    source = store(tmp_path, {"inputs/i1/meta.yaml": "source_id: d1\nsource_type: DATASET\n", "inputs/i2/meta.yaml": "source_id: ../x\n"})
    dataset = tmp_path / "mlruns/1/datasets/d1/meta.yaml"
    dataset.parent.mkdir(parents=True)
    dataset.write_text("name: iris\ndigest: 0a1b\n")
    recording = IMPORTER.read(source)
    assert recording.data_version == "iris@0a1b"
    assert "mlruns/1/datasets/d1/meta.yaml" in recording.covers


def test_long_param_is_cut_and_said(tmp_path: Path) -> None:
    recording = read(tmp_path, {"params/config": "x" * 70_000})
    assert len(recording.params["config"]) == 65_536
    assert recording.problems[0].file == "mlruns/1/abc/params/config"


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    source = store(tmp_path, {"metrics/loss": "1700000000000 0.5 1\n"})
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "m").write_text("1700000000000 9 9\n")
    run = source.path.parent
    (run / "metrics" / "out").symlink_to(secret / "m")
    (run / "metrics" / "folder").symlink_to(secret)
    (run / "params").symlink_to(secret)
    (run / "metrics" / "again").symlink_to(run / "metrics" / "loss")
    recording = IMPORTER.read(source)
    assert recording.frame["logged"].tolist() == ["again", "loss"]
    assert recording.params == {}
    assert sorted(problem.file for problem in recording.problems) == [
        "mlruns/1/abc/metrics/folder",
        "mlruns/1/abc/metrics/out",
        "mlruns/1/abc/params",
    ]


@pytest.mark.parametrize("meta", ["[1, 2]", "run_id: [", "experiment_id: '1'\n", "[" * 5000])
def test_meta_that_cannot_be_used_names_the_file(tmp_path: Path, meta: str) -> None:
    with pytest.raises(InputError, match=r"mlruns/1/abc/meta\.yaml"):
        read(tmp_path, {}, meta)


def rows_of(points: Points) -> list[tuple[int, str, int]]:
    """Return points with values as text, so that NaN equals NaN."""
    return list(zip(points.millis.tolist(), map(repr, points.values.tolist()), points.steps.tolist(), strict=True))


FIELD = st.sampled_from(
    ["1", "-2", "0.5", "1e-5", "1E400", "nan", "-inf", "Infinity", "0x10", "nan(1)", "abc", "", "+1", "1_0", " ", "\t1", "٣", "9" * 20]
)
LINE = st.lists(FIELD, min_size=0, max_size=6).map(" ".join)


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r", "\n\n", ""])), max_size=5))
def test_fast_reader_agrees_with_the_plain_one(lines: list[tuple[str, str]]) -> None:
    file = MetricFile("m", "".join(line + end for line, end in lines).encode())
    fast, plain = read_fast([file]), read_plain(file)
    assert fast is None or (rows_of(fast) == rows_of(plain) and fast.counts.tolist() == plain.counts.tolist())
    assert plain.counts.tolist() == [len(plain.values)]


@given(st.lists(st.lists(st.tuples(st.integers(0, 2**41), st.floats(), st.integers(-5, 2**40)), max_size=4), max_size=4))
def test_every_value_comes_back(files: list[list[tuple[int, float, int]]]) -> None:
    texts = ["".join(f"{millis} {value} {step}\n" for millis, value, step in rows) for rows in files]
    points = read_metrics([MetricFile(str(place), text.encode()) for place, text in enumerate(texts)])
    assert points.counts.tolist() == [len(rows) for rows in files]
    assert rows_of(points) == [(millis, repr(value), step) for rows in files for millis, value, step in rows]
    assert not points.problems
    assert NOT_KNOWN not in points.steps


EXPERIMENT = "artifact_location: ./1\nexperiment_id: '1'\nlifecycle_stage: active\nname: churn\n"


def test_the_experiment_gives_its_name_and_is_covered(tmp_path: Path) -> None:
    source = store(tmp_path, {"metrics/loss": "1700000000000 0.5 1\n", "../meta.yaml": EXPERIMENT})
    assert IMPORTER.read(source).tags["mlflow.experiment"] == "churn"
    (tmp_path / "mlruns" / "0").mkdir()
    (tmp_path / "mlruns" / "0" / "meta.yaml").write_text(EXPERIMENT.replace("churn", "Default"))
    loaded = load([tmp_path])
    assert [one.path for one in loaded.skipped] == ["mlruns/0/meta.yaml"]
    assert "an experiment without runs" in loaded.skipped[0].reason
    assert "mlruns/1/meta.yaml" in [file.path for file in loaded.logs[0].run.files]


def test_runs_of_a_deleted_experiment_are_deleted(tmp_path: Path) -> None:
    recording = IMPORTER.read(store(tmp_path, {"../meta.yaml": EXPERIMENT.replace("active", "deleted")}))
    assert recording.tags["lifecycle_stage"] == "deleted"
    assert recording.events[0].message == "its experiment was deleted in MLflow; its files are still there"


def test_an_experiment_that_is_a_link_out_of_the_store_is_not_read(tmp_path: Path) -> None:
    source = store(tmp_path, {"metrics/loss": "1700000000000 0.5 1\n"})
    (tmp_path / "secret.yaml").write_text(EXPERIMENT)
    (tmp_path / "mlruns" / "1" / "meta.yaml").symlink_to(tmp_path / "secret.yaml")
    recording = IMPORTER.read(source)
    assert "mlflow.experiment" not in recording.tags
    assert "leads out" in recording.problems[0].what
