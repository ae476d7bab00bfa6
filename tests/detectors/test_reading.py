"""What detectors read from curves, and how they word it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trainreport.detectors import reading, wording
from trainreport.model.curve import Curve
from trainreport.model.plan import Criterion


def made(values, series="loss", phase="validation", step=None, time=None, **more):
    size = len(values)
    return Curve(
        series=series,
        phase=phase,
        logged=series,
        unit="1",
        step=np.arange(size) if step is None else np.array(step),
        epoch=np.full(size, np.nan),
        time_s=np.full(size, np.nan) if time is None else np.array(time, dtype=float),
        value=np.array(values, dtype=float),
        file="f",
        **more,
    )


def test_values_have_the_digits_that_tell_them_apart():
    assert wording.values(made([0.5], "accuracy"), 0.851, 0.849) == ["85.1 %", "84.9 %"]
    assert wording.values(made([50.0], "accuracy"), 85.0, 78.0) == ["85 %", "78 %"]
    assert wording.values(made([0.5]), 2.3026, 2.3021) == ["2.303", "2.302"]
    assert wording.values(made([0.5]), 12_345.6) == ["12,346"]


def test_places_and_names():
    assert wording.place(made([1, 2], step=[5, 12_000]), 1) == "step 12,000"
    assert wording.place(replace(made([1, 2], has_step=False), epoch=np.array([1.0, 2.0])), 1) == "epoch 2"
    assert wording.place(made([1, 2], has_step=False), 0) == "point 1 of 2"
    assert wording.series(made([1], "loss/box", "train")) == "training loss box"
    assert wording.device(made([1], device="gpu1", node="node-a")) == "GPU 1 on node-a"
    assert wording.device(made([1], device="MIG-3")) == "MIG-3"


def test_since_matches_by_step_then_time_and_never_by_position():
    held = made([1, 2, 3], step=[10, 20, 30], time=[100, 200, 300])
    assert reading.since(made(range(30), step=range(1, 31)), held, 1).step.tolist() == list(range(20, 31))
    batches = made(range(10), step=range(0, 1000, 100), time=range(30, 330, 30))
    assert reading.since(batches, held, 1).time_s.min() == 210
    assert len(reading.since(made(range(10), step=range(0, 1000, 100)), held, 1)) == 0


def test_the_sound_part_ends_where_it_breaks():
    nan = float("nan")
    assert reading.sound_part(made([nan, 1, 2, nan, 3])).value.tolist() == [1, 2]
    assert len(reading.sound_part(made([nan, nan]))) == 0
    assert reading.finite(made([nan, 1, np.inf, 3])).value.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("values", "unit", "wanted"), [([0.8], "share", 0.9), ([80.0], "share", 90.0), ([80.0], "percent", 0.9), ([0.8], "percent", 0.009)]
)
def test_targets_in_the_unit_of_the_curve(values, unit, wanted):
    criterion = Criterion("a", "accuracy", 0.9, unit=unit)
    assert reading.in_unit_of(made(values, "accuracy"), criterion, 0.9) == pytest.approx(wanted)


def test_a_loss_is_never_rescaled():
    assert reading.in_unit_of(made([80.0], "loss"), Criterion("a", "loss", 0.9, unit="share"), 0.9) == 0.9


def test_meets_within_tolerance():
    criterion = Criterion("a", "accuracy", 0.9, tolerance=0.01, unit="share")
    assert reading.meets(criterion, made([89.5], "accuracy"), 89.5)
    assert not reading.meets(criterion, made([88.5], "accuracy"), 88.5)


def test_all_is_never_said_of_less():
    assert wording.values(made([0.5], "accuracy"), 0.997) == ["99.7 %"]
    assert wording.values(made([99.0], "accuracy"), 99.96) == ["> 99.9 %"]
    assert wording.values(made([0.5], "accuracy"), 1.0) == ["100 %"]
