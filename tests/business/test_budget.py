"""What was agreed beside what was used."""

from __future__ import annotations

from builders import START, log_of, machine, training

from trainreport.business.budget import budget_lines
from trainreport.business.ledger import ledgers, together
from trainreport.model.plan_reader import parse_plan

RATES = "[rates]\ngpu_hour = '3.00 EUR'\n"


def run(steps=361, **facts):
    return training({"loss": [1.0] * steps}, seconds_per_step=10, **facts)


def gpu(devices=1, samples=360, **facts):
    return machine({f"gpu{number}": {"gpu/utilization": [0.5] * samples} for number in range(devices)}, **facts)


def test_the_budget_covers_all_runs_together():
    plan = parse_plan(RATES + "[budget]\nmoney = '4.00 EUR'\nwall_time = '3 h'\ndeadline = 2026-06-01T00:00:00Z\n")
    logs = [log_of(run(key=name), gpu(file=f"{name}.csv"), run_id=name) for name in ("a", "b")]
    lines = {line.name: line for line in budget_lines(together(logs, ledgers(logs, plan)), plan, START)}
    assert lines["money"].over
    assert lines["money"].excess == "50 % over"
    assert not lines["wall_time"].over
    assert lines["deadline"].over
    assert lines["deadline"].excess == "late"
