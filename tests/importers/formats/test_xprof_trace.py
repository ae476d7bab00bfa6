"""Traces of XProf: one that JAX wrote, and ones of a GPU and a TPU in the form that XProf's own tests have."""

from __future__ import annotations

import gzip
import json

import pytest
from made_traces import measured
from read_logs import DATA, read, steps, values, written

from trainreport.errors import InputError


def named(what, pid, name, tid=None):
    return {"ph": "M", "pid": pid, "name": what, "args": {"name": name}} | ({} if tid is None else {"tid": tid})


def ran(pid, tid, name, start, length, **args):
    return {"ph": "X", "pid": pid, "tid": tid, "ts": start, "dur": length, "name": name} | ({"args": args} if args else {})


def document(events):
    text = json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": [*events, {}]}, separators=(",", ":"))
    return gzip.compress(text.encode())


GPU = [
    named("process_name", 1, "/device:GPU:0"),
    named("process_name", 2, "host-a /device:GPU:1 (pid 2)"),
    named("process_name", 701, "/host:CPU"),
    named("thread_name", 1, "Steps", 1),
    named("thread_name", 2, "Steps", 1),
    named("thread_name", 1, "TensorFlow Ops", 2),
    named("thread_name", 1, "Stream #13(Compute)", 13),
    named("thread_name", 1, "Stream #14(MemcpyH2D)", 14),
    named("thread_name", 2, "Stream #13(Compute)", 13),
    ran(1, 1, "41", 1000, 1000),
    ran(1, 1, "42", 2000, 500),
    ran(2, 1, "41", 1010, 1000),
    ran(1, 2, "MatMul", 1000, 1000),
    ran(1, 13, "ampere_sgemm", 1100, 300),
    ran(1, 13, "ncclKernel_AllReduce", 1300, 200),
    ran(1, 14, "MemcpyH2D", 1600, 100),
    ran(2, 13, "ampere_sgemm", 1000, 1500),
    ran(701, 5, "train", 900, 1200, step_num="7"),
]


def test_a_trace_that_jax_wrote():
    name, log = read(DATA / "jax_profile" / "jax.trace.json.gz")
    assert name == "xprof-trace"
    assert steps(log, "time/step (profiled)") == [10, 11, 12]
    assert values(log, "time/step (profiled)") == pytest.approx([390.798e-6, 132.781e-6, 78.552e-6], abs=1e-9)
    assert set(log.frame["series"]) == {"time/step"}, "no device, so nothing of devices"
    assert log.frame["time"].isna().all()
    assert log.problems == ()


def test_a_gpu(tmp_path):
    name, log = written(tmp_path, "host.trace.json.gz", document(GPU))
    assert name == "xprof-trace"
    first = log.frame[log.frame["device"] == "gpu0"]
    found = {(series, step): value for series, step, value in zip(first["series"], first["step"], first["value"], strict=True)}
    assert found["profile/gpu_busy", 41] == pytest.approx(0.4)  # [1100, 1500)
    assert found["profile/communication", 41] == pytest.approx(0.2)
    assert found["profile/communication_exposed", 41] == pytest.approx(0.1)  # [1400, 1500)
    assert found["profile/copies", 41] == pytest.approx(0.1)
    assert found["profile/idle", 41] == pytest.approx(500e-6)
    assert found["profile/gpu_busy", 42] == 0
    second = log.frame[(log.frame["device"] == "gpu1") & (log.frame["series"] == "profile/gpu_busy")]
    assert second["value"].tolist() == pytest.approx([1.0, 1.0])
    assert steps(log, "time/step (profiled)") == [41, 42], "each step once, though each device and the host mark it"


def test_a_tpu_without_steps(tmp_path):
    events = [
        named("process_name", 3, "/device:TPU:0"), named("thread_name", 3, "XLA Ops", 3), named("thread_name", 3, "XLA Modules", 2),
        ran(3, 2, "jit_step", 0, 1000), ran(3, 3, "fusion.1", 0, 500), ran(3, 3, "all-reduce.7", 500, 250), ran(3, 3, "fusion.2", 900, 100),
    ]  # fmt: skip
    _, log = written(tmp_path, "tpu.trace.json.gz", document(events))
    assert set(log.frame["device"]) == {"tpu0"}
    assert measured(log)["profile/gpu_busy", None] == pytest.approx(0.85)
    assert measured(log)["profile/communication_exposed", None] == pytest.approx(0.25)
    assert measured(log)["profile/longest_gap", None] == pytest.approx(150e-6)


def test_odd_events_are_left(tmp_path):
    odd = [
        named("process_name", [1], "/device:GPU:9"),
        ran(1, 13, 7, 0, 1),
        ran(1, {}, "x", 0, 1),
        ran(1, 13, "x", "?", 1),
        ran(1, 1, "x1", 0, 9),
    ]
    _, log = written(tmp_path, "host.trace.json.gz", document([*GPU[:9], *odd, *GPU[9:]]))
    assert steps(log, "time/step (profiled)") == [41, 42]


def test_a_trace_of_nothing(tmp_path):
    with pytest.raises(InputError, match="nothing of that can be measured"):
        written(tmp_path, "host.trace.json.gz", document(GPU[:9]))
