"""Prometheus' own tool judges the rules, on series that are to fire and on series that are not."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import yaml
from alerts.test_rules import FULL

from trainreport.alerts import alerts, render
from trainreport.model.plan_reader import read_plan

PROMTOOL = shutil.which("promtool")
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (apt-get install prometheus)"),
]

LINES = 1440
"""Minutes of a day."""


def series(*, gpus=2, util="90", step="0+10x1440", loss="2-0.001x1440", temperature="60", used="60000", power="300"):
    every = [
        {"series": f'DCGM_FI_DEV_GPU_UTIL{{Hostname="a",gpu="{gpu}",modelName="NVIDIA A100-SXM4-80GB"}}', "values": constant(util)}
        for gpu in range(gpus)
    ]
    of_one = {"GPU_TEMP": temperature, "FB_USED": used, "FB_FREE": "20000", "POWER_USAGE": power}
    every += [{"series": f'DCGM_FI_DEV_{name}{{Hostname="a",gpu="0"}}', "values": constant(value)} for name, value in of_one.items()]
    return [*every, {"series": "training_step", "values": step}, {"series": "training_loss", "values": loss}]


def constant(value):
    return value if "x" in value else f"{value}+0x{LINES}"


HEALTHY = series()
FIRES = {
    "GpuHoursOverBudget": (HEALTHY, "2h"),
    "GpuHoursNearlySpent": (HEALTHY, "1h"),
    "MoneyOverBudget": (HEALTHY, "2h"),
    "MoneyNearlySpent": (HEALTHY, "1h"),
    "EnergyOverBudget": (HEALTHY, "2h"),
    "CarbonOverBudget": (HEALTHY, "2h"),
    "WallTimeOverBudget": (HEALTHY, "2h"),
    "WallTimeNearlySpent": (HEALTHY, "1h"),
    "DeadlineAtRisk": (series(step="0+0.01x1440"), "2h"),
    "GpuIdle": (series(util="1"), "20m"),
    "GpuUtilizationLow": (series(util="20"), "1h"),
    "GpuMemoryNearlyFull": (series(used="390000"), "20m"),
    "GpuHot": (series(temperature="85"), "20m"),
    "LossNotFinite": (series(loss="2 1.9 NaN+0x60"), "20m"),
    "LossDiverging": (series(loss="2-0.02x60 0.8+0.04x30 2+0x1200"), "2h"),
    "NoProgress": (series(step="0+10x60 600+0x1300"), "2h"),
    "NothingReported": (series(step="0+10x60"), "2h"),
}
"""Alert -> series that fire it, and when."""
SMALL = {
    "100 EUR": "5 EUR",
    "gpu_hours = 50": "gpu_hours = 2",
    "20 h": "1 h",
    "energy_kwh = 10": "energy_kwh = 0.5",
    "carbon_kg = 3": "carbon_kg = 0.1",
}
"""A budget of an hour for two GPUs."""


@pytest.fixture
def folder(tmp_path):
    return lambda changes: written(tmp_path, changes)


def written(path, changes):
    """Write the rules of the plan, its deadline two weeks after 1970 began, as promtool's time does."""
    text = FULL.replace("2026-11-01T00:00:00Z", "1970-01-01T00:00:00Z").replace("2026-12-16T00:00:00Z", "1970-01-15T00:00:00Z")
    for old, new in changes.items():
        text = text.replace(old, new)
    (path / "plan.toml").write_text(text)
    plan = read_plan(path / "plan.toml")
    (path / "rules.yml").write_text(render(plan, "prometheus"))
    return path, plan


def promtool(*words):
    return subprocess.run([PROMTOOL, *map(str, words)], capture_output=True, text=True, check=False)


def test_the_rules_are_in_order(folder):
    path, plan = folder({})
    done = promtool("check", "rules", path / "rules.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(alerts(plan))} rules found" in done.stdout


def firing(path, given, at, names):
    """Return which alerts promtool sees firing: each is claimed not to, and it says where that is wrong."""
    claims = [{"eval_time": at, "alertname": name, "exp_alerts": []} for name in names]
    tests = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "5m",
        "tests": [{"interval": "1m", "input_series": given, "alert_rule_test": claims}],
    }
    (path / "tests.yml").write_text(yaml.safe_dump(tests))
    done = promtool("test", "rules", path / "tests.yml")
    said = done.stdout + done.stderr
    assert "parse error" not in said, said
    found = set(re.findall(r"alertname: (\w+)", said))
    assert bool(found) == bool(done.returncode), said
    return found


@pytest.mark.parametrize("name", FIRES)
def test_each_alert_fires_where_it_should(folder, name):
    path, _ = folder(SMALL)
    given, at = FIRES[name]
    assert firing(path, given, at, [name]) == {name}


@pytest.mark.parametrize("at", ["20m", "3h"])
def test_no_alert_fires_on_a_healthy_run(folder, at):
    path, plan = folder({})
    assert firing(path, HEALTHY, at, [one.name for one in alerts(plan)]) == set()


def test_no_alert_fires_before_the_run_begins(folder):
    path, plan = folder(SMALL)
    assert firing(path, [{"series": "up", "values": "1+0x60"}], "1h", [one.name for one in alerts(plan)]) == set()


def test_the_day_before_the_deadline_is_told(folder):
    path, _ = folder({"1970-01-15": "1970-01-02"})
    assert firing(path, HEALTHY, "20m", ["DeadlineNear"]) == {"DeadlineNear"}
