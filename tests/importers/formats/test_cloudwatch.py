"""CloudWatch: what the AWS command line wrote against moto, and the forms of its documentation."""

from __future__ import annotations

import json

import pytest
from read_logs import DATA, meanings, read, values, written

from trainreport.errors import InputError


def test_get_metric_data():
    name, log = read(DATA / "cloudwatch" / "get_metric_data.json")
    assert name == "cloudwatch"
    gpu = log.frame[log.frame["series"] == "gpu/utilization"]
    assert gpu["value"].tolist() == [0.87, 0.86, 0.85, 0.84, 0.83, 0.82, 0.81, 0.8]
    assert set(gpu["device"]) == {"gpu1"}
    assert set(gpu["node"]) == {"i-0abc"}
    assert gpu["time"].iloc[-1].timestamp() == 1796082840
    assert values(log, "CPUUtilization Average")[0] == 0.275
    assert meanings(log)["CPUUtilization Average"] == ("cpu/utilization", "system", "1")
    assert log.kind == "machine"


def test_get_metric_statistics():
    _, log = read(DATA / "cloudwatch" / "get_metric_statistics.json")
    assert sorted(values(log, "CPUUtilization Average")) == [0.205, 0.215, 0.225, 0.235, 0.245, 0.255, 0.265, 0.275]
    assert meanings(log)["CPUUtilization Maximum"][0] == "cpu/utilization/maximum"


def test_times_of_the_second_command_line_and_sums_of_sagemaker(tmp_path):
    result = {
        "Id": "m1",
        "Label": "GPUUtilization",
        "Timestamps": ["2026-06-09T08:00:00+02:00"],
        "Values": [371.5],
        "StatusCode": "PartialData",
    }
    _, log = written(tmp_path, "cw.json", json.dumps({"MetricDataResults": [result], "Messages": []}))
    assert log.started_at.isoformat() == "2026-06-09T06:00:00+00:00"
    assert meanings(log)["GPUUtilization"][0] == "gpu/utilization_of_all"
    assert "add up all GPUs" in log.events[0].message
    assert "gave a part of the data" in log.problems[0].what


def test_torn_results_are_named(tmp_path):
    results = [{"Id": "a", "Timestamps": [1], "Values": []}, 3, {"Id": "b", "Timestamps": [1796082840], "Values": [2]}]
    _, log = written(tmp_path, "cw.json", json.dumps({"MetricDataResults": results}))
    assert [one.place for one in log.problems] == ["result 1", "result 2"]
    assert len(log.frame) == 1


def test_nothing_in_it(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "cw.json", '{"MetricDataResults": []}')


def test_data_points_that_come_newest_first_keep_their_times(tmp_path):
    """The order of get-metric-data by default (ScanBy TimestampDescending)."""
    times = ["2026-06-09T06:10:00+00:00", "2026-06-09T06:05:00+00:00", "2026-06-09T06:00:00+00:00"]
    result = {
        "Id": "m1",
        "Label": "nvidia_smi_utilization_gpu index 0",
        "Timestamps": times,
        "Values": [30, 20, 10],
        "StatusCode": "Complete",
    }
    _, log = written(tmp_path, "cw.json", json.dumps({"MetricDataResults": [result]}))
    by_time = log.frame.sort_values("time")
    assert by_time["value"].tolist() == [0.1, 0.2, 0.3]
    assert (log.started_at.isoformat(), log.ended_at.isoformat()) == (times[2], times[0])
    assert log.files[0].clock == "UTC, as written"


def test_an_answer_without_data_points(tmp_path):
    with pytest.raises(InputError, match="no number in it"):
        written(tmp_path, "cw.json", '{"Label": "CPUUtilization", "Datapoints": []}')
