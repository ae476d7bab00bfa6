"""Azure Monitor; the form is that of the documentation of az monitor metrics list."""

from __future__ import annotations

import json

import pytest
from read_logs import meanings, values, written

from trainreport.errors import InputError


def metric(name, data, unit="Percent", dimensions=()):
    vm = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm1"
    return {
        "id": f"{vm}/providers/Microsoft.Insights/metrics/{name}", "name": {"localizedValue": name, "value": name}, "unit": unit,
        "timeseries": [{"data": data, "metadatavalues": [{"name": {"value": key}, "value": text} for key, text in dimensions]}],
    }  # fmt: skip


def answer(*metrics):
    facts = {"cost": 0, "interval": "PT1M", "namespace": "Microsoft.Compute/virtualMachines", "timespan": "a/b"}
    return json.dumps({**facts, "value": list(metrics)}, indent=2)


def test_a_virtual_machine(tmp_path):
    data = [
        {"timeStamp": "2026-06-09T06:00:00Z", "average": 12.5, "total": None},
        {"timeStamp": "2026-06-09T06:01:00+00:00", "average": None},
    ]
    name, log = written(tmp_path, "az.json", answer(metric("Percentage CPU", data)))
    assert name == "azure-metrics"
    assert values(log, "Percentage CPU average") == [0.125]
    assert meanings(log) == {"Percentage CPU average": ("cpu/utilization", "system", "1")}
    assert log.frame["node"].tolist() == ["vm1"]
    assert log.started_at.isoformat() == "2026-06-09T06:00:00+00:00"


def test_a_gpu_of_a_workspace(tmp_path):
    dimensions = (("DeviceId", "2"), ("NodeId", "node-7"), ("RunId", "train-1"))
    data = [{"timeStamp": "2026-06-09T06:00:00Z", "average": 83.0, "maximum": 99.0}]
    _, log = written(tmp_path, "az.json", answer(metric("GpuUtilizationPercentage", data, dimensions=dimensions)))
    assert log.frame["series"].tolist() == ["gpu/utilization", "gpu/utilization/maximum"]
    assert log.frame["device"].tolist() == ["gpu2"] * 2
    assert log.frame["node"].tolist() == ["node-7"] * 2
    assert log.frame["logged"].tolist()[0] == 'GpuUtilizationPercentage average{runid="train-1"}'


def test_torn_metrics_are_named(tmp_path):
    data = [{"timeStamp": "2026-06-09T06:00:00Z", "average": 1}]
    _, log = written(tmp_path, "az.json", answer(3, metric("Percentage CPU", data), metric("Percentage CPU", None)))
    assert [one.what for one in log.problems] == ["no name with its timeseries", "a time series without data"]


def test_nothing_in_it(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "az.json", answer(metric("Percentage CPU", [])))
