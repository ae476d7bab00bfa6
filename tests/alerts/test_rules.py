from __future__ import annotations

import json

import pytest
import yaml

from trainreport.alerts import FORMATS, alerts, render
from trainreport.errors import UsageError
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import read_plan

FULL = """
[plan]
title = "Churn {{ model }}"
owner = "Customer analytics"
registered = 2026-11-01T00:00:00Z
[budget]
money = "100 EUR"
gpu_hours = 50
wall_time = "20 h"
energy_kwh = 10
carbon_kg = 3
deadline = 2026-12-16T00:00:00Z
[rates]
gpu_hour = "2.00 EUR"
by_model = { "NVIDIA A100*" = "3.20 EUR", "Tesla T4" = "0.35 EUR" }
carbon_g_per_kwh = 350
pue = 1.2
[training]
steps = 100000
[tags]
team = "crm"
[thresholds]
TR201.low_share = 0.40
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(FULL)
    return read_plan(path)


def expression(plan, name, select=""):
    return next(one.promql for one in alerts(plan, select) if one.name == name)


def test_a_plan_without_limits_still_has_alerts_for_the_machine_and_for_learning():
    assert [one.name for one in alerts(Plan())] == [
        "GpuIdle", "GpuUtilizationLow", "GpuMemoryNearlyFull", "GpuHot", "LossNotFinite", "LossDiverging", "NoProgress", "NothingReported",
    ]  # fmt: skip


def test_each_limit_of_the_budget_has_a_warning_and_a_critical_alert(plan):
    names = [one.name for one in alerts(plan) if one.group == "budget"]
    assert names == [
        "GpuHoursNearlySpent", "GpuHoursOverBudget", "MoneyNearlySpent", "MoneyOverBudget", "EnergyNearlySpent", "EnergyOverBudget",
        "CarbonNearlySpent", "CarbonOverBudget", "WallTimeNearlySpent", "WallTimeOverBudget", "DeadlineAtRisk", "DeadlineNear",
    ]  # fmt: skip


def test_the_limit_of_a_detector_is_that_of_the_plan(plan):
    assert expression(plan, "GpuUtilizationLow") == "avg_over_time(DCGM_FI_DEV_GPU_UTIL[30m]) < 40"
    assert expression(Plan(), "GpuUtilizationLow") == "avg_over_time(DCGM_FI_DEV_GPU_UTIL[30m]) < 30"


def test_each_gpu_is_priced_once_by_the_first_pattern_that_matches(plan):
    spent = expression(plan, "MoneyOverBudget")
    assert spent.endswith("> 100")
    assert '{modelName=~"NVIDIA\\\\ A100.*"}' in spent
    assert '{modelName=~"Tesla\\\\ T4",modelName!~"NVIDIA\\\\ A100.*"}' in spent
    assert '{modelName!~"NVIDIA\\\\ A100.*",modelName!~"Tesla\\\\ T4"}' in spent


def test_budgets_are_summed_from_the_agreement_to_the_deadline(plan):
    assert expression(plan, "GpuHoursOverBudget") == ("(sum_over_time((count(DCGM_FI_DEV_GPU_UTIL))[45d:5m]) or vector(0)) / 12 > 50")


def test_labels_pick_the_gpus_of_the_plan(plan):
    assert expression(plan, "GpuIdle", 'namespace="churn",pod=~"train.*"').startswith(
        'DCGM_FI_DEV_GPU_UTIL{namespace="churn",pod=~"train.*"}'
    )


@pytest.mark.parametrize("select", ["churn", 'a="b"} or vector(1) #', 'a="b",', 'a="\\"'])
def test_what_is_no_matcher_is_refused(plan, select):
    with pytest.raises(UsageError, match="expected matchers of labels"):
        alerts(plan, select)


def test_a_title_cannot_begin_a_template(plan):
    for form in ("prometheus", "grafana"):
        rules = [rule for group in yaml.safe_load(render(plan, form))["groups"] for rule in group["rules"]]
        assert {rule["annotations"]["plan"] for rule in rules} == {"Churn { { model }}"}


def test_grafana_fires_where_the_query_gives_anything(plan):
    groups = yaml.safe_load(render(plan, "grafana"))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len(rules) == len({rule["uid"] for rule in rules}) == len(alerts(plan))
    assert {rule["noDataState"] for rule in rules} == {"OK"}
    assert all(rule["data"][0]["model"]["expr"].startswith("count by (Hostname, gpu) (") for rule in rules)


def test_cloudwatch_says_what_it_cannot_tell(plan):
    template = json.loads(render(plan, "cloudwatch"))
    missing = {line.split(":")[0] for line in template["Metadata"]["NotInCloudWatch"]}
    assert missing == {"DeadlineAtRisk", "DeadlineNear", "GpuMemoryNearlyFull", "LossDiverging"}
    assert set(template["Resources"]) | missing == {one.name for one in alerts(plan)}
    low = template["Resources"]["GpuUtilizationLow"]["Properties"]
    assert (low["ComparisonOperator"], low["Threshold"], low["EvaluationPeriods"]) == ("LessThanThreshold", 40.0, 6)


def test_the_text_names_limits_and_who_is_told(plan):
    text = render(plan, "text")
    assert "80 % of the money agreed (100 EUR) is spent." in text
    assert "Limit from: budget.gpu_hours" in text
    assert "Customer analytics" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_plan_gives_the_same_bytes(plan, form):
    assert render(plan, form) == render(plan, form)
