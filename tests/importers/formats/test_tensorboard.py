from __future__ import annotations

import struct
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.hparams.api_pb2 import Experiment, MetricName, Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from trainreport.errors import StrictError, TrainreportError
from trainreport.importers import load
from trainreport.importers.formats.tensorboard import IMPORTER
from trainreport.importers.params import LARGEST_YAML
from trainreport.importers.recording import Importer, Source
from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.model.curve import curve

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"


def record(payload: bytes) -> bytes:
    header = struct.pack("<Q", len(payload))
    return header + struct.pack("<I", masked_crc32c(header)) + payload + struct.pack("<I", masked_crc32c(payload))


def scalar(tag: str, step: int, value: float, wall_time: float = 1.7e9) -> Event:
    return Event(wall_time=wall_time + step, step=step, summary=Summary(value=[Summary.Value(tag=tag, simple_value=value)]))


def source(tmp_path, *events, name="run/events.out.tfevents.1", data=None, strict=False):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(record(event.SerializeToString()) for event in events) if data is None else data)
    return Source(path, name, strict=strict)


VERSION = Event(wall_time=1.7e9, file_version="brain.Event:2")


def recognised(source):
    return IMPORTER.recognises(source.path, source.path.read_bytes()[:4096])


def test_keeps_the_contract():
    assert isinstance(IMPORTER, Importer)


def test_what_tensorboards_own_writer_wrote(tmp_path):
    writer = EventFileWriter(str(tmp_path / "run"))
    events = [scalar("train/loss", step, 1 / (step + 1)) for step in range(50)]
    for event in events:
        writer.add_event(event)
    writer.close()
    path = next((tmp_path / "run").iterdir())
    recording = IMPORTER.read(Source(path, f"run/{path.name}"))
    assert recording.frame["value"].tolist() == [event.summary.value[0].simple_value for event in events]
    assert recording.frame["step"].tolist() == list(range(50))
    assert set(recording.frame["series"]) == {"loss"}
    assert recording.problems == ()
    assert (recording.key, recording.name, recording.kind) == ("run", "run", "training")
    assert recording.started_at == datetime.fromtimestamp(1.7e9, UTC)
    assert recording.ended_at == datetime.fromtimestamp(1.7e9 + 49, UTC)


def test_times_keep_every_digit_written(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 1.0, wall_time=1700000000.1234567)))
    assert recording.frame["time"].astype("int64").tolist() == [1700000000 * 10**9 + round((1700000000.1234567 - 1700000000) * 1e9)]


def test_times_that_are_none(tmp_path):
    events = [scalar("loss", 0, 1.0, wall_time=time) for time in (float("nan"), float("inf"), -1e300)]
    assert IMPORTER.read(source(tmp_path, *events)).frame["time"].isna().all()


def test_recognised_by_content_whatever_the_name(tmp_path):
    assert recognised(source(tmp_path, VERSION, name="anything.bin"))


@pytest.mark.parametrize("data", [b"", b"\x18", POINTER, b"\xff" * 50 + record(VERSION.SerializeToString())])
def test_recognised_by_name_where_the_content_is_missing_or_damaged(tmp_path, data):
    assert recognised(source(tmp_path, data=data))
    assert not recognised(source(tmp_path, data=data, name="run/other"))


@pytest.mark.parametrize("data", [b"step,loss\n1,0.5\n", record(b"\x0a\x05hello"), bytes(4096)])
def test_other_files_are_not_recognised(tmp_path, data):
    assert not recognised(source(tmp_path, data=data, name="run/data"))


@pytest.mark.parametrize(("data", "what"), [(POINTER, "git lfs pull"), (b"", "empty")])
def test_nothing_in_the_file_is_a_problem(tmp_path, data, what):
    recording = IMPORTER.read(source(tmp_path, data=data))
    assert len(recording.frame) == 0
    assert [what in problem.what for problem in recording.problems] == [True]
    with pytest.raises(StrictError, match=what):
        IMPORTER.read(source(tmp_path, data=data, strict=True))


def test_a_file_with_its_version_only_is_noted(tmp_path):
    recording = IMPORTER.read(source(tmp_path, VERSION))
    assert (len(recording.frame), recording.problems) == (0, ())
    assert [(event.kind, "version only" in event.message) for event in recording.events] == [("notice", True)]


def test_a_file_of_images_is_not_called_empty(tmp_path):
    image = Event(summary=Summary(value=[Summary.Value(tag="x", image=Summary.Image(encoded_image_string=b"png"))]))
    assert [event.message for event in IMPORTER.read(source(tmp_path, image)).events] == ["the file holds no scalars"]


def test_cut_at_every_byte_each_record_before_the_cut_is_read(tmp_path):
    records = [record(event.SerializeToString()) for event in [VERSION, *(scalar("loss", step, 0.5) for step in range(20))]]
    ends = np.cumsum([len(part) for part in records])
    whole = b"".join(records)
    for cut in range(len(whole) + 1):
        recording = IMPORTER.read(source(tmp_path, data=whole[:cut]))
        complete = int((ends <= cut).sum())
        assert len(recording.frame) == max(complete - 1, 0)
        at = int(ends[complete - 1]) if complete else 0
        assert [problem.place for problem in recording.problems] == ([f"byte {at}"] if 0 < cut != at else [""] if not cut else [])


def test_a_damaged_record_costs_itself_only(tmp_path):
    records = [record(scalar("loss", step, 0.5).SerializeToString()) for step in range(40)]
    records[7] = records[7][:20] + b"\xee" + records[7][21:]
    recording = IMPORTER.read(source(tmp_path, data=b"".join(records)))
    assert recording.frame["step"].tolist() == [step for step in range(40) if step != 7]
    assert [problem.place for problem in recording.problems] == [f"byte {sum(map(len, records[:7]))}"]
    assert recording.files[0].rows_skipped == 1
    with pytest.raises(StrictError, match="byte"):
        IMPORTER.read(source(tmp_path, data=b"".join(records), strict=True))


@settings(max_examples=200, deadline=None)
@given(flips=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=20), strict=st.booleans())
def test_flipped_bytes_never_raise_anything_else(tmp_path_factory, flips, strict):
    tmp_path = tmp_path_factory.mktemp("flip")
    text = Event(wall_time=1.0, summary=Summary(value=[Summary.Value(tag="t", tensor=TensorProto(dtype=7, string_val=[b"x"]))]))
    events = [VERSION, text, *(scalar(tag, step, 0.5) for step in range(20) for tag in ("loss", "accuracy"))]
    data = bytearray(b"".join(record(event.SerializeToString()) for event in events))
    for place, byte in flips:
        data[place % len(data)] = byte
    given = source(tmp_path, data=bytes(data), strict=strict)
    try:
        recording = IMPORTER.read(given)
    except TrainreportError:
        assert strict
    else:
        assert len(recording.frame) <= 40


def test_keras_folders_tell_the_phase(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("epoch_loss", 0, 0.5), name="logs/validation/events.out.tfevents.1.v2"))
    assert recording.key == "logs/validation"
    assert recording.frame["phase"].tolist() == ["validation"]


def test_catboost_names_its_folders_learn_and_test(tmp_path):
    event = scalar("RMSE", 0, 0.5)
    event.wall_time = 1.7e9
    recording = IMPORTER.read(source(tmp_path, event, name="catboost_info/learn/events.out.tfevents"))
    assert (recording.frame["series"].tolist(), recording.frame["phase"].tolist()) == (["rmse"], ["train"])


def test_without_a_file_of_the_writer_above_a_folder_is_a_run_of_its_own(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name="runs/loss_lr0.1/events.out.tfevents.1"))
    assert (recording.key, recording.frame["logged"].tolist()) == ("runs/loss_lr0.1", ["loss"])


@pytest.mark.parametrize(
    ("tag", "folder"),
    [
        ("run_14h", "logs/run_14h_xsinx"),
        ("curves/run_14h", "logs/curves_run_14h_xsinx"),
        ("run_14h", "logs/run_14h/xsinx"),  # tensorboardX
        ("curves/run_14h", "logs/curves/run_14h/xsinx"),
    ],
)
def test_add_scalars_children_belong_to_the_parent(tmp_path, tag, folder):
    source(tmp_path, VERSION, name="logs/events.out.tfevents.0")
    recording = IMPORTER.read(source(tmp_path, scalar(tag, 0, 0.5), name=f"{folder}/events.out.tfevents.1"))
    assert (recording.key, recording.name, recording.folder) == ("logs", "logs", folder)
    assert recording.frame["logged"].tolist() == [f"{tag}/xsinx"]


def test_add_scalars_in_the_given_folder(tmp_path):
    source(tmp_path, VERSION, name="events.out.tfevents.0")
    for folder in ("loss_a", "loss/a"):
        recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name=f"{folder}/events.out.tfevents.1"))
        assert (recording.key, recording.frame["logged"].tolist()) == (".", ["loss/a"])


def test_the_top_folder_is_named_as_on_disk(tmp_path):
    recording = IMPORTER.read(source(tmp_path, scalar("loss", 0, 0.5), name="events.out.tfevents.1"))
    assert (recording.key, recording.name) == (".", tmp_path.name)


def hparams(tag, **data) -> Event:
    event = Event(wall_time=1.7e9)
    value = event.summary.value.add(tag=tag)
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = HParamsPluginData(**data).SerializeToString()
    return event


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


def session(*, end_after: float, tag: str = "loss"):
    """Return a session of hyperparameters that ends some seconds after it began."""
    start = SessionStartInfo()
    start.hparams["lr"].number_value = 0.5
    begin = hparams("_hparams_/session_start_info", session_start_info=start)
    end = hparams("_hparams_/session_end_info", session_end_info=SessionEndInfo(status=Status.STATUS_SUCCESS))
    end.wall_time += end_after
    return begin, end


def test_a_session_that_ends_as_it_begins_says_nothing_of_the_run(tmp_path):
    metric = scalar("hp_metric", 0, -1.0)
    assert IMPORTER.read(source(tmp_path, metric, *session(end_after=0.01))).status == "unknown"
    assert IMPORTER.read(source(tmp_path, *session(end_after=60.0))).status == "finished"  # Keras: the numbers are in other files


def test_final_metrics_of_add_hparams_are_no_restart_of_their_curves(tmp_path):
    events = [*session(end_after=0), scalar("accuracy", 0, 0.9)]
    recording = IMPORTER.read(source(tmp_path, *events, name="a/1671085786.32/events.out.tfevents.2"))
    assert recording.frame["logged"].tolist() == ["hparams/accuracy"]
    assert recording.frame["series"].tolist() == ["accuracy"]
    assert recording.params == {"lr": "0.5"}
    same_folder = IMPORTER.read(source(tmp_path, *events))
    assert same_folder.frame["logged"].tolist() == ["hparams/accuracy"]


def test_lightning_writes_its_session_first_and_then_trains(tmp_path):
    events = [*session(end_after=0), scalar("hp_metric", 0, -1.0), scalar("loss", 0, 0.9)]
    assert set(IMPORTER.read(source(tmp_path, *events)).frame["logged"]) == {"hp_metric", "loss"}
    curve = [*session(end_after=0), scalar("loss", 0, 0.9), scalar("loss", 1, 0.8)]
    assert set(IMPORTER.read(source(tmp_path, *curve)).frame["logged"]) == {"loss"}


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


def test_a_folder_of_four_processes_and_its_hyperparameters(tmp_path):
    for process in (11, 12, 13, 14):
        events = [scalar("loss", step, process + step) for step in range(10)]
        source(tmp_path, *events, name=f"run/events.out.tfevents.170000000{process % 10}.host.{process}.0")
    source(tmp_path, *session(end_after=0), scalar("loss", 0, 3.0), name="run/1700000009.25/events.out.tfevents.1700000009.host.11.1")
    (tmp_path / "run/hparams.yaml").write_text("depth: 3\n")
    loaded = load([tmp_path])
    [log] = loaded.logs
    assert loaded.skipped == ()
    assert log.run.params == {"depth": "3", "lr": "0.5"}
    assert [file.path for file in log.run.files].count("run/hparams.yaml") == 1
    ranks = log.frame.groupby("rank")["value"].first()
    assert ranks.to_dict() == {0: 11.0, 1: 12.0, 2: 13.0, 3: 14.0}
    assert set(log.frame["attempt"]) == {1}
    found = curve(log, "loss", "train")
    assert found.value.tolist() == [11.0 + step for step in range(10)]
    assert len(log.run.joins) == 2


def test_why_nothing_is_left_of_a_file_is_told(tmp_path):
    source(tmp_path, VERSION, name="a/events.out.tfevents.1")
    source(tmp_path, data=POINTER, name="b/events.out.tfevents.1")
    source(tmp_path, scalar("loss", 0, 0.5), name="c/events.out.tfevents.1")
    reasons = [one.reason for one in load([tmp_path]).skipped]
    assert ["version only" in reasons[0], "git lfs pull" in reasons[1]] == [True, True]


def test_a_restart_is_kept_and_flagged(tmp_path):
    first = [scalar("loss", step, 1.0) for step in range(10)]
    again = [scalar("loss", step, 0.5, wall_time=1.8e9) for step in range(5, 12)]
    source(tmp_path, *again, name="run/events.out.tfevents.1800000000.host.2.0")
    source(tmp_path, *first, name="run/events.out.tfevents.1700000000.host.1.0")
    [log] = load([tmp_path]).logs
    assert log.frame["attempt"].tolist() == [1] * 10 + [2] * 7
    assert log.frame["rank"].isna().all()
    assert curve(log, "loss", "train").value.tolist() == [1.0] * 5 + [0.5] * 7
