from __future__ import annotations

import struct
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.plugins.hparams.api_pb2 import Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from trainreport.errors import StrictError, TrainreportError
from trainreport.importers.formats.tensorboard import IMPORTER
from trainreport.importers.recording import Importer, Source
from trainreport.importers.tfevents.checksum import masked_crc32c

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
    assert [event.kind for event in recording.events] == ["notice"]


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


@pytest.mark.parametrize("tag", ["run_14h", "curves/run_14h"])
def test_add_scalars_children_belong_to_the_parent(tmp_path, tag):
    folder = f"logs/{tag.replace('/', '_')}_xsinx"
    recording = IMPORTER.read(source(tmp_path, scalar(tag, 0, 0.5), name=f"{folder}/events.out.tfevents.1"))
    assert (recording.key, recording.name, recording.folder) == ("logs", "logs", folder)
    assert recording.frame["logged"].tolist() == [f"{tag}/xsinx"]


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
