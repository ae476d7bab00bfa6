"""Single events, written with TensorBoard's own messages."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event, TaggedRunMetadata
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from trainreport.importers.tfevents.events import Facts, Reduced, read_event, sift
from trainreport.importers.tfevents.wire import WireError


def read(*events):
    """Return the numbers of events, and the facts."""
    facts = Facts()
    numbers = [number for place, event in enumerate(events) for number in read_event(event.SerializeToString(), place, facts)[2]]
    return [(number.tag, number.is_tensor, number.value) for number in numbers], facts


def event(tag="t", plugin="", step=3, **value):
    found = Event(wall_time=5.0, step=step)
    one = found.summary.value.add(tag=tag, **value)
    if plugin:
        one.metadata.plugin_data.plugin_name = plugin
    return found


def table(rows, dtype=1, **fields):
    rows = np.asarray(rows, dtype=np.float64)
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in rows.shape])
    content = fields or {"float_val" if dtype == 1 else "double_val": rows.ravel()}
    return TensorProto(dtype=dtype, tensor_shape=shape, **content)


NUMBERS = [  # DataType, struct letter, value, field
    (1, "f", 0.5, "float_val"), (2, "d", 0.1, "double_val"), (3, "i", -7, "int_val"), (4, "B", 200, "int_val"), (5, "h", -3, "int_val"),
    (6, "b", -3, "int_val"), (9, "q", -(2**40), "int64_val"), (10, "?", True, "bool_val"), (17, "H", 60000, "int_val"),
    (22, "I", 2**31, "uint32_val"), (23, "Q", 2**50, "uint64_val"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "letter", "value", "field"), NUMBERS)
def test_numbers_of_every_type_in_both_forms(dtype, letter, value, field):
    listed = TensorProto(dtype=dtype, **{field: [value]})
    packed = TensorProto(dtype=dtype, tensor_content=struct.pack(f"<{letter}", value))
    zero = TensorProto(dtype=dtype)
    assert [found[2] for found in read(*(event(tensor=tensor) for tensor in (listed, packed, zero)))[0]] == [value, value, 0]


@pytest.mark.parametrize(("dtype", "bits", "value"), [(19, 0x3800, 0.5), (14, 0x3F00, 0.5), (14, 0xC040, -3.0)])
def test_numbers_of_half_width(dtype, bits, value):
    tensors = [TensorProto(dtype=dtype, half_val=[bits]), TensorProto(dtype=dtype, tensor_content=struct.pack("<H", bits))]
    assert [found[2] for found in read(*(event(tensor=tensor) for tensor in tensors))[0]] == [value, value]


@pytest.mark.parametrize(
    "tensor", [TensorProto(dtype=8), TensorProto(dtype=1, float_val=[1, 2]), TensorProto(dtype=1, tensor_content=b"12")]
)
def test_what_is_no_single_number_is_passed_over(tensor):
    numbers, facts = read(event(tensor=tensor))
    assert numbers == []
    assert facts.others == 1


def test_a_histogram_is_reduced():
    histogram = HistogramProto(min=-3, max=4, num=2, sum_squares=25, bucket_limit=[-2, 0, 5], bucket=[1, 0, 1])
    numbers, facts = read(event(tag="grad/w", histo=histogram))
    assert numbers == []
    assert facts.reduced == [Reduced(0, 5.0, 3, "grad/w", "histogram", *pair) for pair in (("min", -3.0), ("max", 4.0), ("norm", 5.0))]


def test_the_plugin_of_a_table_is_named_in_the_first_record_only():
    buckets = table([[0, 2, 4], [2, 4, 1]], dtype=2)
    _, facts = read(event(plugin="histograms", tensor=buckets), event(step=4, tensor=buckets), event(tag="other", tensor=buckets))
    norms = [(one.tag, one.step, one.value) for one in facts.reduced if one.statistic == "norm"]
    assert norms == [("t", 3, 13**0.5), ("t", 4, 13**0.5)]  # 4 x 1² + 1 x 3²
    assert facts.others == 1


@pytest.mark.parametrize("form", ["listed", "packed"])
def test_a_precision_recall_curve_becomes_its_average_precision(form):
    rows = np.zeros((6, 3))
    rows[4], rows[5] = [0.5, 0.75, 1.0], [1.0, 0.5, 0.0]
    tensor = table(rows) if form == "listed" else table(rows, tensor_content=rows.astype("<f4").tobytes())
    _, facts = read(event(plugin="pr_curves", tensor=tensor))
    assert [(one.form, one.statistic, one.value) for one in facts.reduced] == [("pr_curve", "average_precision", 0.5 * 0.75 + 0.5 * 0.5)]


def test_what_a_shape_claims_is_not_allocated():
    huge = table(np.zeros((1, 1)), float_val=[1.0])
    for size, dim in zip((2**40, 3), (huge.tensor_shape.dim[0], huge.tensor_shape.dim[1]), strict=True):
        dim.size = size
    _, facts = read(event(plugin="histograms", tensor=huge))
    assert facts.reduced == []


def test_a_last_value_left_out_is_repeated():
    _, facts = read(event(plugin="histograms", tensor=table(np.zeros((2, 3)), dtype=2, double_val=[1, 1, 2, 2])))  # rows 1 1 2, 2 2 2
    assert {one.statistic: one.value for one in facts.reduced} == {"min": 1.0, "max": 2.0, "norm": 10**0.5, "zero_share": 0.0}


def test_that_a_graph_is_there_is_told_once():
    profile = Event(tagged_run_metadata=TaggedRunMetadata(tag="step1", run_metadata=b"x"))
    _, facts = read(Event(wall_time=1, graph_def=b""), Event(wall_time=2, graph_def=b"x"), Event(meta_graph_def=b"x"), profile)
    assert {kind: place for kind, (place, _, _) in facts.graphs.items()} == {"graph_def": 0, "meta_graph_def": 2, "run_metadata": 3}


def test_texts_are_bounded_in_all():
    text = TensorProto(dtype=7, string_val=[b"a" * 60_000])
    _, facts = read(*(event(plugin="text", tensor=text) for _ in range(30)))
    assert (len(facts.texts), facts.texts_left_out) == (18, 12)  # 18 x 60,000 is the first above 2^20


class Watched:
    """Bytes of which it is known how many were read."""

    def __init__(self, data):
        self.data, self.read = data, 0

    def __call__(self, at, count):
        self.read += count
        return self.data[at : at + count]


BIG = b"\x0a" * 200_000


def picture_tensor():
    return event(tag="p", plugin="images", tensor=TensorProto(dtype=7, string_val=[BIG]))


@pytest.mark.parametrize(
    "large",
    [
        Event(graph_def=BIG),
        Event(meta_graph_def=BIG),
        event(tag="p", image=Summary.Image(encoded_image_string=BIG)),
        event(tag="p", audio=Summary.Audio(encoded_audio_string=BIG)),
        picture_tensor(),
    ],
)
def test_large_parts_are_not_read(large):
    large.step = 9
    large.wall_time = 2.0
    large.summary.value.add(tag="loss", simple_value=0.5) if large.HasField("summary") else None
    data = Watched(large.SerializeToString())
    kept = sift(data, 0, len(data.data))
    assert data.read < 2_000
    facts = Facts()
    time, step, numbers = read_event(kept, 0, facts)
    assert (time, step) == (2.0, 9)
    assert [number.tag for number in numbers] == (["loss"] if large.HasField("summary") else [])
    assert bool(facts.graphs) != large.HasField("summary")


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=5))
def test_sifting_changes_nothing_in_a_small_event(values):
    one = Event(wall_time=1.0, step=2)
    for value in values:
        one.summary.value.add(tag="a", simple_value=value)
    one.summary.value.add(tag="h", histo=HistogramProto(min=1, max=2, num=3, sum_squares=9))
    data = one.SerializeToString()
    whole, sifted = Facts(), Facts()
    assert read_event(data, 0, whole) == read_event(sift(Watched(data), 0, len(data)), 0, sifted)
    assert whole == sifted


def test_metadata_that_is_none_costs_the_record():
    data = b"\x2a\x06\x0a\x04\x4a\x02\x0a\x09"  # summary, value, metadata with a field that ends behind it
    with pytest.raises(WireError):
        sift(Watched(data), 0, len(data))
