"""The forecast: what it says, when it declines, and what may not change it."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from builders import START, log_of, training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.forecast import Past, bounds, card, corrected, forecast, unlikeness
from trainreport.model.plan import Budget, Criterion, Plan, Training

STEPS = np.arange(0, 101)
RISING = 0.9 - 0.8 * np.exp(-STEPS / 25)


def run(values, *, key="run", name="val/accuracy", **more):
    return log_of(training({name: (range(len(values)), list(values))}, key=key, **more), run_id=key)


def planned(threshold=0.85, *, steps=200, **more):
    return Plan(criteria=(Criterion("first", "accuracy", threshold, **more),), training=Training(steps=steps))


def told(log, plan, history=(), as_of=None):
    return forecast(log, plan, ledger=None, history=history, as_of=as_of)


def test_a_forecast_is_complete():
    found, basis = told(run(RISING), planned(0.95))
    assert (found.criterion, found.target, found.at_step) == ("first", 0.95, 200)
    assert 0 < found.probability < 1
    assert RISING[-1] <= found.low <= found.mid <= found.high
    assert basis == "from 101 evaluations over 50 % of the 200 steps that were planned; no past run of the same task is at hand"


def test_a_target_that_is_reached_is_certain():
    found, basis = told(run(RISING), planned(0.5))
    assert found.probability == 1.0
    assert found.low >= 0.5
    assert "reached" in basis


def test_a_target_within_tolerance_is_reached():
    near = float(RISING[-1]) + 0.005
    assert told(run(RISING), planned(near, tolerance=0.01))[0].probability == 1.0
    assert told(run(RISING), planned(near))[0].probability < 1.0


def test_a_far_target_is_less_likely_than_a_near_one():
    near, far = (told(run(RISING), planned(threshold))[0].probability for threshold in (0.89, 1.4))
    assert far < near


def test_lower_is_better():
    plan = Plan(criteria=(Criterion("loss", "loss", 0.15, comparator="<="),), training=Training(steps=200))
    falling = 2.0 - 2 * RISING
    found, _ = told(run(falling, name="val/loss"), plan)
    assert found.low <= found.mid <= found.high <= falling.min()


def test_the_last_value_may_also_fall_back():
    overfitted = np.concatenate([RISING[:50], np.linspace(RISING[49], 0.5, 51)])
    last, basis = told(run(overfitted), planned(statistic="final"))
    best, _ = told(run(overfitted), planned())
    assert last.low < overfitted.max() <= best.low
    assert "read off the interval" in basis


def test_percent_and_share_are_the_same():
    shares, percents = told(run(RISING), planned(0.85)), told(run(100 * RISING), planned(0.85, unit="share"))
    assert percents[0].probability == pytest.approx(shares[0].probability)
    assert percents[0].high == pytest.approx(shares[0].high)


@pytest.mark.parametrize(
    ("log", "plan", "why"),
    [
        (run(RISING), Plan(training=Training(steps=200)), "no mandatory criterion"),
        (run(RISING), planned(mandatory=False), "no mandatory criterion"),
        (run(RISING), planned(phase="test"), "no series 'accuracy' in phase 'test'"),
        (run([0.1, 0.2, 0.3]), planned(steps=4), "3 evaluations, a forecast takes 4"),
        (run([0.1, 0.2, 0.3, 0.4, math.nan]), planned(steps=10), "not a number"),
        (run([0.1] * 20), planned(steps=40), "same value at every evaluation"),
        (run(100 * RISING), planned(0.85), "differ in unit"),
        (run(RISING), planned(steps=None), "sets no budget, deadline, steps or epochs"),
        (run(RISING), planned(steps=100), "the 100 steps that were planned are used up"),
        (run(RISING), planned(steps=10_000), "only 1 % of the 10,000 steps that were planned is used"),
    ],
)
def test_it_declines_with_a_reason(log, plan, why):
    found, reason = told(log, plan)
    assert found is None
    assert reason.startswith("not forecast: ")
    assert why in reason


def test_missing_values_inside_are_left_out():
    holed = RISING.copy()
    holed[40] = math.nan
    assert "from 100 evaluations" in told(run(holed), planned())[1]


def test_past_runs_correct_the_chance():
    log, plan = run(RISING), planned(0.95)
    alone = told(log, plan)[0].probability
    slow = np.concatenate([RISING, np.linspace(RISING[-1], 0.96, 100)])
    stuck = np.concatenate([RISING, np.full(100, RISING[-1])])
    good = [run(slow, key=f"good{at}") for at in range(5)]
    bad = [run(stuck, key=f"bad{at}") for at in range(5)]
    up, basis = told(log, plan, good)
    down, _ = told(log, plan, bad)
    assert down.probability < alone < up.probability
    assert "5 past runs of the same task corrected the chance" in basis
    assert (up.low, up.high) == (down.low, down.high)


def test_neither_itself_nor_a_run_without_known_end_is_history():
    log, plan = run(RISING), planned(0.95)
    assert told(log, plan, [log, run(RISING[:60], key="stopped")]) == told(log, plan)


def test_a_beta_distribution_that_began_at_the_chance():
    assert corrected(0.5, np.array([]), np.array([])) == 0.5
    assert corrected(0.5, np.zeros(4), np.ones(4), own_weight=4.0) == pytest.approx(0.75)
    assert corrected(0.5, np.full(4, 1e6), np.ones(4), own_weight=4.0) == pytest.approx(0.5)


def test_runs_that_had_reached_the_target_by_now_tell_nothing():
    used = np.linspace(0.1, 1.0, 10)
    now = Past.of(used[:5], np.linspace(0.1, 0.5, 5), 0.9)
    early, late = Past.of(used, np.linspace(0.6, 2.0, 10), 0.9), Past.of(used, np.linspace(0.1, 1.0, 10), 0.9)
    unlike, reached = unlikeness(now, [early, late])
    assert unlike == pytest.approx([0.0])
    assert reached.tolist() == [1.0]


def test_the_best_never_falls_and_the_ends_are_in_order():
    said = np.array([[-3.0, -1.0, 2.0], [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]])
    ends = bounds(said, 0.5, np.ones(3), np.full(3, 0.1), best=True)
    assert (ends >= 1.0).all()
    assert (np.diff(ends, axis=1) >= 0).all()
    assert ends[2, 0] == pytest.approx(1 + math.sinh(0.5) * 0.01 * 0.1)


@given(st.lists(st.integers(0, 1000), min_size=20, max_size=60, unique=True), st.sampled_from([0.25, 8.0]), st.integers(0, 50))
def test_neither_the_unit_nor_the_clock_enters(values, factor, days):
    values = np.array(values) / 1000 + 1
    plan = Plan(criteria=(Criterion("first", "reward", 2.5),), budget=Budget(wall_time_s=4.0 * len(values)))
    scaled = Plan(criteria=(Criterion("first", "reward", 2.5 * factor),), budget=Budget(wall_time_s=40.0 * len(values)))
    one, _ = told(run(values, name="val/reward"), plan)
    start = START.replace(day=1 + days % 28, month=1 + days // 28)
    other, _ = told(run(values * factor, name="val/reward", start=start, seconds_per_step=10.0), scaled)
    assert other.probability == pytest.approx(one.probability)
    assert [other.low, other.mid, other.high] == pytest.approx([factor * one.low, factor * one.mid, factor * one.high])


def test_the_model_is_small_and_has_a_card():
    data = (files("trainreport.business") / "forecast_model.json").read_bytes()
    assert len(data) < 200_000
    known = card()
    assert {"fitted_on", "calibration", "held_out", "limits", "licence", "made_by"} <= known.keys()
    assert known == json.loads(data)["card"]
    missed = [
        one["measure"] for one in known["held_out"] if one["bar"] is not None and "at least" in one["measure"] and one["value"] < one["bar"]
    ]
    assert missed == []


STEEP = np.linspace(0.05, 0.72, 40)


@pytest.mark.parametrize("statistic", ["best", "final"])
def test_a_share_is_foretold_within_none_and_all(statistic):
    share = told(run(STEEP), planned(0.94, steps=80, statistic=statistic, unit="share"))[0]
    assert 0.72 < share.mid <= share.high == 1.0
    percent = told(run(100 * STEEP), planned(94, steps=80, statistic=statistic, unit="percent"))[0]
    assert (percent.high, percent.probability) == (100.0, pytest.approx(share.probability))
    as_logged = told(run(100 * STEEP), planned(94, steps=80, statistic=statistic))[0]
    assert as_logged.high == 100.0
    wrong = Plan(criteria=(Criterion("e", "error", 0.06, comparator="<=", statistic=statistic),), training=Training(steps=80))
    error = told(run(1 - STEEP, name="val/error"), wrong)[0]
    assert (error.low, error.high) == (0.0, pytest.approx(1 - share.low))


def test_a_loss_above_zero_is_not_foretold_below_it():
    falling = np.linspace(2.0, 0.3, 40)

    def low(values, threshold):
        plan = Plan(criteria=(Criterion("l", "loss", threshold, comparator="<="),), training=Training(steps=80))
        return told(run(values, name="val/loss"), plan)[0].low

    assert low(falling, 0.05) == 0.0
    assert low(falling - 1.0, -0.9) < -0.9  # one that was below 0 already is not bound by it
    assert low(falling, -0.5) < 0  # nor is one that is wanted there
