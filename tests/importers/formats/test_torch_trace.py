"""Traces of PyTorch: one that it wrote, one computed by hand, and torn ones."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_traces import BASE_NS, EVENTS, EXPECTED, START_US, document, event, measured
from read_logs import DATA, meanings, read, steps, values, written

from trainreport.errors import InputError, StrictError
from trainreport.importers.formats.torch_trace import IMPORTER
from trainreport.importers.profiles import stream
from trainreport.importers.recording import Source

MANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def same(recording, expected=EXPECTED):
    assert measured(recording) == pytest.approx(expected, abs=1e-9)


def test_a_trace_that_pytorch_wrote():
    name, log = read(DATA / "torch_profile" / "torch.pt.trace.json.gz")
    assert name == "torch-trace"
    assert steps(log, "time/step (profiled)") == [2, 3, 4, 5]
    # ProfilerStep#N and the data loader's calls, by their dur
    assert values(log, "time/step (profiled)") == pytest.approx([1701.392e-6, 717.292e-6, 610.447e-6, 464.081e-6], abs=1e-12)
    assert values(log, "time/data (profiled)") == pytest.approx([1078.552e-6, 121.572e-6, 143.275e-6, 123.36e-6], abs=2e-9)
    assert values(log, "profile/input_wait")[0] == pytest.approx(1078.552 / 1701.392, abs=1e-5)
    assert set(log.frame["series"]) == {"time/step", "time/data", "profile/input_wait"}, "no GPU, so nothing of GPUs, not 0 %"
    # base 2026-10-01 11:37:06 UTC, and 5,240,358.287032801 s to the first step, which took 1701.392 us
    assert log.frame["time"].iloc[0].isoformat()[:23] == "2026-12-01T03:56:24.288"
    assert log.kind == "machine"
    assert log.problems == ()


def test_what_was_computed_by_hand(tmp_path):
    name, log = written(tmp_path, "t.pt.trace.json", document())
    assert name == "torch-trace"
    same(log)
    assert set(log.frame.loc[log.frame["series"] == "profile/gpu_busy", "device"]) == {"gpu3"}
    assert set(log.frame["rank"]) == {5}
    assert log.hardware.gpu_model == "NVIDIA A100"
    assert meanings(log)["profile/gpu_busy"] == ("profile/gpu_busy", "system", "1")
    assert meanings(log)["time/step (profiled)"] == ("time/step", "train", "s")
    assert log.ended_at is not None
    assert round(log.ended_at.timestamp() * 1e3) == round((BASE_NS * 1e-9 + START_US * 1e-6 + 1400e-6) * 1e3)
    assert log.events[0].message == "a profiler recorded 0.0014 s (2 steps): a window of the run, not the whole of it"


def test_packed_and_as_a_plain_list(tmp_path):
    same(written(tmp_path, "a.json.gz", gzip.compress(document()))[1])
    middle = document().index(b'"cuda_runtime"')
    same(written(tmp_path, "c.json.gz", gzip.compress(document()[:middle]) + gzip.compress(document()[middle:]) + bytes(512))[1])
    name, log = written(tmp_path, "b.json", json.dumps(EVENTS[1:]).encode())
    assert name == "torch-trace"
    same(log)
    assert log.started_at is None, "5,000 s since 1970 is no time of a trace, without its base"


def test_without_steps_one_value_stands_for_the_whole(tmp_path):
    _, log = written(
        tmp_path, "a.json", document([one for one in EVENTS if "ProfilerStep" not in one["name"] and "DataLoader" not in one["name"]])
    )
    found = measured(log)
    assert ("time/step", None) not in found
    # from the first launch at 90 to the end of the last kernel at 850
    assert found["profile/gpu_busy", None] == pytest.approx(450 / 760)
    assert found["profile/idle", None] == pytest.approx(260e-6)
    assert log.events[0].message.startswith("a profiler recorded 0.00076 s (no steps marked: one value for the whole of it)")


def test_names_and_categories_of_older_versions(tmp_path):
    old = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "cuda_runtime": "Runtime", "user_annotation": "Operator", "cpu_op": "Operator"}
    events = [{**one, "cat": old[one["cat"]]} for one in EVENTS if one.get("cat") in old]
    same(written(tmp_path, "a.json", document(events))[1])


def test_a_graph_is_one_launch_of_several_kernels(tmp_path):
    events = [{**one, "name": "cudaGraphLaunch"} if one["name"] == "cudaLaunchKernel" else one for one in EVENTS]
    _, log = written(tmp_path, "a.json", document(events))
    same(log, {key: value for key, value in EXPECTED.items() if key[0] != "profile/short_kernels"})


@pytest.mark.parametrize(("cut", "busy"), [(1, 0.45), (60, 0.45), (400, 0.40)])  # the last cut takes the kernel of 50 away
def test_of_a_cut_file_what_is_whole_counts(tmp_path, cut, busy):
    whole = document()
    end = whole.rindex(b"]")
    _, log = written(tmp_path, "a.json", whole[: end - cut])
    assert len(log.problems) == 1
    assert log.problems[0].place.startswith("byte ")
    assert "whole events before it count" in log.problems[0].what
    assert measured(log)["profile/gpu_busy", 7] == pytest.approx(busy)
    with pytest.raises(StrictError):
        read(tmp_path / "a.json", strict=True)


def test_cut_and_damaged_gzip(tmp_path):
    events = [*EVENTS, *(event("cpu_op", f"op {number}", number, 1.5) for number in range(3000))]
    packed = gzip.compress(document(events), mtime=0)
    _, log = written(tmp_path, "a.json.gz", packed[: len(packed) // 2])
    same(log)
    assert "gzip data is damaged or cut off" in log.problems[0].what


def test_a_bomb_is_read_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "LARGEST_TRACE", 300_000)
    begin = document().rpartition(b"]")[0]
    _, log = written(tmp_path, "a.json.gz", gzip.compress(begin + b" " * 5_000_000 + b"]}"))
    same(log)
    assert "more than 300,000 bytes unpacked" in log.problems[0].what


def test_an_event_that_never_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "LARGEST_EVENT", 300_000)
    begin = document().rpartition(b"]")[0]
    _, log = written(tmp_path, "a.json", begin + b', {"name": "' + b"x" * 900_000 + b'"}]}')
    same(log)
    assert "an event of more than 300,000 bytes" in log.problems[0].what


def test_torn_events_are_named_and_odd_ones_left(tmp_path):
    odd = [{"ph": "X", "cat": "kernel", "name": 7}, {"ph": "X", "cat": "kernel", "name": "k", "ts": "x", "dur": None}, [1], "text", None, 7]
    text = document([*odd, *EVENTS]).replace(b'"ph": "s"', b'"ph": "s" oops "cat": "kernel"')
    _, log = written(tmp_path, "a.json", text)
    same(log)
    assert [one.what for one in log.problems] == ["an event that is no JSON"]
    place = int(log.problems[0].place.removeprefix("byte ").replace(",", ""))
    assert text[place:].split()[:2] == [b"{", b'"ph":']


def test_nothing_to_measure(tmp_path):
    for text in (document([]), document([event("cpu_op", "aten::mm", 1, 2)]), b'{"schemaVersion": 1, "deviceProperties": []}'):
        (tmp_path / "a.json").write_bytes(text)
        with pytest.raises(InputError):
            IMPORTER.read(Source(tmp_path / "a.json", "a.json"))


@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
@MANY
def test_neither_the_clock_nor_the_order_matters(tmp_path, shift, random):
    events = [{**one, "ts": one["ts"] + shift} if "ts" in one else one for one in EVENTS]
    random.shuffle(events)
    same(written(tmp_path, "a.json", document(events))[1])


@given(piece=st.integers(1, 3000), indent=st.sampled_from([None, 1]))
@MANY
def test_it_does_not_matter_where_pieces_end(tmp_path, piece, indent):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "PIECE", piece)
        log = written(tmp_path, "a.json", json.dumps(json.loads(document()), indent=indent).encode())[1]
    same(log)
    assert log.hardware.gpu_model == "NVIDIA A100"
    assert log.started_at is not None
