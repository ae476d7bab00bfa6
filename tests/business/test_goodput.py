"""Where the paid time went."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timed import log_at, rows

from trainreport.business.goodput import goodput
from trainreport.model.ledger import BUCKETS


def shares(*frames, **more):
    found, basis = goodput(log_at(*frames, **more))
    assert found is not None, basis
    assert sum(getattr(found, name) for name in BUCKETS) == pytest.approx(1)
    assert set(found.basis) == set(BUCKETS)
    assert all(found.basis.values())
    return found


STEPS = np.arange(1, 101) * 10.0


def test_a_run_of_steps_only_is_productive():
    found = shares(rows("loss", STEPS))
    assert found.productive == pytest.approx(1)
    assert found.paid_s == pytest.approx(990)
    assert found.basis["start_up"] == "not known: the log begins with the first step"
    assert found.basis["input_wait"].startswith("not told apart from productive: ")


def test_start_up_and_idle_after_the_end():
    gpu = {"gpu0": [0.0] * 100 + [0.9] * 100 + [0.0] * 200}
    found = shares(rows("loss", 1000 + STEPS), gpu=gpu)
    assert found.paid_s == pytest.approx(4000)
    assert found.start_up == pytest.approx(0.25)
    assert found.productive == pytest.approx(0.25)
    assert found.idle_after_end == pytest.approx(0.5, abs=0.01)


def test_gpus_that_work_on_after_the_end_are_unexplained():
    found = shares(rows("loss", STEPS), gpu={"gpu0": [0.9] * 200})
    assert found.idle_after_end == 0
    assert found.unexplained == pytest.approx(0.5)
    assert "after the last value" in found.basis["unexplained"]


def test_stall_evaluation_and_checkpoints():
    seconds = np.full(100, 10.0)
    seconds[[20, 40, 60, 80]] += 50  # after steps 20, 40 …: nothing logged
    seconds[[30, 70]] += 200
    seconds[50] += 1000
    at = np.cumsum(seconds)
    found = shares(rows("loss", at), rows("val_loss", [at[29] + 200, at[69] + 200], steps=[30, 70]))
    paid = at[-1] - at[0]
    assert found.stall == pytest.approx(1000 / paid)
    assert found.evaluation == pytest.approx(400 / paid)
    assert found.checkpoint == pytest.approx(200 / paid)
    assert found.productive == pytest.approx(990 / paid)


def test_the_last_evaluation_counts_too():
    found = shares(rows("loss", STEPS), rows("val_loss", [1110], steps=[100]))
    assert found.evaluation == pytest.approx(110 / 1100)


def test_lost_work_and_the_gap_between_two_processes():
    again = rows("loss", 1500 + STEPS[:50], steps=np.arange(81, 131), file="events.2")
    found = shares(rows("loss", STEPS), again)
    paid = 2000 - 10
    assert found.lost_work == pytest.approx(200 / paid)
    assert found.unexplained == pytest.approx(510 / paid)
    held = shares(rows("loss", STEPS), again, gpu={"gpu0": [0.9] * 100 + [0.0] * 51 + [0.9] * 49})
    assert held.start_up == pytest.approx(510 / 2000, abs=0.01)


def test_waiting_for_data_as_logged():
    found = shares(rows("loss", STEPS), rows("data_time", STEPS, [2.5] * 100), rows("step_time", STEPS, [10.0] * 100))
    assert found.input_wait == pytest.approx(0.25)
    assert found.productive == pytest.approx(0.75)


def test_waits_in_a_profile_do_not_stand_for_the_whole_run():
    few = STEPS[:5]
    waits = rows("data_time", few, [2.5] * 5)
    waits["logged"] = waits["logged"].cat.rename_categories(["data_time (profiled)"])
    found = shares(rows("loss", STEPS), waits, rows("step_time", few, [10.0] * 5))
    assert found.input_wait == 0
    assert found.basis["input_wait"].endswith("data loading times are known of 5 steps in a profile, not of the run")


def test_a_run_that_hung_until_it_was_killed():
    assert shares(rows("loss", STEPS), ended=2000, status="killed").stall == pytest.approx(1000 / 1990)


@pytest.mark.parametrize("frames", [[rows("loss", [5, 6, 7])], [rows("loss", [])]], ids=["few", "none"])
def test_nothing_is_known(frames):
    found, reason = goodput(log_at(*frames, began=0, ended=100))
    assert found is None
    assert reason.startswith("not known: ")


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_shares_are_shares_of_one(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(12, 120))
    at = 100 + np.cumsum(rng.lognormal(1, 1.0, count) + np.where(rng.random(count) < 0.1, rng.exponential(800, count), 0))
    frames = [rows("loss", at)]
    if rng.random() < 0.5:
        frames.append(rows("val_loss", np.sort(rng.uniform(at[0], at[-1] + 50, 6))))
    if rng.random() < 0.5:
        frames.append(rows("loss", at[-1] + 60 + at, steps=np.arange(count // 2, count // 2 + count), file="events.2"))
    gpu = {"gpu0": rng.choice([0.0, 0.9], 300)} if rng.random() < 0.5 else None
    found = shares(*frames, gpu=gpu, began=0, interval_s=30)
    assert all(-1e-12 <= getattr(found, name) <= 1 + 1e-12 for name in BUCKETS)
