"""The part on capacity: what it says, and what it does not know."""

from __future__ import annotations

from builders import START, log_of, machine, training

from trainreport.decisions.assess import assess
from trainreport.model.plan_reader import parse_plan
from trainreport.reports.parts import capacity
from trainreport.reports.view import View

PLAN = '[rates]\ngpu_hour = "2 EUR"\n[tags]\nteam = "crm"\n'


def part(*logs, plan=PLAN):
    return capacity.build(View(assess(logs, parse_plan(plan))))


def texts(made):
    return str(made).replace("\u00a0", " ").replace("\\xa0", " ")


def run(run_id="run", status="finished", **facts):
    devices = {"gpu0": {"gpu/utilization": [0.9] * 60 + [0.0] * 20}}
    curves = {"loss": [1.0 / (i + 1) for i in range(80)]}
    return log_of(training(curves, seconds_per_step=60.0, status=status, **facts), machine(devices, interval_s=60.0), run_id=run_id)


def test_busy_and_idle_hours_are_in_the_heading_and_the_table():
    made = part(run())
    assert texts(made.title) == "GPUs were held for 1.3 h and stood idle 25 % of the time that was seen"
    assert "1.0 h" in texts(made)
    assert "crm" in texts(made)


def test_what_nothing_logged_is_not_known():
    made = texts(part(run(status="failed")))
    assert "No run of this kind is known to have finished." in made
    assert "Queue waits are not known" in made


def test_hours_without_samples_have_no_share_of_idleness():
    made = part(log_of(training({"loss": [1.0, 0.5, 0.2]}, seconds_per_step=1800)), plan=PLAN + "[training]\ngpus = 1\n")
    assert texts(made.title) == "GPUs were held for 1.0 h; what they did was not logged"


def test_runs_on_one_device_at_once_are_named():
    made = texts(part(run("one"), run("two", start=START)))
    assert "Runs shared a device" in made
    assert "held by several runs at once: one and two" in made


def test_nothing_is_said_where_no_gpu_is_known():
    assert part(log_of(training({"loss": [1.0, 0.5]}))) is None
