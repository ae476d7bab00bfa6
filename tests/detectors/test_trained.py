"""Training curves: which loss counts, and how curves are matched."""

from __future__ import annotations

import numpy as np
import pytest
from builders import log_of, training

from trainreport.detectors.gradients import gradient_layers, layer_of
from trainreport.detectors.trained import loss_gained, matched, step_of_points, trained_loss
from trainreport.model.case import Case
from trainreport.model.curve import Curve
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan


def case(curves):
    return Case(log_of(training(curves)), Plan(), Ledger())


def made(values, **axes):
    size = len(values)
    missing = np.full(size, np.nan)
    return Curve(
        series="loss",
        phase="train",
        logged="loss",
        unit="1",
        step=np.array(axes.get("step", range(size))),
        epoch=np.array(axes.get("epoch", missing), dtype=float),
        time_s=np.array(axes.get("time_s", missing), dtype=float),
        value=np.array(values, dtype=float),
        file="f",
        has_step="step" in axes,
    )


def test_the_whole_loss_goes_before_its_parts_and_before_metrics():
    found = trained_loss(case({"train_accuracy": [0.1] * 9, "train_box_loss": [3.0] * 9, "train_loss": [2.0, float("nan"), 1.0]}))
    assert found.series == "loss"
    assert found.value.tolist() == [2.0, 1.0]


@pytest.mark.parametrize("curves", [{"train_accuracy": [0.1] * 9}, {"train_loss": [1.0] * 9, "rollout/ep_rew_mean": [1.0] * 9}])
def test_no_loss_without_one_and_beside_rewards(curves):
    assert trained_loss(case(curves)) is None


def test_gain_of_the_loss():
    assert loss_gained(case({"train_loss": list(np.linspace(2.0, 1.0, 100))})) == pytest.approx(0.49, abs=0.01)
    assert loss_gained(case({"train_accuracy": [0.1] * 20})) is None


def test_curves_are_matched_by_step_then_epoch_then_time():
    by_step = matched(made([1, 2, 3], step=[10, 20, 30]), made([5, 6], step=[20, 40]))
    assert (by_step.one.tolist(), by_step.two.tolist(), by_step.at.tolist()) == ([2], [5], [1])
    by_epoch = matched(made([1, 2], step=[1, 2], epoch=[1, 2]), made([5, 6], step=[100, 200], epoch=[2, 3]))
    assert (by_epoch.one.tolist(), by_epoch.two.tolist()) == ([2], [5])
    by_time = matched(made([1, 2], time_s=[7.0, 8.0]), made([5, 6], time_s=[8.0, 9.0]))
    assert (by_time.one.tolist(), by_time.two.tolist()) == ([2], [5])
    assert len(matched(made([1, 2]), made([5, 6])).at) == 0


def test_steps_between_points():
    assert step_of_points(made([1, 2, 3, 4], step=[0, 50, 100, 400])) == 50
    assert step_of_points(made([1, 2, 3])) == 1


def test_layers_are_found_by_name_without_biases():
    recording = training({"a": [1.0] * 3, "b": [2.0] * 3, "c": [3.0] * 3})
    names = {"a": "gradient/norm/conv.weight", "b": "gradient/norm/conv.bias", "c": "gradient/norm"}
    recording.frame["series"] = recording.frame["series"].cat.rename_categories(names)
    found = gradient_layers(Case(log_of(recording), Plan(), Ledger()))
    assert [layer_of(one) for one in found] == ["conv.weight"]
