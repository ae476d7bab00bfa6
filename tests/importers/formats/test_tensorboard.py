from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from event_files import POINTER, VERSION, record, scalar, source
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from trainreport.errors import StrictError, TrainreportError
from trainreport.importers.formats.tensorboard import IMPORTER
from trainreport.importers.recording import Importer, Source


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
