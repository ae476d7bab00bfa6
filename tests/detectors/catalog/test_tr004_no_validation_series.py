"""TR004: nothing on held-out data."""

from __future__ import annotations

from trainreport.model.finding import Severity, State

FALL = [3.0, 2.0, 1.0]


def test_training_alone_is_major(judge):
    finding = judge("TR004", {"train_loss": FALL, "train_accuracy": FALL}).findings[0]
    assert finding.message == "No loss or metric was logged on validation or test data: what the model does on new data is not known."
    assert (finding.severity, finding.evidence[0].n) == (Severity.MAJOR, 2)


def test_the_return_of_rollouts_stands_in_for_it(judge):
    finding = judge("TR004", {"train/loss": FALL, "rollout/ep_rew_mean": FALL}).findings[0]
    assert finding.severity is Severity.MINOR
    assert "only the return of its own rollouts is known" in finding.message


def test_one_held_out_series_is_enough(judge):
    assert judge("TR004", {"train_loss": FALL, "val_loss": FALL}).reason == "1 series on held-out data: loss"
    assert judge("TR004", {"test_accuracy": FALL}).state is State.CLEAR


def test_nothing_with_a_direction(judge):
    assert judge("TR004", {"my_own_number": FALL}).state is State.NOT_APPLICABLE
    assert judge("TR004", devices={"gpu0": {"gpu/utilization": [0.5] * 9}}).state is State.NOT_APPLICABLE
