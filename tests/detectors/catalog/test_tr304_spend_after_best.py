"""TR304: GPU time after the best checkpoint."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.decisions.impact import priced
from trainreport.model.finding import Confidence, State
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan_reader import parse_plan

PAST = [*np.linspace(2.0, 0.5, 41), *np.linspace(0.5, 0.9, 61)[1:]]
CURVES = {"val_loss": (range(0, 1010, 10), PAST)}


def test_sixty_percent_of_five_hours(judge):
    outcome = judge("TR304", CURVES, gpu_hours=5)
    finding = outcome.findings[0]
    assert finding.message == "3.0 h of GPU time, 60 % of the run, came after the best checkpoint at step 400."
    assert finding.evidence[0].value == pytest.approx(3 * 3600)
    assert finding.confidence is Confidence.MEDIUM
    [with_price] = priced([outcome], Ledger(cost=Money.parse("40 EUR"), gpu_hours=5.0), parse_plan("[budget]\nmoney = '100 EUR'\n"))
    assert with_price.findings[0].impact.text.startswith("24.00 EUR, 24 % of the budget")


def test_clear(judge):
    late = judge("TR304", {"val_loss": [*np.linspace(2.0, 1.0, 90), *[1.01] * 10]}, gpu_hours=10)
    assert late.reason == "1.0 h of GPU time, 10 %, after the best checkpoint at step 89"
    assert judge("TR304", CURVES, gpu_hours=1).reason == "0.6 h of GPU time, 60 %, after the best checkpoint at step 400"
    lucky = list(np.linspace(2.0, 1.0, 100))
    lucky[20] = 0.9
    assert judge("TR304", {"val_loss": lucky}, gpu_hours=9).reason.endswith("a single value, for the curve went on improving")


def test_not_applicable(judge):
    assert judge("TR304", {"train_loss": PAST}, gpu_hours=5).state is State.NOT_APPLICABLE
    assert judge("TR304", {"val_loss": PAST[:9]}, gpu_hours=5).state is State.NOT_APPLICABLE
    assert judge("TR304", CURVES).reason == "no GPU-hours: not known"


def test_a_limit_changed_by_the_plan(judge):
    assert judge("TR304", CURVES, gpu_hours=5, plan="[thresholds]\nTR304.past = 0.7\n").state is State.CLEAR


EARLY = {"train_loss": (range(10, 1210, 10), list(np.geomspace(0.7, 0.001, 120))), "val_accuracy": (range(30, 1230, 30), [1.0] * 40)}


def test_the_run_begins_before_its_first_evaluation(judge):
    finding = judge("TR304", EARLY, gpu_hours=4).findings[0]
    assert finding.message == "3.9 h of GPU time, 98 % of the run, came after the best checkpoint at step 30."


def test_nothing_learned_has_no_best(judge, target):
    curves = {"train_loss": [2.303] * 60, "val_accuracy": [0.1117] * 7 + [0.0778] * 53}
    outcome = judge("TR304", curves, gpu_hours=5, plan=target(0.9, more="chance = 0.1\n"))
    assert outcome.state is State.CLEAR
    assert "guessing gives 10 %; nothing had been learned" in outcome.reason
