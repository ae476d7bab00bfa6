"""Carbon by hours, worked out by hand: a run of an hour at 360 W (0.36 kWh), PUE 1.5."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import START, log_of, machine, training

from trainreport.business.grid import read_grid
from trainreport.business.ledger import ledgers, together
from trainreport.model.plan_reader import parse_plan

PLAN = "[rates]\npue = 1.5\ncarbon_g_per_kwh = 300\n"
FACTORS = [400, 100] + [200] * 40
"""From 6 o'clock on, when the run begins."""


def grid(tmp_path, factors=FACTORS, region=None):
    rows = [f"{START + timedelta(hours=hour):%Y-%m-%dT%H:%M:%SZ},{value}" for hour, value in enumerate(factors)]
    file = tmp_path / "grid.csv"
    if region is None:
        file.write_text("\n".join(["time,g_per_kwh", *rows]), encoding="utf-8")
    else:
        both = [f"{row},{name}" for row in rows for name in (region,)] + [f"{row.rpartition(',')[0]},50,FR" for row in rows]
        file.write_text("\n".join(["time,g_per_kwh,zone", *both]), encoding="utf-8")
    return read_grid(file)


def run(minutes=0, power=360.0, samples=361, run_id="run"):
    start = START + timedelta(minutes=minutes)
    devices = {"gpu0": {"gpu/power": [power] * samples, "gpu/utilization": [0.9] * samples}}
    return log_of(training({"loss": [1.0] * samples}, seconds_per_step=10, start=start), machine(devices, start=start), run_id=run_id)


def of(tmp_path, log, plan=PLAN, **kwargs):
    [found] = ledgers([log], parse_plan(plan), None, None, grid(tmp_path, **kwargs))
    return found


def test_the_hour_counts_and_both_factors_are_said(tmp_path):
    found = of(tmp_path, run())
    assert found.carbon_kg == pytest.approx(0.54 * 400 / 1000)
    assert found.grid.average_kg == pytest.approx(0.54 * 300 / 1000)
    assert found.grid.g_per_kwh == pytest.approx(400)
    assert "400 g" in found.basis["carbon"]
    assert "300 g" in found.basis["carbon"]


def test_a_run_over_two_hours_takes_part_of_each(tmp_path):
    assert of(tmp_path, run(minutes=30)).grid.g_per_kwh == pytest.approx((400 + 100) / 2)


def test_the_greenest_start_is_an_hour_later(tmp_path):
    found = of(tmp_path, run()).grid
    assert found.greenest_kg == pytest.approx(0.54 * 100 / 1000)
    assert found.greenest_start_s == START.timestamp() + 3600
    assert found.window_s == 24 * 3600


@pytest.mark.parametrize(
    ("plan", "factors", "why"),
    [(PLAN, [400, 100, 90], "are asked for"), (PLAN + '[budget]\ndeadline = 2026-06-09T08:00:00Z\n', FACTORS, "the deadline left 60 min")],
)  # fmt: skip
def test_too_little_to_tell_of_greener_starts(tmp_path, plan, factors, why):
    found = of(tmp_path, run(), plan, factors=factors).grid
    assert found.greenest_kg is None
    assert why in found.why
    assert found.carbon_kg == pytest.approx(0.216)


def test_a_file_of_other_days_leaves_the_average(tmp_path):
    found = of(tmp_path, run(minutes=60 * 24 * 30))
    assert found.grid is None
    assert found.carbon_kg == pytest.approx(0.54 * 300 / 1000)
    assert "not hour by hour" in found.basis["carbon"]


def test_without_an_average_of_the_plan_that_of_the_file_stands_beside(tmp_path):
    found = of(tmp_path, run(minutes=30), "[rates]\npue = 1.5\n").grid
    assert found.average_g_per_kwh == pytest.approx(250)


def test_energy_that_was_not_measured_is_spread_evenly(tmp_path):
    devices = {"gpu0": {"gpu/utilization": [0.5] * 361}}
    start = START + timedelta(minutes=30)
    log = log_of(training({"loss": [1.0] * 361}, seconds_per_step=10, start=start), machine(devices, start=start, model="Tesla T4"))
    found = of(tmp_path, log).grid
    assert found.g_per_kwh == pytest.approx(250)
    assert "spread evenly" in found.why


def test_another_region_at_the_same_hours(tmp_path):
    found = of(tmp_path, run(), PLAN + 'grid_region = "DE"\n', region="DE").grid
    assert found.elsewhere == ("FR", pytest.approx(0.54 * 50 / 1000))


def test_several_runs_add_up(tmp_path):
    logs = [run(run_id="one"), run(minutes=60, run_id="two")]
    found = ledgers(logs, parse_plan(PLAN), None, None, grid(tmp_path))
    total = together(logs, found).grid
    assert total.carbon_kg == pytest.approx(0.54 * (400 + 100) / 1000)
    assert total.g_per_kwh == pytest.approx(250)
    assert total.greenest_kg == pytest.approx(0.54 * (100 + 100) / 1000)
