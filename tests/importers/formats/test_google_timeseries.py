"""Google Cloud Monitoring; the form is that of the reference of projects.timeSeries.list."""

from __future__ import annotations

import json

import pytest
from read_logs import meanings, values, written

from trainreport.errors import InputError


def series(kind, points, labels=None, unit=None):
    found = {
        "metric": {"type": kind, "labels": labels or {}},
        "resource": {"type": "gce_instance", "labels": {"project_id": "p", "instance_id": "123", "zone": "europe-west4-a"}},
        "metricKind": "GAUGE", "valueType": "DOUBLE",
        "points": [{"interval": {"startTime": when, "endTime": when}, "value": value} for when, value in points],
    }  # fmt: skip
    return found | ({"unit": unit} if unit else {})


GPU = {"gpu_number": "1", "model": "NVIDIA A100", "uuid": "GPU-b"}
AT = "2026-06-09T06:00:00.123456789Z"


def test_a_gpu_of_the_ops_agent(tmp_path):
    memory = series("agent.googleapis.com/gpu/memory/bytes_used", [(AT, {"int64Value": "1073741824"})], {**GPU, "memory_state": "used"})
    busy = series("agent.googleapis.com/gpu/utilization", [(AT, {"doubleValue": 83})], GPU)
    cpu = series("compute.googleapis.com/instance/cpu/utilization", [(AT, {"doubleValue": 0.25})], unit="10^2.%")
    name, log = written(tmp_path, "ts.json", json.dumps({"timeSeries": [busy, memory, cpu]}, indent=2))
    assert name == "google-timeseries"
    assert log.frame["series"].tolist() == ["gpu/utilization", "gpu/memory_used", "cpu/utilization"]
    assert log.frame["value"].tolist() == [0.83, 2**30, 0.25]
    assert log.frame["device"].tolist()[:2] == ["gpu1", "gpu1"]
    assert set(log.frame["node"]) == {"123"}
    assert (log.hardware.gpu_model, log.hardware.gpu_count) == ("NVIDIA A100", 1)
    assert log.started_at.isoformat() == "2026-06-09T06:00:00.123456+00:00"


def test_the_list_that_gcloud_prints_and_metrics_of_managed_prometheus(tmp_path):
    name = "prometheus.googleapis.com/DCGM_FI_DEV_FB_USED/gauge"
    _, log = written(tmp_path, "ts.json", json.dumps([series(name, [(AT, {"doubleValue": 1})], {"gpu": "0"})]))
    assert meanings(log)[name] == ("gpu/memory_used", "system", "B")
    assert values(log, name) == [2**20]


def test_torn_series_and_points_are_named(tmp_path):
    odd = series("agent.googleapis.com/gpu/utilization", [(AT, {"boolValue": True}), (AT, {"doubleValue": 5})], GPU)
    _, log = written(tmp_path, "ts.json", json.dumps({"timeSeries": [odd, {"metric": {}}]}))
    assert [one.place for one in log.problems] == ["time series 1", "time series 2"]
    assert values(log, "agent.googleapis.com/gpu/utilization") == [0.05]


def test_nothing_in_it(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "ts.json", json.dumps({"timeSeries": [series("agent.googleapis.com/gpu/utilization", [])], "interval": 1}))
