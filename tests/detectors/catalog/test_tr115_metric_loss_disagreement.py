"""TR115: loss and metric go different ways on held-out data."""

from __future__ import annotations

import numpy as np
import pytest

from trainreport.model.finding import Confidence, Severity, State

TURNS = [*np.linspace(2.0, 0.5, 30), *np.linspace(0.5, 1.0, 71)[1:]]
HOLDS = [*np.linspace(0.5, 0.9, 40), *[0.9] * 60]
FALLS = list(np.geomspace(2.0, 0.2, 100))
DROPS = [*np.linspace(0.5, 0.9, 40), *np.linspace(0.9, 0.7, 60)]


def test_a_loss_that_rises_while_accuracy_holds(judge):
    finding = judge("TR115", {"val_loss": TURNS, "val_accuracy": HOLDS}).findings[0]
    assert finding.message == (
        "Validation loss was best with 0.5 at step 29 and ended at 0.986 while validation accuracy was best with 90 % at step 39 "
        "and ended at 90 %: the model got surer, not more often wrong."
    )
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.series == "loss"
    assert finding.evidence[0].value == pytest.approx(0.47, abs=0.03)


def test_a_metric_that_falls_while_the_loss_improves(judge):
    finding = judge("TR115", {"val_loss": FALLS, "val_f1": DROPS}).findings[0]
    assert finding.series == "f1"
    assert finding.message.endswith("what is minimised is not what is wanted.")


@pytest.mark.parametrize(
    "curves",
    [
        {"val_loss": FALLS, "val_accuracy": HOLDS},
        {"val_loss": TURNS, "val_accuracy": DROPS},
        {"val_loss": TURNS, "val_accuracy": HOLDS, "val_f1": DROPS},
        {"val_loss": FALLS, "val_accuracy": HOLDS, "val_recall": DROPS},
    ],
    ids=["both improve", "both got worse", "one metric got worse too", "recall is traded"],
)
def test_silent(judge, curves):
    outcome = judge("TR115", curves)
    assert outcome.state is State.CLEAR
    assert outcome.reason.endswith("both tell the same")


def test_the_plan_moves_the_line(judge):
    plan = "[thresholds]\nTR115.relative_rise = 2\n"
    assert judge("TR115", {"val_loss": TURNS, "val_accuracy": HOLDS}, plan=plan).state is State.CLEAR


def test_not_applicable(judge):
    assert judge("TR115", {"val_loss": TURNS}).reason == "no metric was logged on held-out data to compare with"
    assert judge("TR115", {"val_accuracy": HOLDS}).reason == "no loss was logged on held-out data to compare with"
    short = judge("TR115", {"val_loss": TURNS[:9], "val_accuracy": HOLDS[:9]})
    assert short.reason == "fewer than 10 finite evaluations of the loss or of a metric"


def test_what_never_learned_neither_holds_nor_gets_worse(judge, target):
    curves = {
        "train_loss": [2.3026 + 0.004 * (-1) ** at for at in range(120)],
        "val_loss": list(np.linspace(2.305, 2.308, 30)),
        "val_accuracy": [0.1117] * 7 + [0.0778] * 23,
    }
    for plan in ("", target(0.97, more="chance = 0.1\n")):
        outcome = judge("TR115", curves, plan=plan)
        assert outcome.state is State.CLEAR
        assert "nothing had been learned" in outcome.reason
