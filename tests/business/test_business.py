"""Hours, money, energy and budget, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest
from builders import START, log_of, machine, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.budget import budget_lines
from trainreport.business.compute import wall_seconds_together
from trainreport.business.energy import integrate
from trainreport.business.ledger import ledgers, together
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan

HOUR = timedelta(hours=1)
RATES = "[rates]\ngpu_hour = '3.00 EUR'\nby_model = { 'Tesla T4' = '0.35 EUR' }\npue = 1.5\ncarbon_g_per_kwh = 400\n"


def run(steps=361, **facts):
    return training({"loss": [1.0] * steps}, seconds_per_step=10, **facts)


def gpu(devices=1, samples=360, power=None, **facts):
    table = {"gpu/utilization": [0.5] * samples} | ({} if power is None else {"gpu/power": [power] * samples})
    return machine({f"gpu{number}": dict(table) for number in range(devices)}, **facts)


def test_hours_from_the_gpu_log():
    [ledger] = ledgers([log_of(run(), gpu(devices=2))], parse_plan(RATES))
    assert ledger.gpu_hours == pytest.approx(2.0)  # 360 samples, 10 s apart, on two devices
    assert ledger.wall_s == 3600
    assert ledger.cost.amount == pytest.approx(Decimal("6.00"))
    assert "2 GPUs" in ledger.basis["hours"]


def test_rate_by_model_goes_before_the_general_one():
    [ledger] = ledgers([log_of(run(), gpu(model="Tesla T4"))], parse_plan(RATES))
    assert float(ledger.cost.amount) == pytest.approx(0.35)


def test_hours_from_wall_time_and_the_plan():
    [ledger] = ledgers([log_of(run())], parse_plan(RATES + "[training]\ngpus = 4\n"))
    assert ledger.gpu_hours == pytest.approx(4.0)
    assert "by the plan; no hardware log" in ledger.basis["hours"]


def test_hours_from_wall_time_and_the_run():
    [ledger] = ledgers([log_of(run(params={"trainer/world_size": "8"}))], parse_plan(RATES))
    assert ledger.gpu_hours == pytest.approx(8.0)


def test_nothing_is_made_up():
    [ledger] = ledgers([log_of(run())], parse_plan(RATES))
    assert (ledger.gpu_hours, ledger.cost, ledger.energy_j, ledger.carbon_kg) == (None, None, None, None)
    assert ledger.basis["hours"].startswith("not known")


def test_cpu_hours_where_the_plan_prices_them():
    [ledger] = ledgers([log_of(run())], parse_plan("[rates]\ncpu_hour = '0.10 EUR'\n"))
    assert (ledger.cpu_hours, ledger.gpu_hours) == (pytest.approx(1.0), None)
    assert float(ledger.cost.amount) == pytest.approx(0.10)


def test_runs_that_overlap_on_a_device_share_its_hours():
    shared = gpu(samples=720, folder=".")
    logs = [log_of(run(key=name, start=START), shared, run_id=name) for name in ("a", "b")]
    assert [ledger.gpu_hours for ledger in ledgers(logs, parse_plan(RATES))] == [pytest.approx(1.0)] * 2


def test_a_parent_of_nested_runs_takes_nothing_twice():
    parent = replace(training({}, key="p", importer="mlflow", params={"search": "grid"}), started_at=START, ended_at=START + HOUR)
    logs = [log_of(parent, run_id="p"), log_of(run(key="c", parent="p"), run_id="c")]
    found = ledgers(logs, parse_plan(RATES + "[training]\ngpus = 1\n"))
    assert [ledger.gpu_hours for ledger in found] == [None, pytest.approx(1.0)]


def test_energy_and_carbon():
    [ledger] = ledgers([log_of(run(), gpu(power=1000.0, samples=361))], parse_plan(RATES))
    assert ledger.energy_j == pytest.approx(3.6e6)  # 1 kW for an hour
    assert ledger.energy_kwh == pytest.approx(1.5)  # times the PUE
    assert ledger.carbon_kg == pytest.approx(0.6)
    assert ledger.energy_basis == "measured"


def test_energy_is_priced_only_where_no_hourly_rate_applies():
    text = "[rates]\nkwh = '0.30 EUR'\n"
    [ledger] = ledgers([log_of(run(), gpu(power=1000.0, samples=361))], parse_plan(text))
    assert float(ledger.cost.amount) == pytest.approx(0.30)
    [ledger] = ledgers([log_of(run(), gpu(power=1000.0, samples=361))], parse_plan(text + "gpu_hour = '3.00 EUR'\n"))
    assert float(ledger.cost.amount) == pytest.approx(3.00, abs=0.01)


def test_trapezoid_leaves_real_gaps_out():
    time = np.array([0.0, 10.0, 20.0, 1020.0, 1030.0])
    found = integrate(time, np.array([100.0, 200.0, 100.0, 100.0, 100.0]))
    assert found.joules == pytest.approx(1500 + 1500 + 1000)
    assert found.gap_s == 1000.0


@given(st.lists(st.floats(0, 1000), min_size=2, max_size=50), st.integers(0, 10**6))
def test_energy_does_not_depend_on_when_it_was_or_on_the_order(power, shift):
    time = np.arange(len(power), dtype=float)
    straight = integrate(time, np.array(power)).joules
    shuffled = integrate((time + shift)[::-1], np.array(power)[::-1]).joules
    assert shuffled == pytest.approx(straight, rel=1e-9, abs=1e-6)


def test_time_of_several_runs_is_counted_once():
    logs = [log_of(run(key=name, start=START + late * HOUR), run_id=name) for name, late in (("a", 0), ("b", 0.5), ("c", 5))]
    assert wall_seconds_together(logs) == 2.5 * 3600
    assert wall_seconds_together([]) is None


def test_the_budget_covers_all_runs_together():
    plan = parse_plan(RATES + "[budget]\nmoney = '4.00 EUR'\nwall_time = '3 h'\ndeadline = 2026-06-01T00:00:00Z\n")
    logs = [log_of(run(key=name), gpu(file=f"{name}.csv"), run_id=name) for name in ("a", "b")]
    lines = {line.name: line for line in budget_lines(together(logs, ledgers(logs, plan)), plan, START)}
    assert lines["money"].over
    assert lines["money"].excess == "50 % over"
    assert not lines["wall_time"].over
    assert lines["deadline"].over
    assert lines["deadline"].excess == "late"


def test_a_process_that_logged_its_own_gpu_is_not_the_whole_machine():
    curves = {"loss": [3.0, 2.0, 1.0], "gpu/utilization": [0.5, 0.6, 0.7]}
    log = log_of(training(curves, seconds_per_step=1800, params={"world_size": "8"}))
    (ledger,) = ledgers([log], Plan())
    assert ledger.gpu_hours == pytest.approx(8.0)
    assert "8 GPUs by the run's parameter world_size" in ledger.basis["hours"]
