"""The fast reader of event files finds what the plain one finds, on any mixture."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from event_files import record
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from trainreport.importers.tfevents import classes, columns
from trainreport.importers.tfevents.events import read_event
from trainreport.importers.tfevents.log import read_log


def rows(log):
    columns = log.columns
    bits = columns.values.view(np.uint64).tolist()
    times = columns.wall_times.view(np.uint64).tolist()
    return list(zip([log.tags[code] for code in log.codes], columns.steps.tolist(), bits, times, columns.places.tolist(), strict=True))


TAGS = st.sampled_from(["loss", "accuracy", "lr/group0", "größe", "x" * 200])
PLUGINS = st.sampled_from(["", "", "scalars", "histograms", "text"])
FLOATS = st.floats(width=32)


@st.composite
def values(draw, summary):
    kind = draw(st.sampled_from(["simple", "simple", "simple", "tensor", "content", "double", "text", "vector", "none"]))
    value = summary.value.add(tag=draw(TAGS))
    plugin = draw(PLUGINS)
    if plugin:
        value.metadata.plugin_data.plugin_name = plugin
    if kind == "simple":
        value.simple_value = draw(FLOATS)
    elif kind == "tensor":
        value.tensor.CopyFrom(TensorProto(dtype=1, float_val=[draw(FLOATS)]))
    elif kind == "content":
        value.tensor.CopyFrom(TensorProto(dtype=1, tensor_content=struct.pack("<f", draw(FLOATS))))
    elif kind == "double":
        value.tensor.CopyFrom(TensorProto(dtype=2, double_val=[draw(st.floats())]))
    elif kind == "text":
        value.tensor.CopyFrom(TensorProto(dtype=7, string_val=[draw(st.binary(max_size=9))]))
    elif kind == "vector":
        value.tensor.CopyFrom(TensorProto(dtype=1, float_val=[1.0, 2.0]))
        value.tensor.tensor_shape.dim.add(size=2)


@st.composite
def templates(draw):
    event = Event(wall_time=draw(st.floats(0, 4e9)), step=draw(st.integers(-3, 2**60)))
    for _ in range(draw(st.sampled_from([1, 1, 1, 1, 2, 3]))):
        draw(values(event.summary))
    return event


@st.composite
def logs(draw):
    """Some templates, each repeated with other numbers, in a random order, some payloads damaged."""
    kinds = draw(st.lists(templates(), min_size=1, max_size=4))
    random = draw(st.randoms(use_true_random=False))
    events = []
    for _ in range(draw(st.integers(1, 120))):
        event = Event()
        event.CopyFrom(random.choice(kinds))
        event.wall_time += random.random()
        event.step = max(event.step, 0) // 2 + random.choice([0, 1, random.randrange(300), random.randrange(70_000)])
        for value in event.summary.value:
            if value.HasField("simple_value"):
                value.simple_value = random.random()
        framed = bytearray(record(event.SerializeToString()))
        if random.random() < 0.03:
            framed[random.randrange(len(framed))] ^= 1 << random.randrange(8)
        events.append(bytes(framed))
    return b"".join(events)


@settings(max_examples=120, deadline=None)
@given(data=logs())
def test_fast_and_plain_reading_agree(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "events.out.tfevents.1"
    path.write_bytes(data)
    fast, plain = read_log(path), read_log(path, plain=True)
    assert rows(fast) == rows(plain)
    assert fast.damages == plain.damages
    assert fast.facts.plugins == plain.facts.plugins
    assert [text[:1] for text in fast.facts.texts] == [text[:1] for text in plain.facts.texts]


def event(tag="loss", step=0, **value):
    made = Event(wall_time=1.7e9, step=step)
    made.summary.value.add(tag=tag, **value)
    return made


def logged(tmp_path, *events):
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(b"".join(record(made.SerializeToString()) for made in events))
    return read_log(path)


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (TensorProto(dtype=1, float_val=[0.5]), 0.5),
        (TensorProto(dtype=1, tensor_content=struct.pack("<f", 0.1)), float(np.float32(0.1))),
        (TensorProto(dtype=2, double_val=[0.1]), 0.1),
        (TensorProto(dtype=2, tensor_content=struct.pack("<d", 0.1)), 0.1),
        (TensorProto(dtype=3, int_val=[-7]), -7.0),
        (TensorProto(dtype=9, int64_val=[2**40]), 2.0**40),
        (TensorProto(dtype=9, tensor_content=struct.pack("<q", -5)), -5.0),
        (TensorProto(dtype=19, half_val=[0x3C00]), 1.0),
        (TensorProto(dtype=19, tensor_content=b"\x00\x3c"), 1.0),
        (TensorProto(dtype=14, half_val=[0x3F80]), 1.0),
        (TensorProto(dtype=14, tensor_content=b"\x80\x3f"), 1.0),
        (TensorProto(dtype=10, bool_val=[True]), 1.0),
        (TensorProto(dtype=1), 0.0),
    ],
)
@pytest.mark.parametrize("count", [1, 40])
def test_tensor_scalars(tmp_path, tensor, expected, count):
    log = logged(tmp_path, *[event(step=step, tensor=tensor) for step in range(count)])
    assert log.columns.values.tolist() == [expected] * count
    assert log.columns.steps.tolist() == list(range(count))


def test_plugin_named_in_the_first_record_only(tmp_path):
    tensor = TensorProto(dtype=1, float_val=[0.5])
    first = [event(tag=tag, tensor=tensor) for tag in ("a", "b")]
    first[0].summary.value[0].metadata.plugin_data.plugin_name = "scalars"
    first[1].summary.value[0].metadata.plugin_data.plugin_name = "my_plugin"
    log = logged(tmp_path, *first, *[event(tag=tag, step=step, tensor=tensor) for step in range(1, 30) for tag in ("a", "b")])
    assert log.tags == ["a"]
    assert len(log.columns.values) == 30


def test_scalars_beside_large_parts_of_one_event(tmp_path):
    made = event(simple_value=0.5)
    made.summary.value.add(tag="picture").image.encoded_image_string = bytes(300_000)
    made.summary.value.add(tag="after", simple_value=0.25)
    log = logged(tmp_path, made, event(step=1, simple_value=0.75))
    assert rows(log)[0][:2] == ("loss", 0)
    assert log.columns.values.tolist() == [0.5, 0.25, 0.75]
    assert log.damages == []


def test_not_a_number_steps_and_restart(tmp_path):
    numbers = [float("nan"), float("inf"), -0.0]
    events = [event(step=step, simple_value=number) for step, number in enumerate(numbers * 20)]
    restart = Event(wall_time=5.0, step=-3, session_log=SessionLog(status=SessionLog.START))
    log = logged(tmp_path, *events, restart)
    np.testing.assert_array_equal(log.columns.values, numbers * 20)
    assert [found[1:] for found in log.facts.restarts] == [(5.0, -3)]


def test_what_is_rare_in_each_of_many_files_is_read_by_class_in_the_end(tmp_path, monkeypatch):
    events = [event(tag=f"rare/{number}", step=step, simple_value=number / 8) for step in range(20) for number in range(20)]
    by_hand = []
    monkeypatch.setattr(classes, "_members", {})
    monkeypatch.setattr(columns, "read_event", lambda payload, *rest: by_hand.append(payload) or read_event(payload, *rest))
    counts, found = [], []
    for _ in range(8):
        by_hand.clear()
        found.append(rows(logged(tmp_path, *events)))
        counts.append(len(by_hand))
    assert (counts[0], counts[-1]) == (20, 0)  # those of step 0, which have no step; eight members make a class
    assert found == [rows(read_log(tmp_path / "events.out.tfevents.1", plain=True))] * 8
