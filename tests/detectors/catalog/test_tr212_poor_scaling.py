"""TR212: more GPUs, little more throughput."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.case import Sibling
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.run import Hardware

AT = np.arange(1, 31) * 10.0
PARAMS = {"model": "resnet50", "lr": "0.1", "world_size": "1"}


def run(rate, gpus=8, params=PARAMS, name="samples_per_second"):
    return log_at(rows(name, AT, [rate] * 30), params={**params, "world_size": str(gpus)}, hardware=Hardware(gpu_count=gpus))


def other(rate, gpus=1, unit="sample/s", params=PARAMS, name="small"):
    return Sibling(run_id=name, name=name, gpus=gpus, throughput=rate, throughput_unit=unit, params=params)


def test_an_efficiency_below_a_half():
    finding = judged("TR212", run(1000.0), family=(other(400.0),), ledger=Ledger(gpu_hours=80)).findings[0]
    assert finding.message == ("8 GPUs gave 2.5 times the throughput of 1 in small (1,000 against 400 sample/s): an efficiency of 31 %.")
    assert finding.waste.share_of_run == pytest.approx(1 - 1000 / 3200)
    assert finding.waste.gpu_s == pytest.approx(80 * 3600 * (1 - 1000 / 3200))


def test_the_line_falls_with_the_factor():
    assert judged("TR212", run(64 * 30.0, gpus=64), family=(other(100.0),)).state is State.CLEAR  # 30 % at 64 times
    assert judged("TR212", run(64 * 20.0, gpus=64), family=(other(100.0),)).state is State.FOUND


def test_good_scaling_and_the_smallest_run_are_silent():
    outcome = judged("TR212", run(2800.0), family=(other(400.0), other(700.0, gpus=2, name="two")))
    assert outcome.state is State.CLEAR
    assert outcome.reason == "8 GPUs reach 88 % of the throughput for each GPU of small with 1"
    assert judged("TR212", run(400.0, gpus=1), family=(other(1000.0, gpus=8),)).state is State.NOT_APPLICABLE


@pytest.mark.parametrize(
    "sibling",
    [
        other(400.0, unit="token/s"),
        other(400.0, params={**PARAMS, "model": "resnet18"}),
        other(None),
        other(400.0, gpus=None),
    ],
    ids=["unit", "model", "no throughput", "no GPUs"],
)
def test_runs_that_cannot_be_compared(sibling):
    assert judged("TR212", run(1000.0), family=(sibling,)).state is State.NOT_APPLICABLE


def test_steps_a_second_are_not_compared():
    outcome = judged("TR212", run(10.0, name="steps_per_second"), family=(other(8.0, unit="step/s"),))
    assert outcome.state is State.NOT_APPLICABLE
    assert "samples or tokens" in outcome.reason


def test_without_a_number_of_gpus():
    log = log_at(rows("samples_per_second", AT))
    assert judged("TR212", log, family=(other(400.0),)).reason == "the number of GPUs is not known"


def test_the_line_can_be_moved():
    plan = "[thresholds]\nTR212.efficiency = 0.3\n"
    assert judged("TR212", run(1000.0), family=(other(400.0),), plan=plan).state is State.CLEAR
