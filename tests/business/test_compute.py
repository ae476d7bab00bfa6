"""Hours of devices, by hand."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from builders import START, log_of, machine, training

from trainreport.business.compute import fair_seconds, wall_seconds_together
from trainreport.business.ledger import ledgers
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan

HOUR = timedelta(hours=1)
RATES = "[rates]\ngpu_hour = '3.00 EUR'\nby_model = { 'Tesla T4' = '0.35 EUR' }\npue = 1.5\ncarbon_g_per_kwh = 400\n"


def run(steps=361, **facts):
    return training({"loss": [1.0] * steps}, seconds_per_step=10, **facts)


def gpu(devices=1, samples=360, **facts):
    return machine({f"gpu{number}": {"gpu/utilization": [0.5] * samples} for number in range(devices)}, **facts)


def test_hours_from_the_gpu_log():
    [ledger] = ledgers([log_of(run(), gpu(devices=2))], parse_plan(RATES))
    assert ledger.gpu_hours == pytest.approx(2.0)  # 360 samples, 10 s apart, on two devices
    assert ledger.wall_s == 3600
    assert ledger.cost.amount == pytest.approx(Decimal("6.00"))
    assert "2 GPUs" in ledger.basis["hours"]


def test_hours_from_wall_time_and_the_plan():
    [ledger] = ledgers([log_of(run())], parse_plan(RATES + "[training]\ngpus = 4\n"))
    assert ledger.gpu_hours == pytest.approx(4.0)
    assert "by the plan; no hardware log" in ledger.basis["hours"]


def test_hours_from_wall_time_and_the_run():
    [ledger] = ledgers([log_of(run(params={"trainer/world_size": "8"}))], parse_plan(RATES))
    assert ledger.gpu_hours == pytest.approx(8.0)


def test_runs_that_overlap_on_a_device_share_its_hours():
    shared = gpu(samples=720, folder=".")
    logs = [log_of(run(key=name, start=START), shared, run_id=name) for name in ("a", "b")]
    assert [ledger.gpu_hours for ledger in ledgers(logs, parse_plan(RATES))] == [pytest.approx(1.0)] * 2


def test_a_process_that_logged_its_own_gpu_is_not_the_whole_machine():
    curves = {"loss": [3.0, 2.0, 1.0], "gpu/utilization": [0.5, 0.6, 0.7]}
    log = log_of(training(curves, seconds_per_step=1800, params={"world_size": "8"}))
    (ledger,) = ledgers([log], Plan())
    assert ledger.gpu_hours == pytest.approx(8.0)
    assert "8 GPUs by the run's parameter world_size" in ledger.basis["hours"]


def test_time_of_several_runs_is_counted_once():
    logs = [log_of(run(key=name, start=START + late * HOUR), run_id=name) for name, late in (("a", 0), ("b", 0.5), ("c", 5))]
    assert wall_seconds_together(logs) == 2.5 * 3600
    assert wall_seconds_together([]) is None


def test_seconds_are_split_between_those_that_hold_a_device():
    everyone = [(0.0, 10.0), (5.0, 10.0), (20.0, 30.0)]
    assert fair_seconds((0.0, 10.0), everyone) == 5 + 2.5
    assert fair_seconds((20.0, 30.0), everyone) == 10
