"""Logs with large records close to each other: what is read in joined stretches is what is read block by block."""

from __future__ import annotations

import io

import numpy as np
import pytest
from event_files import read_both_ways, record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from trainreport.importers.tfevents import stretches
from trainreport.importers.tfevents.headers import LARGE
from trainreport.importers.tfevents.parts import Block, Damage
from trainreport.importers.tfevents.records import blocks
from trainreport.importers.tfevents.template import Rhythm


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(stretches, "_WINDOW", 680)  # sixteen small records and not the header of the next
    monkeypatch.setattr(stretches, "_FAR", 3_000)
    monkeypatch.setattr(stretches, "_JOINED", 4_000)


def large(step, size=LARGE, **value):
    """Return the record of an event with a picture and maybe more; the checksum of a large one is not read."""
    event = Event(wall_time=1.7e9, step=step)
    event.summary.value.add(tag="picture").image.encoded_image_string = bytes(size)
    if value:
        event.summary.value.add(**value)
    return record(event.SerializeToString(), with_checksum=False)


def small(step, tag="loss", **value):
    event = Event(wall_time=1.7e9 + step, step=step)
    event.summary.value.add(tag=tag, **(value or {"simple_value": step / 8}))
    return record(event.SerializeToString())


def histogram(step):
    return small(step, "weights", histo=HistogramProto(min=-1, max=2, num=3, sum_squares=5, bucket_limit=[0] * 100, bucket=[0] * 100))


def text(step, tag, plugin=""):
    event = Event(wall_time=1.7e9, step=step)
    value = event.summary.value.add(tag=tag, tensor=TensorProto(dtype=7, string_val=[b"words"]))
    value.metadata.plugin_data.plugin_name = plugin
    return record(event.SerializeToString())


PICTURES = [large(1), large(2, tag="beside", simple_value=0.5), large(3, size=200_000)]
RECORDS = st.one_of(
    st.sampled_from(PICTURES),
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["loss", "accuracy"])), max_size=40).map(
        lambda steps: b"".join(small(step, tag) for step, tag in steps)
    ),
    st.integers(0, 300).map(histogram),
    st.tuples(st.integers(0, 9), st.sampled_from(["note", "loss"]), st.sampled_from(["", "text", "images"])).map(lambda told: text(*told)),
    st.sampled_from([record(b""), record(b"\xff"), record(bytes(5_000))]),
    st.just(record(Event(wall_time=5, step=7, session_log=SessionLog(status=SessionLog.START)).SerializeToString())),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(RECORDS, min_size=1, max_size=14),
    flips=st.lists(st.floats(0, 1, exclude_max=True), max_size=3),
    cut=st.integers(0, 200),
)
def test_joined_stretches_and_single_blocks_agree(parts, flips, cut, tmp_path_factory):
    data = bytearray(b"".join([PICTURES[0], *parts]))
    small_ones = [at for at in range(len(data)) if data[at]] or [0]  # pictures are zeros: damage there changes nothing
    for flip in flips:
        data[small_ones[int(flip * len(small_ones))]] ^= 16
    path = tmp_path_factory.mktemp("log") / "events.out.tfevents.1"
    path.write_bytes(data[: len(data) - cut])
    read_both_ways(path)


def test_cut_at_every_byte(tmp_path):
    before = PICTURES[0] + small(1) + small(2)
    data = before + PICTURES[0] + small(3) + small(4)
    path = tmp_path / "events.out.tfevents.1"
    for end in [*range(len(PICTURES[0]), len(before) + 60), *range(len(data) - 150, len(data) + 1)]:
        path.write_bytes(data[:end])
        read_both_ways(path)


@pytest.mark.parametrize("lost", range(1, len(small(2))))
def test_a_record_cut_by_others_written_behind_it(tmp_path, lost):
    path = tmp_path / "events.out.tfevents.1"
    begin = PICTURES[0] + PICTURES[0] + small(1)
    path.write_bytes(begin + small(2)[:-lost] + small(3) + small(4) + PICTURES[0] + small(5))
    log = read_both_ways(path)
    assert log.columns.steps.tolist() == [1, 3, 4, 5]
    assert [(damage.offset, damage.end) for damage in log.damages] == [(len(begin), len(begin) + len(small(2)) - lost)]


@pytest.mark.parametrize("count", range(30, 65))
def test_a_record_cut_by_others_wherever_a_block_would_end(tmp_path, count):
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(PICTURES[0] + small(9) * 40 + PICTURES[0] + small(9) * count + small(2)[:-9] + small(3) * 2 + PICTURES[0])
    assert len(read_both_ways(path).damages) == 1


def test_many_stretches_make_few_blocks(tmp_path):
    turn = [small(step, tag) for step in (5, 6) for tag in ("loss", "accuracy")]
    data = b"".join([*turn, PICTURES[0]]) * 40
    found = list(blocks(io.BytesIO(data), len(data), Rhythm()))
    assert sum(isinstance(part, Block) for part in found) < 12
    assert not any(isinstance(part, Damage) for part in found)
    assert sum(len(part.large) for part in found) == 40
    payloads = [part.payload(number) for part in found for number in range(len(part.starts))]
    assert payloads == [one[12:-4] for one in turn] * 40
    places = np.concatenate([part.places for part in found]).tolist()
    assert [data[place : place + 12] for place in places] == [one[:12] for one in turn] * 40


def test_stretches_longer_than_a_window_and_a_far_end(tmp_path):
    path = tmp_path / "events.out.tfevents.1"
    steps = [*range(30), *range(300), *range(5)]
    path.write_bytes(
        b"".join([PICTURES[0], *map(small, steps[:30]), PICTURES[1], *map(small, steps[30:330]), *PICTURES, *map(small, steps[330:])])
    )
    log = read_both_ways(path)
    assert log.columns.steps.tolist() == [*range(30), 2, *range(300), 2, *range(5)]


def test_of_a_picture_only_the_beginning_is_read(tmp_path):
    class Counted(io.BytesIO):
        total = 0

        def readinto(self, buffer):
            found = super().readinto(buffer)
            self.total += found
            return found

    data = PICTURES[0] + (small(1) + PICTURES[2]) * 50
    stream = Counted(data)
    assert sum(len(part.large) for part in blocks(stream, len(data), Rhythm()) if isinstance(part, Block)) == 51
    assert stream.total < len(data) / 10
