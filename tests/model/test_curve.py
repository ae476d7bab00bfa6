from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import log_of, machine, training

from trainreport.model.case import Case
from trainreport.model.curve import curve, curves
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Criterion
from trainreport.model.plan_reader import parse_plan


def test_the_later_attempt_counts_from_where_it_rewound():
    log = log_of(training({"loss": ([0, 1, 2, 3, 2, 3, 4], [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0])}))
    found = curve(log, "loss", "train")
    assert found.step.tolist() == [0, 1, 2, 3, 4]
    assert found.value.tolist() == [9.0, 8.0, 5.0, 4.0, 3.0]
    assert len(log.frame) == 7  # nothing is deleted


def test_of_two_names_the_one_with_most_points_unless_the_plan_names_the_other():
    log = log_of(training({"val_acc": [0.1, 0.2, 0.3], "eval/accuracy": [0.5, 0.6]}))
    found = curve(log, "accuracy", "validation")
    assert (found.logged, found.others) == ("val_acc", ("eval/accuracy",))
    plan = parse_plan('[[criteria]]\nid = "a"\nseries = "eval/accuracy"\nthreshold = 0.9\n')
    assert Case(log, plan, Ledger()).curve("accuracy", "validation").logged == "eval/accuracy"


def test_of_several_processes_the_lowest_rank_counts():
    first, second = training({"loss": [5.0, 4.0]}), training({"loss": [9.0, 8.0]})
    ranked = [replace(one, frame=one.frame.assign(rank=rank).astype({"rank": "Int32"})) for one, rank in ((first, 1), (second, 0))]
    assert curve(log_of(*ranked), "loss", "train").value.tolist() == [9.0, 8.0]


def test_absent_series_is_none():
    assert curve(log_of(training({"loss": [1.0]})), "accuracy", "validation") is None


def test_one_curve_for_each_device():
    log = log_of(machine({"gpu0": {"gpu/utilization": [0.5, 0.6]}, "gpu1": {"gpu/utilization": [0.0, 0.0]}}))
    found = curves(log, "gpu/utilization")
    assert [one.device for one in found] == ["gpu0", "gpu1"]
    assert np.diff(found[0].time_s).tolist() == [10.0]


def test_a_part_cuts_every_axis():
    whole = curve(log_of(training({"loss": ([5, 6, 7], [1.0, 2.0, 3.0])})), "loss", "train")
    for kept in (np.array([True, False, True]), slice(0, 3, 2)):
        part = whole.part(kept)
        assert (part.value.tolist(), part.step.tolist(), len(part.time_s), len(part.epoch)) == ([1, 3], [5, 7], 2, 2)


@pytest.mark.parametrize(
    ("series", "values", "share", "percent"),
    [
        ("val_acc", [0.5, 1.02], True, False),
        ("val_acc", [0.5, 93.0, np.nan], True, True),
        ("val_acc", [0.5, np.inf, np.nan], True, False),
        ("val_loss", [0.5, 93.0], False, False),
    ],
)
def test_a_share_above_one_and_a_half_is_percent(series, values, share, percent):
    name = {"val_acc": "accuracy", "val_loss": "loss"}[series]
    found = curve(log_of(training({series: values})), name, "validation")
    assert (found.is_share, found.is_percent, found.whole) == (share, percent, 100.0 if percent else 1.0)


@pytest.mark.parametrize(
    ("unit", "threshold", "values", "factor"),
    [
        ("share", 0.9, [0.5, 0.8], 1.0),
        ("share", 0.9, [50.0, 80.0], 0.01),
        ("percent", 90.0, [0.5, 0.8], 100.0),
        ("percent", 90.0, [50.0, 80.0], 1.0),
        ("as logged", 90.0, [50.0, 80.0], 1.0),
        ("as logged", 0.9, [50.0, 80.0], None),
        ("as logged", 0.0, [50.0, 80.0], 1.0),
    ],
)
def test_a_criterion_says_how_logged_shares_come_into_its_unit(unit, threshold, values, factor):
    found = curve(log_of(training({"val_acc": values})), "accuracy", "validation")
    assert Criterion("a", "accuracy", threshold, unit=unit).factor(found) == factor
