from __future__ import annotations

import json

from read_logs import values, written

SAMPLES = [
    {"Type": "gpu", "Name": "gpu0", "Dimension": "GPUUtilization", "Value": 50.0, "NodeId": "algo-1", "Timestamp": 1_790_000_000.0},
    {"Type": "cpu", "Name": "cpu0", "Dimension": "CPUUtilization", "Value": 20.0, "NodeId": "algo-1", "Timestamp": 1_790_000_000.0},
    {"Type": "cpu", "Name": "cpu1", "Dimension": "CPUUtilization", "Value": 40.0, "NodeId": "algo-1", "Timestamp": 1_790_000_000.0},
]


def test_samples_are_shares_on_devices(tmp_path):
    name, (log,) = written(tmp_path, "system/incremental/1.json", "\n".join(map(json.dumps, SAMPLES)))
    assert (name, log.name, log.kind) == ("sagemaker-profiler", "algo-1", "machine")
    frame = log.frame.set_index("series")
    assert (frame.loc["gpu/utilization", "value"], frame.loc["gpu/utilization", "device"]) == (0.5, "gpu0")
    assert values(log, "CPUUtilization (mean of the cores)") == [0.3]


def test_a_bad_line_is_listed(tmp_path):
    text = "\n".join([json.dumps(SAMPLES[0]), json.dumps(SAMPLES[1] | {"Value": None}), "not json"])
    _, (log,) = written(tmp_path, "system/incremental/1.json", text)
    assert len(log.frame) == 1
    assert len(log.problems) == 2
