"""TR110: gradients that grow by powers of ten."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Severity, State

RNG = np.random.default_rng(4)
USUAL = np.exp(RNG.normal(0, 0.2, 400))
LOSS = list(np.geomspace(2.0, 1.0, 400))


def jumping(*places, factor=100.0):
    values = USUAL.copy()
    for place in places:
        values[place : place + 2] *= factor
    return list(values)


def test_a_norm_that_grows_for_good(judge):
    growing = [*USUAL[:200], *np.geomspace(1.0, 1e4, 200)]
    finding = judge("TR110", {"grad_norm": growing}).findings[0]
    assert finding.severity is Severity.MAJOR
    assert finding.message.startswith("The norm of the gradient grew from 0.9")
    assert finding.evidence[0].value == pytest.approx(7000, rel=0.3)


def test_many_jumps_are_major_and_few_are_minor(judge):
    many = judge("TR110", {"grad_norm": jumping(50, 150, 250, 350)}).findings[0]
    assert many.severity is Severity.MAJOR
    assert many.message.startswith("The norm of the gradient jumped 4 times, most at step ")
    few = judge("TR110", {"grad_norm": jumping(200)}).findings[0]
    assert few.severity is Severity.MINOR
    assert "jumped once, at step 20" in few.message


def test_above_the_loss_from_the_beginning(judge):
    finding = judge("TR110", {"train_loss": LOSS, "grad_norm": list(USUAL * 1e6)}).findings[0]
    assert finding.severity is Severity.MAJOR
    assert "times the loss at the beginning" in finding.message
    assert judge("TR110", {"train_loss": LOSS, "grad_norm": list(USUAL * 100)}).state is State.CLEAR


def test_growth_back_to_the_start_is_clear(judge):
    valley = np.concatenate([np.geomspace(1.0, 1e-3, 200), np.geomspace(1e-3, 1.0, 200)])
    outcome = judge("TR110", {"grad_norm": list(valley)})
    assert outcome.state is State.CLEAR
    assert outcome.reason.startswith("the norm of the gradient ends at 0.")


def test_the_plan_moves_the_line(judge):
    plan = "[thresholds]\nTR110.jump = 1000\n"
    assert judge("TR110", {"grad_norm": jumping(200)}, plan=plan).state is State.CLEAR


def test_clipping_is_named_where_the_parameters_have_it(judge):
    assert (
        judge("TR110", {"grad_norm": jumping(200)}, params={"max_grad_norm": "1.0"})
        .findings[0]
        .message.endswith("; clipping is among the run's parameters.")
    )


def test_a_norm_at_its_ceiling_tells_nothing(judge):
    clipped = list(np.minimum(USUAL, 0.9))
    outcome = judge("TR110", {"grad_norm": clipped})
    assert outcome.state is State.NOT_APPLICABLE
    assert "of its values stand at 0.9" in outcome.reason


def test_infinities_are_left_to_tr106(judge):
    holes = [float("inf") if at in (100, 200) else value for at, value in enumerate(USUAL)]
    assert judge("TR110", {"grad_norm": holes}).state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR110", {"train_loss": LOSS}).reason == "no norm of the gradient was logged, neither of the whole nor of layers"
    assert judge("TR110", {"grad_norm": [1.0] * 19}).reason == "no norm of the gradient has 20 finite points above zero"
    assert judge("TR110", {"grad_norm": [0.0] * 90}).state is State.NOT_APPLICABLE
