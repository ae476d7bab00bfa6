"""TR308: the forecast beside the target."""

from __future__ import annotations

import pytest
from costed import outcome

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Forecast, Ledger

PLAN = "[[criteria]]\nid = 'accuracy'\nseries = 'accuracy'\nthreshold = 0.90\nunit = 'share'\n"
CURVES = {"val_accuracy": [0.5, 0.6, 0.7, 0.8]}


def foretold(chance, low=0.82, high=0.88):
    return Ledger(forecast=Forecast("accuracy", 0.90, chance, low, 0.85, high, 4000, None, "boosted trees"))


def test_more_likely_missed_than_reached():
    finding = outcome("TR308", PLAN, curves=CURVES, ledger=foretold(0.12)).findings[0]
    assert finding.message == (
        "The chance that accuracy reaches 90 % by step 4,000, within budget and deadline, is 12 %; "
        "it is foretold to end between 82 % and 88 %."
    )
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.MEDIUM)
    assert finding.evidence[0].value == 0.12
    assert (finding.evidence[1].low, finding.evidence[1].value, finding.evidence[1].high) == (0.82, 0.85, 0.88)
    assert (finding.series, finding.phase) == ("accuracy", "validation")


@pytest.mark.parametrize(("chance", "confidence"), [(0.01, Confidence.HIGH), (0.4, Confidence.LOW)])
def test_confidence_follows_the_chance(chance, confidence):
    assert outcome("TR308", PLAN, curves=CURVES, ledger=foretold(chance)).findings[0].confidence is confidence


def test_clear():
    assert outcome("TR308", PLAN, curves=CURVES, ledger=foretold(0.7)).reason == "the chance of reaching accuracy of 90 % is 70 %"
    met = outcome("TR308", PLAN, curves={"val_accuracy": [0.5, 0.91, 0.8]}, ledger=foretold(0.1))
    assert met.reason == "accuracy has reached its target of 90 %"


def test_not_applicable():
    why = Ledger(basis={"forecast": "not forecast: the plan has no mandatory criterion"})
    assert outcome("TR308", PLAN, curves=CURVES, ledger=why).reason == "not forecast: the plan has no mandatory criterion"
    assert outcome("TR308", PLAN, curves=CURVES).reason == "no forecast was made"
    assert outcome("TR308", PLAN, curves=CURVES, ledger=foretold(None)).state is State.NOT_APPLICABLE


def test_a_limit_changed_by_the_plan():
    plan = PLAN + "[thresholds]\nTR308.chance = 0.1\n"
    assert outcome("TR308", plan, curves=CURVES, ledger=foretold(0.12)).state is State.CLEAR
