from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from builders import training
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.restarts import mark_restarts
from trainreport.model.schema import DUPLICATE_STEP, OUT_OF_ORDER


def marked(steps, times=None):
    frame = training({"loss": (steps, [1.0] * len(steps))}).frame
    seconds = np.arange(len(steps)) if times is None else np.array(times)
    stamps = (seconds * 1_000_000_000 + 10**18).astype("datetime64[ns]")
    return mark_restarts(frame.assign(time=pd.DatetimeIndex(stamps, tz="UTC")))


def test_a_step_back_written_later_is_a_rewind():
    assert marked([0, 1, 2, 1, 2, 3, 0])["attempt"].tolist() == [1, 1, 1, 2, 2, 2, 3]


def test_a_step_back_written_earlier_is_out_of_order():
    found = marked([0, 2, 1], times=[0, 2, 1])
    assert found["attempt"].tolist() == [1, 1, 1]
    assert found["flags"].tolist() == [0, 0, OUT_OF_ORDER]


def test_a_repeated_step_is_flagged():
    assert marked([0, 1, 1])["flags"].tolist() == [0, 0, DUPLICATE_STEP]


def test_series_are_counted_apart():
    frame = training({"loss": ([0, 1, 0], [1.0] * 3), "val_loss": ([0, 5], [1.0] * 2)}).frame
    assert mark_restarts(frame)["attempt"].tolist() == [1, 1, 1, 1, 1]  # same time a step: written earlier, not a rewind


@given(st.lists(st.integers(0, 20), min_size=1, max_size=40))
def test_attempts_count_the_steps_back(steps):
    expected = [1]
    for before, step in itertools.pairwise(steps):
        expected.append(expected[-1] + (step < before))
    assert marked(steps)["attempt"].tolist() == expected


def test_devices_and_ranks_are_counted_apart():
    frame = marked([0, 1, 0, 1])
    ranked = frame.assign(rank=pd.array([0, 0, 1, 1], dtype="Int32"), attempt=pd.array([1] * 4, dtype="Int16"))
    assert mark_restarts(ranked)["attempt"].tolist() == [1, 1, 1, 1]
    placed = ranked.assign(rank=pd.array([None] * 4, dtype="Int32"), device=pd.Categorical(["gpu0", "gpu0", None, None]))
    assert mark_restarts(placed)["attempt"].tolist() == [1, 1, 1, 1]


def test_rows_without_a_step_stand_between():
    frame = marked([0, 5, 3, 4]).assign(step=pd.array([0, 5, None, 4], dtype="Int64"), attempt=pd.array([1] * 4, dtype="Int16"))
    assert mark_restarts(frame)["attempt"].tolist() == [1, 1, 1, 2]


def test_a_run_that_only_goes_on_stays_as_it_is():
    frame = training({"loss": range(50), "acc": range(50)}).frame
    assert mark_restarts(frame) is frame
