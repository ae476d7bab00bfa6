"""Signs of progress, step times, throughput and the paid time of a run."""

from __future__ import annotations

import numpy as np
import pytest
from builders import START
from timed import log_at, rows

from trainreport.business.pace import held_out_times, last_sign, paid_span, progress, started, step_times, throughput

T0 = START.timestamp()


def test_the_training_series_with_most_entries_is_the_clock():
    log = log_at(rows("train_loss", [10, 20, 30]), rows("lr", [10, 20]), rows("val_loss", range(40)))
    seen = progress(log)
    assert seen.logged == "train_loss"
    assert (seen.time_s - T0).tolist() == [10, 20, 30]
    assert not seen.void.any()


def test_what_is_logged_with_evaluations_too_is_no_clock():
    log = log_at(rows("train/epoch", range(9)), rows("train/loss", [10, 20, 30]))
    assert progress(log).logged == "train/loss"


def test_of_several_processes_the_lowest_rank_counts():
    log = log_at(rows("loss", [1, 2, 3], rank=1), rows("loss", [10, 20], rank=0))
    assert (progress(log).time_s - T0).tolist() == [10, 20]


def test_without_training_data_anything_but_the_machine():
    log = log_at(rows("val_loss", [10, 20]), gpu={"gpu0": [0.5] * 9})
    assert progress(log).logged == "val_loss"
    assert progress(log_at(rows("val_loss", []), gpu={"gpu0": [0.5] * 9}, began=0, ended=1)) is None


def test_a_rewind_begins_anew_and_makes_void():
    log = log_at(rows("loss", [1, 2, 3, 4]), rows("loss", [10, 11, 12], steps=[3, 4, 5], file="events.2"))
    seen = progress(log)
    assert seen.begins.tolist() == [True, False, False, False, True, False, False]
    assert seen.void.tolist() == [False, False, True, True, False, False, False]


def test_a_restart_without_rewind_shows_in_the_file():
    log = log_at(rows("loss", [1, 2]), rows("loss", [10, 11], steps=[3, 4], file="events.2"))
    assert progress(log).begins.tolist() == [True, False, True, False]


def test_held_out_times_and_the_last_sign():
    log = log_at(rows("loss", [1, 2]), rows("val_loss", [5, 5, 3]), rows("test_loss", [4]), gpu={"gpu0": [0.5] * 9})
    assert (held_out_times(log) - T0).tolist() == [3, 4, 5]
    assert last_sign(log) - T0 == 5


def test_the_paid_time_takes_in_samples_that_follow_without_a_hole():
    log = log_at(rows("loss", [100, 200]), gpu={"gpu0": [0.5] * 60, "gpu1": [0.5] * 60})
    first, last = paid_span(log)
    assert (first - T0, last - T0) == (0.0, 600.0)


def test_a_hole_ends_the_paid_time():
    late = log_at(rows("loss", [100, 200]), gpu={"gpu0": [0.5] * 60}, gpu_from=2000)
    assert paid_span(late)[1] - T0 == 200


def test_step_times_as_logged_then_throughput_then_distances():
    at = np.arange(1, 31) * 10.0
    logged = step_times(log_at(rows("loss", at), rows("step_time", at, [0.5] * 30)))
    assert (logged.unit, logged.derived, logged.seconds[0]) == ("s", False, 0.5)
    rate = step_times(log_at(rows("loss", at), rows("images_per_second", at, [200.0] * 30)))
    assert (rate.unit, rate.seconds[0]) == ("sample/s", 1 / 200)
    derived = step_times(log_at(rows("loss", at, steps=np.arange(30) * 5)))
    assert derived.derived
    assert derived.seconds.tolist() == pytest.approx([2.0] * 29)
    assert step_times(log_at(rows("loss", at[:10]))) is None


def test_steps_in_a_profile_are_not_the_pace_of_the_run():
    at = np.arange(1, 31) * 10.0
    profiled = rows("step_time", at[:12], [0.5] * 12)
    profiled["logged"] = profiled["logged"].cat.rename_categories(["step_time (profiled)"])
    found = step_times(log_at(rows("loss", at), profiled))
    assert found.derived
    assert found.seconds.tolist() == pytest.approx([10.0] * 29)


def test_throughput_is_the_median_of_what_was_logged_or_steps_a_second():
    at = np.arange(1, 21) * 10.0
    found = throughput(log_at(rows("loss", at), rows("tokens_per_sec", at, [1.0, 1.0, *[5000.0] * 18])))
    assert (found.value, found.unit) == (5000.0, "token/s")
    steps = throughput(log_at(rows("loss", at)))
    assert (steps.value, steps.unit) == (pytest.approx(0.1), "step/s")
    assert throughput(log_at(rows("loss", at[:2]))) is None


def test_what_lies_before_the_first_step():
    at = 700 + np.arange(10) * 10.0
    start = started(log_at(rows("loss", at), began=0))
    assert (start.before_s, start.first_s, start.paid_s) == (690.0, 10.0, 790.0)
    assert start.by_run
    coarse = started(log_at(rows("loss", at, steps=np.arange(1, 11) * 100), began=0))
    assert coarse.before_s == 690.0


def test_a_gpu_log_tells_the_start_where_the_run_does_not():
    at = 700 + np.arange(10) * 10.0
    start = started(log_at(rows("loss", at), gpu={"gpu0": [0.0] * 80}))
    assert start.before_s == 690.0
    assert not start.by_run


def test_a_few_results_are_no_course():
    assert started(log_at(rows("loss", [700, 710, 720]), began=0)) is None
