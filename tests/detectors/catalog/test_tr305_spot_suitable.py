"""TR305: would spot capacity have done."""

from __future__ import annotations

import pytest
from costed import money, outcome

from trainreport.decisions.impact import priced
from trainreport.importers.recording import Event
from trainreport.model.finding import Severity, State
from trainreport.model.ledger import DeviceUse, Ledger
from trainreport.model.plan_reader import parse_plan

PLAN = "[rates]\ngpu_hour = '3.00 EUR'\nspot_gpu_hour = '1.20 EUR'\n"
SAVED = {"events": (Event("checkpoint", "models/last.ckpt"),)}


def held(*hours, model=None):
    devices = tuple(DeviceUse("gpu", f"gpu{number}", None, model, one) for number, one in enumerate(hours))
    return Ledger(gpu_hours=sum(hours), devices=devices, cost=money(3 * sum(hours)))


def test_a_run_with_checkpoints():
    found = outcome("TR305", PLAN, ledger=held(8, 2), **SAVED)
    finding = found.findings[0]
    assert finding.message == (
        "The 10.0 h of GPU time would have cost 60 % less on spot capacity, and the run can be resumed (checkpoints: models/last.ckpt)."
    )
    assert finding.severity is Severity.NOTE
    assert finding.waste.gpu_s == pytest.approx(6 * 3600)
    [with_price] = priced([found], held(8, 2), parse_plan(PLAN))
    assert with_price.findings[0].impact.money.plain() == "18.00"  # 10 hours at 1.80 less


def test_a_run_that_survived_a_restart():
    curves = {"loss": ([*range(60), *range(40, 101)], [1.0] * 121)}
    assert "it went on after 1 restart" in outcome("TR305", PLAN, curves=curves, ledger=held(8), seconds_per_step=0).findings[0].message
    anew = {"loss": ([*range(60), *range(101)], [1.0] * 161)}
    assert outcome("TR305", PLAN, curves=anew, ledger=held(8), seconds_per_step=0).state is State.CLEAR


def test_rates_by_model():
    plan = PLAN + "by_model = { 'Tesla T4' = '1.60 EUR' }\n"
    assert outcome("TR305", plan, ledger=held(8, model="Tesla T4"), **SAVED).findings[0].waste.gpu_s == pytest.approx(2 * 3600)


def test_clear():
    assert outcome("TR305", PLAN, ledger=held(0.5), **SAVED).reason == "0.5 h of GPU time; spot is worth a change from 1.0 h on"
    assert "nothing shows that the run can be resumed" in outcome("TR305", PLAN, ledger=held(8)).reason
    dear = PLAN.replace("1.20", "3.30")
    assert outcome("TR305", dear, ledger=held(8), **SAVED).reason == "spot is not cheaper: 110 % of the rate of these GPUs"
    assert outcome("TR305", PLAN, ledger=held(8), tags={"capacity_type": "SPOT"}, **SAVED).state is State.CLEAR
    assert outcome("TR305", PLAN, ledger=held(8), tags={"spot": "false"}, **SAVED).state is State.FOUND


def test_not_applicable():
    assert outcome("TR305", "[rates]\ngpu_hour = '3.00 EUR'\n", ledger=held(8), **SAVED).reason == "the plan gives no spot_gpu_hour"
    assert outcome("TR305", PLAN, ledger=Ledger(), **SAVED).reason == "no GPU-hours are known at a rate of the plan"
    assert outcome("TR305", "[rates]\nspot_gpu_hour = '1 EUR'\n", ledger=held(8), **SAVED).state is State.NOT_APPLICABLE


def test_a_limit_changed_by_the_plan():
    assert outcome("TR305", PLAN + "[thresholds]\nTR305.hours = 9\n", ledger=held(8), **SAVED).state is State.CLEAR
