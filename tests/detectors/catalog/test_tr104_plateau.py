"""TR104: nothing gained in the last third."""

from __future__ import annotations

import math

import numpy as np

from trainreport.model.finding import Confidence, Severity, State

LEVEL = [*np.linspace(0.1, 0.8, 31), *[0.8] * 70]


def test_a_plateau_and_where_it_began(judge):
    finding = judge("TR104", {"val_accuracy": LEVEL}, gpu_hours=10).findings[0]
    assert finding.severity is Severity.NOTE
    assert finding.message == "Validation accuracy has not improved on 80 % by more than 0.5 % of its range since step 30."
    assert finding.confidence is Confidence.MEDIUM
    assert finding.waste.steps == 70
    assert finding.evidence[0].from_step == 68  # the last third of 101


def test_a_curve_that_got_worse_says_so(judge):
    worse = [*np.linspace(2.0, 0.5, 41), *np.linspace(0.5, 1.5, 60)]
    assert judge("TR104", {"val_loss": worse}).findings[0].message.endswith("since step 40 and has got worse since.")


def test_a_curve_that_improves_is_clear(judge):
    outcome = judge("TR104", {"val_loss": list(np.linspace(2.0, 1.0, 100))})
    assert outcome.state is State.CLEAR
    assert "still gained 33 % of its range" in outcome.reason


def test_the_criterion_chooses_the_curve(judge, target):
    curves = {"val_loss": list(np.linspace(2.0, 1.0, 101)), "val_accuracy": LEVEL}
    assert judge("TR104", curves).state is State.CLEAR
    assert judge("TR104", curves, plan=target(0.9)).findings[0].series == "accuracy"


def test_training_data_only_is_said_and_of_low_confidence(judge):
    finding = judge("TR104", {"train_loss": [*np.linspace(2.0, 1.0, 31), *[1.0] * 70]}).findings[0]
    assert "nothing was logged on held-out data" in finding.message
    assert finding.confidence is Confidence.LOW


def test_too_little_and_nan(judge):
    assert judge("TR104", {"val_loss": [1.0] * 11}).state is State.NOT_APPLICABLE
    assert judge("TR104", {"lr": [1.0] * 50}).state is State.NOT_APPLICABLE
    assert judge("TR104", {"val_loss": [math.nan] * 50}).state is State.NOT_APPLICABLE
    holes = [math.nan if at % 7 == 3 else value for at, value in enumerate(LEVEL)]
    assert judge("TR104", {"val_accuracy": holes}).state is State.FOUND


def test_a_constant_is_a_plateau_from_its_start(judge):
    assert "since step 0" in judge("TR104", {"val_loss": [1.0] * 40}).findings[0].message
