"""Courses that would take less: each only where the evidence supports it, priced by hand."""

from __future__ import annotations

import pytest
from builders import log_of, machine, training
from judged import PLAN, RISING, judged

from trainreport.decisions.assess import assess
from trainreport.decisions.what_ifs import _named
from trainreport.model.plan_reader import parse_plan

BIG = "NVIDIA A100-SXM4-40GB"
RATES = '[rates]\nby_model = {{ "NVIDIA A100*" = "4 EUR", {} }}\n'


def titles(run):
    return {one.title: one for one in run.decision.what_ifs}


def small_run(rates, memory=4e9, status="finished", plan=""):
    steps = 721
    devices = {"gpu0": {"gpu/utilization": [0.3] * steps, "gpu/memory_used": [memory] * steps, "gpu/memory_total": [42.9e9] * steps}}
    logs = machine(devices, model=BIG)
    values = (range(0, steps, 60), [0.5 + 0.03 * i for i in range(13)])
    log = log_of(training({"loss": [1.0] * steps, "val_accuracy": values}, seconds_per_step=10.0, status=status), logs)
    return assess([log], parse_plan(RATES.format(rates) + plan)).runs[0]


def test_revert_saves_what_came_after_the_best():
    found = titles(judged(RISING))["Revert to the best checkpoint"]
    assert (found.cost.plain(), found.saves.plain()) == ("4.00", "6.00")
    assert "step 40" in found.does


def test_a_run_that_was_best_at_its_end_is_not_reverted():
    assert "Revert to the best checkpoint" not in titles(judged([0.5 + 0.04 * i for i in range(11)]))


@pytest.mark.parametrize(("status", "there"), [("running", True), ("finished", False), ("failed", False), ("killed", False)])
def test_only_a_run_that_goes_on_can_be_stopped(status, there):
    found = titles(judged(RISING, PLAN + "steps = 200\n", status=status))
    assert ("Stop now" in found) is there


def test_stopping_saves_what_is_left_of_the_plan():
    found = titles(judged(RISING, PLAN + "steps = 200\n", status="running"))["Stop now"]
    assert found.saves.plain() == "10.00"


def test_a_smaller_gpu_by_its_peak_and_memory():
    found = titles(small_run('"Tesla T4" = "0.50 EUR"'))["Take Tesla T4 for the next one"]
    hours = 721 / 360  # GPU-hours: samples of ten seconds
    longer = 312 * 0.3 / 65
    assert float(found.cost.amount) == pytest.approx(0.5 * hours * longer, rel=1e-6)
    assert float(found.saves.amount) == pytest.approx(4 * hours - 0.5 * hours * longer, rel=1e-6)
    assert "1.4 times the time" in found.does


@pytest.mark.parametrize(
    ("rates", "memory"),
    [
        ('"Tesla T4" = "0.50 EUR"', 15e9),  # 1.1 times that is more than it has
        ('"Tesla T4" = "9 EUR"', 4e9),  # dearer
        ('"A GPU of its own" = "0.10 EUR"', 4e9),  # not in the table
    ],
)
def test_no_smaller_gpu_where_none_fits_or_saves(rates, memory):
    assert not [title for title in titles(small_run(rates, memory)) if title.startswith("Take ")]


def test_a_pattern_that_means_several_gpus_names_none():
    assert _named("NVIDIA A100*") is None
    assert _named("NVIDIA L4").tdp_w == 72


def test_a_healthy_run_without_prices_has_no_courses():
    assert judged([0.5 + 0.04 * i for i in range(11)], "").decision.what_ifs == ()
