"""Detectors are judged through ``detectors.run``, as the product does."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import START, log_of, machine, training

from trainreport import detectors
from trainreport.model.case import Case, Family, Sibling
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan

ACCURACY = '[[criteria]]\nid = "accuracy"\nseries = "accuracy"\nthreshold = {}\nunit = "{}"\n'


@pytest.fixture
def judge():
    """Return a function: the outcome of one detector on curves and GPUs from literals."""

    def outcome(code, curves=None, *, devices=None, plan="", gpu_hours=None, interval_s=10.0, **facts):
        recordings = [training(curves, **facts)] if curves else []
        recordings += [machine(devices, interval_s=interval_s)] if devices else []
        case = Case(log_of(*recordings), parse_plan(plan) if plan else Plan(), Ledger(gpu_hours=gpu_hours))
        (found,) = detectors.run(case, [detectors.detector(code)])
        assert found.state is not State.FAILED, found.reason
        return found

    return outcome


@pytest.fixture
def target():
    """Return a function: a plan with one criterion on accuracy."""
    return lambda threshold, unit="share", more="": ACCURACY.format(threshold, unit) + more


@pytest.fixture
def judge_runs():
    """Return a function: the outcome of a detector of several runs, each a day after the one before and of ten GPU-hours.

    The first run is the one that the case is about.
    """

    def outcome(code, runs, plan="", log=None):
        family = Family(_sibling(number, facts) for number, facts in enumerate(runs))
        case = Case(log or log_of(training({"val_accuracy": [0.1, 0.5]})), parse_plan(plan), Ledger(), family)
        (found,) = detectors.run(case, [detectors.detector(code)])
        assert found.state is not State.FAILED, found.reason
        return found

    return outcome


def _sibling(number, facts):
    run_id = "run" if number == 0 else f"run{number}"
    usual = {"series": "accuracy", "phase": "validation", "gpu_hours": 10.0, "started_at": START + timedelta(days=number)}
    return Sibling(run_id, run_id, **{**usual, **facts})
