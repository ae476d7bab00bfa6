"""Logs without times that are of one run, and those that are not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from builders import training
from event_files import VERSION, record, scalar
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.detectors.sources import pairs_of_tools
from trainreport.importers import load
from trainreport.importers.alike import Contents
from trainreport.importers.apart import told_apart
from trainreport.importers.groups import Group


def group(curves, **facts):
    return Group("run", "run", [training(curves, **facts)])


def test_the_same_numbers_at_the_same_steps():
    one = Contents(group({"loss": [2.0, 1.5, 1.2, 1.1]}))
    assert one.agrees(Contents(group({"train/loss": [2.0, 1.5001, 1.2, 1.1]})))
    assert not one.agrees(Contents(group({"train/loss": [2.0, 1.6, 1.3, 1.2]})))
    assert not one.agrees(Contents(group({"val_loss": [2.0, 1.5, 1.2, 1.1]})))


def test_a_constant_learning_rate_proves_nothing():
    assert not Contents(group({"lr": [0.1] * 9})).agrees(Contents(group({"learning_rate": [0.1] * 9})))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=20, unique=True), st.integers(0, 5))
def test_agreement_is_mutual_and_with_oneself(values, shift):
    one, other = Contents(group({"loss": values})), Contents(group({"loss": (range(shift, shift + len(values)), values)}))
    assert one.agrees(other) == other.agrees(one)
    assert one.agrees(one) == (len(np.unique(values)) >= 3)


def test_a_name_that_two_tools_share_is_told_apart_and_keeps_its_numbers():
    first, second = told_apart([training({"loss": [2.0, 1.0]}), training({"loss": [2.0, 1.0], "acc": [0.1, 0.2]}, importer="table")])
    assert first.frame["logged"].tolist() == ["loss", "loss"]
    assert second.frame["logged"].tolist() == ["loss (table)", "loss (table)", "acc", "acc"]
    assert second.frame["value"].tolist() == [2.0, 1.0, 0.1, 0.2]
    assert set(second.frame["series"]) == {"loss", "accuracy"}


LOSSES = [2.0, 1.5, 1.25, 1.125, 1.0]


@pytest.fixture
def three_sources(tmp_path):
    """TensorBoard below, trainer_state.json and a CSV with the same losses, in one folder."""
    runs = tmp_path / "runs" / "Jun01_host"
    runs.mkdir(parents=True)
    events = [VERSION, *(scalar("train/loss", place * 10, loss) for place, loss in enumerate(LOSSES))]
    (runs / "events.out.tfevents.1700000000.host.1.0").write_bytes(b"".join(record(one.SerializeToString()) for one in events))
    history = [{"loss": loss, "step": place * 10, "epoch": place / 5} for place, loss in enumerate(LOSSES)]
    (tmp_path / "trainer_state.json").write_text(json.dumps({"epoch": 1.0, "global_step": 40, "max_steps": 40, "log_history": history}))
    (tmp_path / "mine.csv").write_text("step,train/loss\n" + "".join(f"{place * 10},{loss}\n" for place, loss in enumerate(LOSSES)))
    return tmp_path


def test_three_sources_are_one_run_with_each_series_once(three_sources):
    [log] = load([three_sources]).logs
    assert {file.importer for file in log.run.files} == {"tensorboard", "hf-trainer", "table"}
    assert log.curves.names("train", "validation") == [("loss", "train")]
    assert len(log.frame) == 15
    curve = log.curves.curve("loss", "train")
    assert curve.step.tolist() == [0, 10, 20, 30, 40]
    assert curve.value.tolist() == LOSSES
    assert len(curve.others) == 2
    assert set(log.frame["attempt"]) == {1}
    assert any("same numbers" in reason for reason in log.run.joins)


def test_separate_joins_nothing(three_sources):
    assert len(load([three_sources], separate=True).logs) == 3


def test_two_runs_in_one_folder_stay_two(tmp_path):
    (tmp_path / "a.csv").write_text("step,loss\n0,2\n1,1.5\n2,1.2\n")
    (tmp_path / "b.csv").write_text("step,loss\n0,3\n1,2.5\n2,2.2\n")
    assert {log.run.id for log in load([tmp_path]).logs} == {"a", "b"}


def test_two_tables_of_one_run_with_other_measures(tmp_path):
    (tmp_path / "a.csv").write_text("step,loss\n0,2\n1,1.5\n2,1.2\n")
    (tmp_path / "b.csv").write_text("step,acc\n0,0.1\n1,0.2\n2,0.3\n")
    [log] = load([tmp_path]).logs
    assert set(log.frame["series"]) == {"loss", "accuracy"}
    assert "same folder and steps, other measures" in log.run.joins[0]


def test_sources_that_differ_are_one_run_and_reported(tmp_path):
    events = [VERSION, *(scalar("loss", place, loss) for place, loss in enumerate(LOSSES))]
    (tmp_path / "events.out.tfevents.1700000000.host.1.0").write_bytes(b"".join(record(one.SerializeToString()) for one in events))
    (tmp_path / "mine.csv").write_text("step,loss\n" + "".join(f"{place},{loss * 1.1}\n" for place, loss in enumerate(LOSSES)))
    [log] = load([tmp_path]).logs
    assert set(log.frame["logged"]) == {"loss", "loss (table)"}
    [pair] = pairs_of_tools(log)
    assert pair.tools == ("table", "tensorboard")
    assert pair.share_over(0.001) == 1.0
    assert set(log.frame["attempt"]) == {1}
