"""What must not matter does not: shifts of time and step, the scale of a loss, the order of reading."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from builders import START, log_of, machine, training
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport import detectors
from trainreport.model.case import Case
from trainreport.model.finding import State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import RunLog

FEW = settings(max_examples=15, deadline=None)


def curves(seed, scale=1.0, shift=0):
    """Training and validation curves of a kind that the seed chooses, with some noise."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(12, 80))
    fall = np.geomspace(2.0, rng.uniform(0.05, 2.0), size)
    turn = int(rng.integers(1, size))
    held = np.concatenate([np.linspace(2.0, 1.0, turn), np.linspace(1.0, rng.uniform(0.5, 2.0), size - turn)])
    noise = rng.normal(0, rng.choice([0.0, 0.01, 0.1]), (2, size))
    trained, unseen = np.abs(fall + noise[0]) + 0.01, np.abs(held + noise[1]) + 0.01
    if rng.random() < 0.2:
        trained[int(rng.integers(size)) :] = np.nan
    steps = np.arange(size) * 10 + shift
    return {"train_loss": (steps, trained * scale), "val_loss": (steps, unseen * scale)}


def gauges(seed):
    rng = np.random.default_rng(seed)
    return {name: {"gpu/utilization": np.repeat(rng.choice([0.0, 0.1, 0.5, 0.95], 6), 20)} for name in ("gpu0", "gpu1")}


def codes(*recordings, log=None):
    """Return what was found, by code, series and device."""
    case = Case(log or log_of(*recordings), Plan(), Ledger(gpu_hours=1.0))
    outcomes = detectors.run(case)
    assert not [one.reason for one in outcomes if one.state is State.FAILED]
    return {
        (one.code, one.state, *((each.series, each.device, each.severity, each.confidence) for each in one.findings)) for one in outcomes
    }


@FEW
@given(st.integers(0, 10_000), st.integers(-400, 4000))
def test_shifting_all_times_changes_nothing(seed, days):
    start = START + timedelta(days=days)
    plain = codes(training(curves(seed)), machine(gauges(seed)))
    assert codes(training(curves(seed), start=start), machine(gauges(seed), start=start)) == plain


@FEW
@given(st.integers(0, 10_000), st.integers(0, 10**9))
def test_shifting_all_steps_changes_nothing(seed, shift):
    """The first value stands for the steps before it, so that it may not lie at step 0 in one of the two only."""
    first = curves(seed, shift=10)
    assert codes(training(curves(seed, shift=10 + shift), seconds_per_step=0.001)) == codes(training(first, seconds_per_step=0.001))


@FEW
@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.125, 8.0, 1e6]))
def test_scaling_a_loss_changes_nothing(seed, scale):
    assert codes(training(curves(seed, scale=scale))) == codes(training(curves(seed)))


@FEW
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_order_of_reading_changes_nothing(seed, order):
    log = log_of(training(curves(seed)), machine(gauges(seed)))
    mixed = np.random.default_rng(order).permutation(len(log.frame))
    steps = log.frame["phase"].to_numpy() != "system"
    mixed = np.concatenate([mixed[steps[mixed]], np.flatnonzero(~steps)])  # gauges have no steps: their times are their order
    shuffled = RunLog(log.run, log.frame.iloc[mixed].reset_index(drop=True), log.events)
    assert codes(log=shuffled) == codes(log=log)


def test_a_restart_that_repeats_steps_changes_nothing_about_learning():
    held = [*np.linspace(2.0, 0.8, 41), *np.linspace(0.8, 1.6, 61)[1:]]
    fall = list(np.geomspace(2.0, 0.05, 101))
    plain = training({"train_loss": fall, "val_loss": held})
    steps = [*range(70), *range(50, 101)]
    again = training({"train_loss": (steps, fall[:70] + fall[50:]), "val_loss": (steps, held[:70] + held[50:])})
    assert {one for one in codes(again) if one[0].startswith("TR1")} == {one for one in codes(plain) if one[0].startswith("TR1")}


@pytest.mark.parametrize("rows", [200_000])
def test_long_runs_give_the_answers_of_short_ones(rows):
    x = np.linspace(0, 1, rows)
    long = {"train_loss": 2.0 * np.exp(-4 * x), "val_loss": 1 + (x - 0.4) ** 2 * 4}
    short = {name: values[:: rows // 200] for name, values in long.items()}
    assert {one[0] for one in codes(training(long)) if one[1] is State.FOUND} == {
        one[0] for one in codes(training(short)) if one[1] is State.FOUND
    }
