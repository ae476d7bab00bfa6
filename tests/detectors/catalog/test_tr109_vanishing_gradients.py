"""TR109: gradients that no longer move the weights."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

FLAT = [2.3] * 100
FALL = list(np.geomspace(2.3, 0.1, 100))


@pytest.fixture
def by_layer(judge):
    """Return a function: TR109 on norms of layers; their names are set as importers of histograms do."""
    from builders import log_of, training

    from trainreport import detectors
    from trainreport.model.case import Case
    from trainreport.model.ledger import Ledger
    from trainreport.model.plan import Plan

    def outcome(code="TR109", loss=None, **levels):
        curves = {name: list(np.full(50, level)) if np.isscalar(level) else level for name, level in levels.items()}
        recording = training({**({"train_loss": loss} if loss else {}), **curves})
        series = recording.frame["series"].cat.rename_categories(lambda name: f"gradient/norm/{name}" if name in curves else name)
        recording.frame["series"] = series
        (found,) = detectors.run(Case(log_of(recording), Plan(), Ledger()), [detectors.detector(code)])
        assert found.state is not State.FAILED, found.reason
        return found

    return outcome


def test_a_norm_that_fell_ten_thousandfold_without_learning(judge):
    finding = judge("TR109", {"train_loss": FLAT, "grad_norm": list(np.geomspace(1.0, 1e-6, 100))}, gpu_hours=1).findings[0]
    assert finding.message == (
        "The norm of the gradient fell from 0.535 to 3.77e-6 while the loss fell by 0 %: the weights hardly change any more."
    )
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.MEDIUM)
    assert finding.waste.steps == 19


def test_one_that_is_tiny_all_along(judge):
    assert "stayed at 1e-9" in judge("TR109", {"train_loss": FLAT, "grad_norm": [1e-9] * 100}).findings[0].message


def test_a_run_that_converged_is_clear(judge):
    outcome = judge("TR109", {"train_loss": FALL, "grad_norm": list(np.geomspace(1.0, 1e-8, 100))})
    assert outcome.state is State.CLEAR
    assert outcome.reason.endswith("as the run converged: the loss fell by 95 %")


def test_without_a_loss_confidence_is_low(judge):
    finding = judge("TR109", {"grad_norm": [1e-9] * 100}).findings[0]
    assert finding.confidence is Confidence.LOW
    assert "no loss tells" in finding.message


def test_one_layer_among_others(by_layer):
    finding = by_layer(loss=FLAT[:50], conv1=1e-6, conv2=0.5, conv3=0.4, fc=0.9).findings[0]
    assert finding.message == ("1 layer of 4 (conv1) has a vanishing gradient: its norm is down to 1e-6, that of the middle layer is 0.45.")
    assert finding.severity is Severity.MAJOR
    assert finding.series == "gradient/norm/conv1"


def test_lowered_where_the_loss_fell(by_layer):
    assert by_layer(loss=FALL[::2], conv1=1e-6, conv2=0.5, fc=0.9).findings[0].severity is Severity.MINOR


def test_layers_without_any_gradient_may_be_frozen(by_layer):
    finding = by_layer(conv1=0.0, conv2=0.0, fc=0.9, head=0.8, neck=0.5).findings[0]
    assert "2 layers of 5 (conv1 and conv2) have no gradient at all" in finding.message
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.LOW)


def test_layers_of_like_size_and_biases_are_clear(by_layer):
    outcome = by_layer(conv1=0.02, conv2=0.5, conv3_bias=1e-12, fc=0.9)
    assert outcome.state is State.CLEAR
    assert outcome.reason == "the least norm of 3 layers is 0.02 (conv1)"


def test_the_plan_moves_the_line(judge):
    curves = {"train_loss": FLAT, "grad_norm": [1e-5] * 100}
    assert judge("TR109", curves).state is State.CLEAR
    assert judge("TR109", curves, plan="[thresholds]\nTR109.least = 0.001\n").state is State.FOUND


def test_not_applicable(judge):
    assert judge("TR109", {"train_loss": FLAT}).reason == "no norm of the gradient was logged, neither of the whole nor of layers"
    assert judge("TR109", {"grad_norm": [1.0] * 9}).reason == "no norm of the gradient has 10 finite points"
    assert judge("TR109", {"grad_norm": [float("nan")] * 50}).state is State.NOT_APPLICABLE
