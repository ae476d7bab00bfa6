"""Hours, money, energy and budget, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import START, log_of, machine, training

from trainreport.business.ledger import ledgers
from trainreport.model.plan_reader import parse_plan

HOUR = timedelta(hours=1)
RATES = "[rates]\ngpu_hour = '3.00 EUR'\nby_model = { 'Tesla T4' = '0.35 EUR' }\npue = 1.5\ncarbon_g_per_kwh = 400\n"


def run(steps=361, **facts):
    return training({"loss": [1.0] * steps}, seconds_per_step=10, **facts)


def gpu(devices=1, samples=360, power=None, **facts):
    table = {"gpu/utilization": [0.5] * samples} | ({} if power is None else {"gpu/power": [power] * samples})
    return machine({f"gpu{number}": dict(table) for number in range(devices)}, **facts)


def test_rate_by_model_goes_before_the_general_one():
    [ledger] = ledgers([log_of(run(), gpu(model="Tesla T4"))], parse_plan(RATES))
    assert float(ledger.cost.amount) == pytest.approx(0.35)


def test_nothing_is_made_up():
    [ledger] = ledgers([log_of(run())], parse_plan(RATES))
    assert (ledger.gpu_hours, ledger.cost, ledger.energy_j, ledger.carbon_kg) == (None, None, None, None)
    assert ledger.basis["hours"].startswith("not known")


def test_cpu_hours_where_the_plan_prices_them():
    [ledger] = ledgers([log_of(run())], parse_plan("[rates]\ncpu_hour = '0.10 EUR'\n"))
    assert (ledger.cpu_hours, ledger.gpu_hours) == (pytest.approx(1.0), None)
    assert float(ledger.cost.amount) == pytest.approx(0.10)


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
