"""TR507: nothing was agreed on."""

from __future__ import annotations

import pytest

from trainreport.model.finding import State

LOSS = {"train_loss": [2.0, 1.0]}


@pytest.mark.parametrize(
    ("plan", "what"),
    [("", "No plan was given"), ("[tags]\nteam = 'crm'\n", "The plan has neither a criterion nor a budget")],
)
def test_found(judge, plan, what):
    finding = judge("TR507", LOSS, plan=plan).findings[0]
    assert finding.message == f"{what}: what this run was for, and when it should have stopped, was not agreed on."


def test_a_criterion_or_a_budget_is_a_plan(judge, target):
    assert judge("TR507", LOSS, plan=target(0.9)).reason == "the plan has 1 criterion and no budget"
    assert judge("TR507", LOSS, plan="[budget]\ngpu_hours = 4\n").state is State.CLEAR
