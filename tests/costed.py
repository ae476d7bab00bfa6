"""Outcomes of detectors of cost and schedule, on what runs took as literals."""

from __future__ import annotations

from datetime import timedelta

from builders import START, log_of, training

from trainreport import detectors
from trainreport.model.case import Case, Family, Sibling
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan_reader import parse_plan

HOUR = timedelta(hours=1)


def money(text):
    return Money.parse(f"{text} EUR")


def outcome(code, plan="", *, curves=None, others=(), as_of=None, ledger=None, seconds_per_step=36.0, **facts):
    """Return the outcome on a run of a hundred steps in an hour, beside others that began at some hours from it."""
    log = log_of(training(curves or {"loss": [1.0] * 101}, seconds_per_step=seconds_per_step, **facts))
    family = [_sibling(log.run.id, 0.0, {})] if others else []
    family += [_sibling(f"other{number}", hours, found) for number, (hours, found) in enumerate(others)]
    taken = ledger or Ledger()
    case = Case(log, parse_plan(plan), taken, Family(family), as_of)
    (found,) = detectors.run(case, [detectors.detector(code)])
    assert found.state is not State.FAILED, found.reason
    return found


def _sibling(run_id, hours, found):
    start = START + hours * HOUR
    return Sibling(run_id, run_id, **{"started_at": start, "ended_at": start + HOUR, **found})
