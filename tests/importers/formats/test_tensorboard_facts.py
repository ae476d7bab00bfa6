"""What an event file tells besides its scalars, and the file beside it."""

from __future__ import annotations

import pytest
from event_files import hparams, scalar, session, source
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.hparams.api_pb2 import Experiment, MetricName, Status
from tensorboard.plugins.hparams.plugin_data_pb2 import SessionEndInfo, SessionStartInfo

from trainreport.errors import StrictError
from trainreport.importers.formats.tensorboard import IMPORTER
from trainreport.importers.params import LARGEST_YAML
from trainreport.importers.recording import Source


def test_hyperparameters(tmp_path):
    start = SessionStartInfo()
    start.hparams["lr"].number_value = 0.001
    start.hparams["batch"].number_value = 32
    start.hparams["bf16"].bool_value = True
    start.hparams["optimizer"].string_value = "adam"
    recording = IMPORTER.read(source(tmp_path, hparams("_hparams_/session_start_info", session_start_info=start)))
    assert recording.params == {"lr": "0.001", "batch": "32", "bf16": "True", "optimizer": "adam"}


def test_what_the_experiment_says_is_kept_as_tags(tmp_path):
    experiment = Experiment(name="sweep", user="ann")
    experiment.metric_infos.add().name.CopyFrom(MetricName(group="validation", tag="accuracy"))
    start = SessionStartInfo(group_name="trial 3")
    events = [hparams("_hparams_/experiment", experiment=experiment), hparams("_hparams_/session_start_info", session_start_info=start)]
    tags = IMPORTER.read(source(tmp_path, *events)).tags
    assert tags == {
        "hparams.experiment": "sweep", "hparams.user": "ann", "hparams.metrics": "validation/accuracy", "hparams.group": "trial 3",
    }  # fmt: skip


def test_a_session_that_ends_as_it_begins_says_nothing_of_the_run(tmp_path):
    metric = scalar("hp_metric", 0, -1.0)
    assert IMPORTER.read(source(tmp_path, metric, *session(end_after=0.01))).status == "unknown"
    assert IMPORTER.read(source(tmp_path, *session(end_after=60.0))).status == "finished"  # Keras: the numbers are in other files


@pytest.mark.parametrize(("status", "expected"), [(Status.STATUS_SUCCESS, "finished"), (Status.STATUS_FAILURE, "failed")])
def test_status_counts_behind_the_numbers_only(tmp_path, status, expected):
    end = hparams("_hparams_/session_end_info", session_end_info=SessionEndInfo(status=status))
    number = scalar("loss", 0, 0.5)
    assert IMPORTER.read(source(tmp_path, number, end)).status == expected
    assert IMPORTER.read(source(tmp_path, end, number)).status == "unknown"


def test_texts_and_restarts_are_events(tmp_path):
    text = Event(wall_time=5.0, step=3)
    value = text.summary.value.add(tag="args/text_summary", tensor=TensorProto(dtype=7, string_val=[b"{}", b"a" * 100_000]))
    value.metadata.plugin_data.plugin_name = "text"
    events = IMPORTER.read(source(tmp_path, text, Event(wall_time=6.0, session_log=SessionLog(status=SessionLog.START)))).events
    assert [(event.kind, event.time_s) for event in events[:2]] == [("text", 5.0), ("restart", 6.0)]
    assert events[0].message.startswith("args/text_summary: {}\naaa")
    assert len(events[0].message) < 66_000


def test_arguments_written_as_json_are_hyperparameters(tmp_path):
    event = Event(wall_time=5.0)
    for tag, text in (
        ("args/text_summary", b'{"learning_rate": 5e-05, "seed": 42}'),
        ("model_config/text_summary", b'{"hidden_size": 768}'),
    ):
        value = event.summary.value.add(tag=tag, tensor=TensorProto(dtype=7, string_val=[text]))
        value.metadata.plugin_data.plugin_name = "text"
    recording = IMPORTER.read(source(tmp_path, event))
    assert recording.params == {"learning_rate": "5e-05", "seed": "42", "model_config/hidden_size": "768"}
    assert recording.seed == "42"


def test_versions_are_read_from_texts_of_one_line(tmp_path):
    event = Event(wall_time=5.0)
    for tag, text in (
        ("git_commit/text_summary", b"4f2a9c1"),
        ("data/version", b"v3"),
        ("revision", b"a note\nof two lines"),
    ):
        value = event.summary.value.add(tag=tag, tensor=TensorProto(dtype=7, string_val=[text]))
        value.metadata.plugin_data.plugin_name = "text"
    recording = IMPORTER.read(source(tmp_path, event))
    assert (recording.code_version, recording.data_version) == ("4f2a9c1", "v3")


def histogram(tag, step, **fields):
    return Event(wall_time=1.7e9 + step, step=step, summary=Summary(value=[Summary.Value(tag=tag, histo=HistogramProto(**fields))]))


def test_histograms_become_rows_in_the_order_of_the_file(tmp_path):
    fields = {"min": -3, "max": 4, "num": 2, "sum_squares": 25, "bucket_limit": [-2, 0, 5], "bucket": [1, 0, 1]}
    events = [
        scalar("loss", 0, 0.5),
        histogram("conv1.weight.grad", 0, **fields),
        scalar("loss", 1, 0.4),
        scalar("conv1.weight.grad/norm", 1, 7),
    ]
    recording = IMPORTER.read(source(tmp_path, *events))
    found = recording.frame[["logged", "series", "phase", "step", "value"]].to_numpy().tolist()
    assert found == [
        ["loss", "loss", "train", 0, 0.5],
        ["conv1.weight.grad/min", "gradient/min/conv1.weight", "train", 0, -3.0],
        ["conv1.weight.grad/max", "gradient/max/conv1.weight", "train", 0, 4.0],
        ["conv1.weight.grad/norm (reduced)", "gradient/norm/conv1.weight", "train", 0, 5.0],
        ["loss", "loss", "train", 1, pytest.approx(0.4)],
        ["conv1.weight.grad/norm", "conv1.weight.grad/norm", "train", 1, 7.0],
    ]
    why = {mapping.logged: mapping.why for mapping in recording.mappings}
    assert why["conv1.weight.grad/norm (reduced)"] == "root of the sum of squares that the histogram carries"


@pytest.mark.parametrize(
    ("tag", "series", "phase"),
    [("val/pr_curve", "average_precision", "validation"), ("Ankle Boot", "average_precision/ankle_boot", "train")],
)
def test_precision_recall_curves_become_their_average_precision(tmp_path, tag, series, phase):
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=6), TensorShapeProto.Dim(size=2)])
    value = Summary.Value(tag=tag, tensor=TensorProto(dtype=1, tensor_shape=shape, float_val=[0] * 8 + [0.5, 1.0, 1.0, 0.5]))
    value.metadata.plugin_data.plugin_name = "pr_curves"
    frame = IMPORTER.read(source(tmp_path, Event(wall_time=1.7e9, summary=Summary(value=[value])))).frame
    assert frame[["logged", "series", "phase", "value"]].to_numpy().tolist() == [[f"{tag}/average_precision", series, phase, 0.75]]


def test_lightnings_hyperparameters_beside_the_file(tmp_path):
    given = source(tmp_path, scalar("loss", 0, 0.5), name="v/version_0/events.out.tfevents.1")
    (given.path.parent / "hparams.yaml").write_text("lr: 0.1\nseed: 7\nnet: !!python/object:x.Y\n  width: 3\n")
    recording = IMPORTER.read(given)
    assert recording.params == {"lr": "0.1", "seed": "7", "net/width": "3"}
    assert recording.covers == ("v/version_0/hparams.yaml",)
    assert [file.name for file in recording.files] == ["v/version_0/events.out.tfevents.1", "v/version_0/hparams.yaml"]


def test_a_damaged_hparams_yaml_is_a_problem(tmp_path):
    given = source(tmp_path, scalar("loss", 0, 0.5), name="events.out.tfevents.1")
    (given.path.parent / "hparams.yaml").write_text("lr: ]\n")
    recording = IMPORTER.read(given)
    assert (len(recording.frame), recording.params) == (1, {})
    assert [(problem.file, "line 1" in problem.what) for problem in recording.problems] == [("hparams.yaml", True)]
    with pytest.raises(StrictError, match=r"hparams\.yaml"):
        IMPORTER.read(Source(given.path, given.name, strict=True))
    (given.path.parent / "hparams.yaml").write_text("a: " + "x" * LARGEST_YAML)
    assert ["larger than" in problem.what for problem in IMPORTER.read(given).problems] == [True]


def test_graphs_are_told(tmp_path):
    recording = IMPORTER.read(source(tmp_path, Event(wall_time=3.0, graph_def=b"x" * 100_000), scalar("loss", 0, 0.5)))
    assert [(event.kind, event.time_s) for event in recording.events] == [("graph", 3.0)]
    assert recording.problems == ()
