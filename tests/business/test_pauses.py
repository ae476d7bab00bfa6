"""What lies between two signs of progress."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timed import log_at, rows

from trainreport.business.pauses import hung_s, intervals_of


def clock(count, usual=10.0, pauses=None):
    """Return the moments of `count` entries, `usual` seconds apart, with longer intervals before some of them."""
    steps = np.full(count, usual)
    for at, seconds in (pauses or {}).items():
        steps[at] += seconds
    return np.cumsum(steps)


def between(*frames, **more):
    return intervals_of(log_at(*frames, **more))[1]


def test_a_long_pause_with_nothing_in_it_is_a_stall():
    found = between(rows("loss", clock(50, pauses={20: 900})))
    assert np.flatnonzero(found.stall).tolist() == [19]
    assert found.excess_s[19] == pytest.approx(900)
    assert found.usual_interval_s == pytest.approx(10)


@pytest.mark.parametrize(("pause", "usual"), [(200, 10), (350, 120)], ids=["short", "a few times the usual"])
def test_what_is_no_stall(pause, usual):
    assert not between(rows("loss", clock(50, usual, {20: pause}))).stall.any()


def test_fewer_than_eight_intervals_tell_nothing():
    assert not between(rows("loss", clock(8, pauses={4: 3000}))).stall.any()
    assert between(rows("loss", clock(9, pauses={4: 3000}))).stall.any()


def test_a_held_out_value_makes_it_an_evaluation():
    at = clock(50, pauses={10: 600, 30: 600})
    found = between(rows("loss", at), rows("val_loss", [at[9] + 600, at[29] + 600], steps=[10, 30]))
    assert not found.stall.any()
    assert found.evaluation_s.sum() == pytest.approx(1200)


def test_an_evaluation_after_each_step_is_told_from_training_by_its_end():
    at = np.arange(1, 13) * 80.0
    found = between(rows("loss", at), rows("val_loss", at + 60))
    assert found.separable
    assert found.evaluation_s.sum() == pytest.approx(11 * 60)


def test_an_evaluation_logged_together_with_each_step_is_not_told_apart():
    at = np.arange(1, 13) * 80.0
    found = between(rows("loss", at), rows("val_loss", at + 0.001))
    assert not found.separable
    assert found.evaluation_s.sum() == 0


def test_an_evaluation_far_beyond_its_like_is_a_stall():
    at = clock(60, pauses={10: 60, 20: 60, 30: 3000, 40: 60})
    ends = [at[9] + 60, at[19] + 60, at[29] + 3000, at[39] + 60]
    found = between(rows("loss", at), rows("val_loss", ends, steps=[10, 20, 30, 40]))
    assert np.flatnonzero(found.stall).tolist() == [29]


def test_pauses_that_come_back_are_routine():
    found = between(rows("loss", clock(100, pauses={20: 400, 40: 420, 60: 390, 80: 410})))
    assert found.routine.sum() == 4
    assert not found.stall.any()


def test_two_kinds_of_routine_and_a_stall_among_them():
    pauses = dict.fromkeys(range(10, 200, 10), 60) | dict.fromkeys(range(50, 200, 50), 600) | {117: 2500}
    found = between(rows("loss", clock(200, pauses=pauses)))
    assert np.flatnonzero(found.stall).tolist() == [116]
    assert found.routine.sum() == 19


def test_irregular_pauses_are_not_routine():
    assert between(rows("loss", clock(100, pauses={20: 900, 27: 1000, 80: 800}))).stall.sum() == 3


def test_the_gap_before_a_new_process_is_a_restart():
    found = between(rows("loss", clock(30)), rows("loss", 5000 + clock(30), steps=np.arange(31, 61), file="events.2"))
    assert np.flatnonzero(found.restart).tolist() == [29]
    assert not found.stall.any()


def test_steps_that_a_rewind_made_void():
    found = between(rows("loss", clock(30)), rows("loss", 400 + clock(30), steps=np.arange(21, 51), file="events.2"))
    assert found.seconds[found.void].sum() == pytest.approx(100)


def test_gpus_that_worked_make_it_no_stall():
    frames = rows("loss", clock(50, pauses={20: 900}))
    assert not between(frames, gpu={"gpu0": [0.8] * 150}).stall.any()
    idle = [0.8] * 21 + [0.0] * 90 + [0.8] * 39
    assert between(frames, gpu={"gpu0": idle}).stall.any()


def test_the_end_of_a_run_that_was_killed():
    frame = rows("loss", clock(50))
    assert hung_s(log_at(frame, ended=4100, status="killed")) == pytest.approx(3600)
    assert hung_s(log_at(frame, ended=4100, status="finished")) == 0
    assert hung_s(log_at(frame, ended=600, status="failed")) == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 7, 1000]))
def test_how_steps_are_counted_does_not_matter(seed, factor):
    rng = np.random.default_rng(seed)
    at = np.cumsum(rng.lognormal(2, 0.2, 80) + np.where(rng.random(80) < 0.05, 900, 0))
    one = between(rows("loss", at))
    other = between(rows("loss", at, steps=np.arange(1, 81) * factor))
    assert one.stall.tolist() == other.stall.tolist()
    assert one.routine.tolist() == other.routine.tolist()
