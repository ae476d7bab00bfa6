"""Busy and idle hours, sharing and the next run, by hand."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from builders import START, log_of, machine, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.capacity import NextRun, capacity, owner
from trainreport.business.ledger import ledgers
from trainreport.model.plan_reader import parse_plan

PLAN = '[plan]\ndisplay_zone = "UTC"\n[rates]\ngpu_hour = "2 EUR"\n[tags]\nteam = "crm"\nproject = "churn"\n'


def run(utilization, *, start=START, run_id="run", interval_s=60.0, **facts):
    steps = len(utilization)
    devices = {"gpu0": {"gpu/utilization": utilization, "gpu/memory_used": [1e9 + i for i in range(steps)]}}
    hours = machine(devices, interval_s=interval_s, start=start, file=facts.pop("file", "gpu.csv"))
    return log_of(training({"loss": [1.0] * steps}, seconds_per_step=interval_s, start=start, **facts), hours, run_id=run_id)


def of(*logs, plan=PLAN):
    agreed = parse_plan(plan)
    return capacity(list(zip(logs, ledgers(logs, agreed), strict=True)), agreed)


def test_an_hour_busy_and_half_an_hour_idle():
    found = of(run([0.9] * 60 + [0.0] * 30))
    assert (found.total("busy_h"), found.total("idle_h"), found.total("unseen_h")) == pytest.approx((1.0, 0.5, 0.0))
    [use] = found.uses
    assert (use.day, use.team, use.device, use.model) == (date(2026, 6, 9), "crm", "gpu0", "NVIDIA A100")


def test_a_day_ends_where_the_plan_lives():
    start = START.replace(hour=21)
    found = of(run([0.9] * 120, start=start), plan=PLAN.replace("UTC", "Europe/Berlin"))
    assert [(use.day.day, use.busy_h) for use in found.uses] == [(9, pytest.approx(1.0)), (10, pytest.approx(1.0))]


def test_a_hole_in_the_log_is_not_seen():
    first, second = [0.9] * 60, [0.9] * 60
    log = run(first + second)
    frame = log.frame
    hole = (frame["time"] >= "2026-06-09T06:30:00Z") & (frame["time"] < "2026-06-09T07:30:00Z") & (frame["phase"] == "system")
    cut = type(log)(log.run, frame[~hole].reset_index(drop=True), log.events, log.problems)
    found = of(cut)
    assert found.total("unseen_h") == pytest.approx((61 - 10) / 60, abs=0.03)  # the last sample holds for ten usual intervals
    assert found.total("busy_h") + found.total("unseen_h") == pytest.approx(2.0)


def test_two_runs_on_one_device_share_its_hours():
    logs = [run([0.9] * 120, run_id="a", key="run"), run([0.9] * 120, start=START + timedelta(hours=1), run_id="b", key="run")]
    found = of(*logs)
    assert found.total("busy_h") == pytest.approx(3.0)
    [shared] = found.shared
    assert (shared.hours, shared.runs) == (pytest.approx(1.0), ("a", "b"))


def test_hours_by_wall_time_alone_were_not_seen():
    log = log_of(training({"loss": [1.0] * 61}, seconds_per_step=60))
    found = of(log, plan=PLAN + "[training]\ngpus = 2\n")
    assert (found.total("busy_h"), found.total("unseen_h")) == (0.0, pytest.approx(2.0))


def test_tags_of_a_run_go_before_those_of_the_plan():
    log = run([0.9] * 10, tags={"mlflow.team": "labs"})
    assert owner(log.run, parse_plan(PLAN)) == ("labs", "churn")
    [owned] = of(log).owned
    assert (owned.team, owned.project, owned.runs, owned.cost.plain()) == ("labs", "churn", 1, "0.33")


def test_queue_waits_as_logged():
    assert of(run([0.9] * 10, tags={"queue_wait_s": "120"})).waits == (("run", 120.0),)


class TestNextRun:
    def test_of_three_finished_runs_the_middle_one_and_the_range(self):
        logs = [
            run([0.9] * minutes, run_id=str(minutes), key=f"run{minutes}", start=START + timedelta(days=day), status="finished")
            for day, minutes in enumerate((60, 120, 90))
        ]
        found = of(*logs).next_run
        assert isinstance(found, NextRun)
        assert (found.runs, found.inside) == (3, 0.5)
        assert (found.gpu_hours.low, found.gpu_hours.mid, found.gpu_hours.high) == pytest.approx((1.0, 1.5, 2.0))
        assert [money.plain() for money in found.cost] == ["2.00", "3.00", "4.00"]
        assert found.memory_bytes.high == 1e9 + 119

    def test_a_run_that_did_not_finish_says_nothing(self):
        assert "finished" in of(run([0.9] * 60)).next_run


@given(st.lists(st.floats(0, 1), min_size=3, max_size=60), st.integers(0, 50))
def test_all_hours_of_the_ledger_are_there_once(utilization, later):
    logs = [run(utilization, run_id="a"), run(utilization[::-1], run_id="b", start=START + timedelta(minutes=later))]
    agreed = parse_plan(PLAN)
    taken = ledgers(logs, agreed)
    found = capacity(list(zip(logs, taken, strict=True)), agreed)
    assert sum(use.hours for use in found.uses) == pytest.approx(sum(one.gpu_hours for one in taken))
