"""Where a run ends by its plan."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest
from builders import START, log_of, training

from trainreport.business.horizon import horizon
from trainreport.model.curve import curve
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan import Budget, Plan, Training

HOUR = 3600.0


def at(plan, *, ledger=None, as_of=None, seconds_per_step=36.0):
    """Return the end and the share used of a run of 101 steps, one each 36 s: an hour."""
    log = log_of(training({"val/accuracy": np.linspace(0.1, 0.8, 101)}, seconds_per_step=seconds_per_step))
    course = curve(log, "accuracy", "validation")
    end = horizon(course, log.run, plan, ledger, as_of)
    return end, None if end is None else end.used(course, log.run)


def test_a_budget_of_time():
    end, used = at(Plan(budget=Budget(wall_time_s=4 * HOUR)))
    assert used[[0, 50, 100]] == pytest.approx([0.0, 0.125, 0.25])
    assert (end.at_step, end.at_time_s) == (400, START.timestamp() + 4 * HOUR)


def test_planned_steps():
    end, used = at(Plan(training=Training(steps=200)))
    assert (end.axis, end.at_step, used[-1]) == ("step", 200, 0.5)
    assert end.at_time_s == pytest.approx(START.timestamp() + 2 * HOUR)


def test_the_end_that_comes_first_counts():
    end, used = at(Plan(budget=Budget(wall_time_s=4 * HOUR), training=Training(steps=200)))
    assert (end.axis, used[-1]) == ("step", 0.5)
    end, used = at(Plan(budget=Budget(wall_time_s=1.25 * HOUR), training=Training(steps=200)))
    assert (end.axis, end.at_step, used[-1]) == ("time_s", 125, pytest.approx(0.8))


def test_gpu_hours_and_money_go_on_at_the_same_pace():
    ledger = Ledger(wall_s=HOUR, gpu_hours=8.0, cost=Money(Decimal(24), "EUR"))
    assert at(Plan(budget=Budget(gpu_hours=16.0)), ledger=ledger)[1][-1] == pytest.approx(0.5)
    assert at(Plan(budget=Budget(money=Money(Decimal(96), "EUR"))), ledger=ledger)[1][-1] == pytest.approx(0.25)


def test_money_in_another_currency_says_nothing():
    ledger = Ledger(wall_s=HOUR, cost=Money(Decimal(24), "EUR"))
    assert at(Plan(budget=Budget(money=Money(Decimal(96), "USD"))), ledger=ledger)[0] is None


def test_a_run_that_stands_still_comes_nearer_to_its_deadline():
    plan = Plan(budget=Budget(deadline=START + timedelta(hours=5)))
    assert at(plan)[1][-1] == pytest.approx(0.2)
    end, used = at(plan, as_of=START + timedelta(hours=4))
    assert used[-1] == pytest.approx(0.5)  # one hour trained, one hour is left
    assert end.at_time_s == START.timestamp() + 5 * HOUR


def test_no_end_without_a_plan():
    assert at(Plan())[0] is None


def test_without_times_only_what_is_counted():
    plan = Plan(budget=Budget(wall_time_s=HOUR), training=Training(steps=400))
    end, used = at(plan, seconds_per_step=0.0)
    assert (end.axis, used[-1], end.at_time_s) == ("step", 0.25, None)


def test_a_deadline_before_the_run_is_used_up():
    assert at(Plan(budget=Budget(deadline=START - timedelta(days=60))))[1][-1] > 1
