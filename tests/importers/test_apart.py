"""What two tools logged of one thing: names, and the GPUs that both sampled."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import START, log_of, machine, training

from trainreport.importers.apart import gauges_apart, told_apart

HOUR = timedelta(hours=1)


def sampled(importer="wandb", minutes=60, gpus=(0,)):
    """Return a training log with the loss and its own samples of GPUs."""
    series = {f"system.gpu.{number}.{name}": [50.0] * minutes for number in gpus for name in ("gpu", "powerWatts", "temp")}
    return training({"train/loss": [1.0] * minutes, **series}, seconds_per_step=60, importer=importer)


def gpu(minutes=60, gpus=(0,), node=None, **facts):
    devices = {f"gpu{number}": {"gpu/utilization": [0.9] * minutes, "gpu/power": [300.0] * minutes} for number in gpus}
    one = machine(devices, interval_s=60, **facts)
    return one if node is None else replace(one, frame=one.frame.assign(node=one.frame["node"].cat.add_categories([node]).fillna(node)))


def series_of(one):
    return set(one.frame["series"].astype(str).unique())


def test_the_log_that_was_begun_for_it_keeps_the_series():
    wandb, smi = gauges_apart([sampled(), gpu()])
    assert series_of(smi) == {"gpu/utilization", "gpu/power"}
    assert series_of(wandb) == {"loss", "gpu/utilization/wandb", "gpu/power/wandb", "gpu/temperature"}  # nobody else has the temperature


def test_a_log_of_a_few_minutes_does_not_stand_for_the_run():
    wandb, smi = gauges_apart([sampled(minutes=60), gpu(minutes=5)])
    assert "gpu/utilization" in series_of(wandb)
    assert series_of(smi) == {"gpu/utilization/nvidia-smi", "gpu/power/nvidia-smi"}


def test_two_training_tools_that_sampled_the_same_gpus():
    wandb, mlflow = sampled(minutes=60), sampled("mlflow", minutes=30)
    found = gauges_apart([mlflow, wandb])
    assert ["gpu/utilization" in series_of(one) for one in found] == [False, True]


@pytest.mark.parametrize(("node", "own"), [("n1", "n2"), ("n1.cluster", "n2.cluster")])
def test_logs_of_different_nodes_are_of_different_gpus(node, own):
    one = replace(gpu(node=node), importer="dcgm-csv")
    other = gpu(node=own)
    assert gauges_apart([one, other]) == [one, other]


@pytest.mark.parametrize("other", [None, "N1", "n1"])
def test_logs_of_one_node_however_it_is_named(other):
    found = gauges_apart([replace(gpu(node="n1.cluster", minutes=30), importer="dcgm-csv"), gpu(node=other)])
    assert sum("gpu/power" in series_of(one) for one in found) == 1


def test_logs_of_one_tool_are_of_different_machines_or_times():
    logs = [gpu(), gpu(start=START + HOUR)]
    assert gauges_apart(logs) == logs


def test_other_devices_are_not_taken_for_the_same():
    one, other = sampled(gpus=(1,)), gpu(gpus=(0,))
    assert series_of(gauges_apart([one, other])[0]) == series_of(one)


def test_no_sample_is_lost_and_each_gpu_has_one_curve():
    log = log_of(sampled(gpus=(0, 1)), gpu(gpus=(0, 1)))
    assert len(log.frame) == 60 + 2 * 3 * 60 + 2 * 2 * 60
    assert [(one.device, len(one), one.value.max()) for one in log.curves.of_devices("gpu/utilization", "system")] == [
        ("gpu0", 60, 0.9), ("gpu1", 60, 0.9)
    ]  # fmt: skip


def test_a_name_that_two_tools_have():
    first, second = told_apart([training({"loss": [1.0]}), training({"loss": [2.0]}, importer="mlflow")])
    assert list(first.frame["logged"]) == ["loss"]
    assert list(second.frame["logged"]) == ["loss (mlflow)"]
