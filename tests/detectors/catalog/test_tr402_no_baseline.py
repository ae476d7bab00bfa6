"""TR402: nothing to compare with."""

from __future__ import annotations

from trainreport.model.finding import Severity, State

CURVE = {"val_accuracy": [0.5, 0.9]}


def test_no_criterion_has_one(judge, target):
    finding = judge("TR402", CURVE, plan=target(0.9)).findings[0]
    assert finding.message == "No criterion of the plan has a baseline: what the training is worth cannot be said."
    assert finding.severity is Severity.NOTE


def test_chance_is_a_weak_stand_in(judge, target):
    assert (
        "; only what guessing gives is known (0.5):" in judge("TR402", CURVE, plan=target(0.9, more="chance = 0.5\n")).findings[0].message
    )


def test_clear_and_not_applicable(judge, target):
    assert judge("TR402", CURVE, plan=target(0.9, more="baseline = 0.8\n")).reason == "criterion accuracy has a baseline of 0.8"
    assert judge("TR402", CURVE).state is State.NOT_APPLICABLE
