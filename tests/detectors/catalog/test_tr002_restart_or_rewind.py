"""TR002: started again."""

from __future__ import annotations

import pytest

from trainreport.model.finding import Severity, State


def test_a_rewind_says_from_where_to_where(judge):
    steps = [0, 10, 20, 30, 20, 30, 40]
    finding = judge("TR002", {"train_loss": (steps, [7.0, 6, 5, 4, 5, 4, 3])}, seconds_per_step=0).findings[0]
    assert finding.message == "The run was started again 1 time, from step 30 back to 20; 2 logged steps were done twice."
    assert [one.value for one in finding.evidence] == [1.0, 2.0]
    assert finding.severity is Severity.MINOR


def test_of_several_the_first_is_named(judge):
    steps = [0, 10, 20, 10, 20, 30, 20, 30]
    message = judge("TR002", {"train_loss": (steps, [1.0] * 8)}, seconds_per_step=0).findings[0].message
    assert message.startswith("The run was started again 2 times, first from step 20 back to 10;")


def test_a_run_in_one_go(judge):
    outcome = judge("TR002", {"train_loss": [3.0, 2.0, 1.0], "val_loss": ([0, 2], [3.0, 2.0])})
    assert outcome.state is State.CLEAR
    assert outcome.reason == "3 entries of train_loss, each step once and in one go"


@pytest.mark.parametrize("devices", [{"gpu0": {"gpu/utilization": [0.5] * 20}}])
def test_a_machine_has_no_steps(judge, devices):
    assert judge("TR002", devices=devices).reason == "no step of training was logged"
