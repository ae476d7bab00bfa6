"""trainer_state.json, written by transformers itself, and what is odd about real ones."""

from __future__ import annotations

import json
import math

import pytest
from read_logs import DATA, meanings, read, steps, values, written

from trainreport.errors import StrictError
from trainreport.importers import load

STATE = json.loads((DATA / "transformers" / "trainer_state.json").read_text())


def state(entries, **facts):
    return json.dumps({"epoch": 1.0, "global_step": 4, "log_history": entries, "max_steps": 8, **facts})


def points(count, name="loss"):
    return [{"epoch": step / 10, name: 2.0 / step, "step": step} for step in range(1, count + 1)]


def test_what_the_library_wrote():
    name, log = read(DATA / "transformers" / "trainer_state.json")
    assert name == "hf-trainer"
    assert values(log, "loss")[:4] == [2.0, 1.5, 1.25, 1.125]
    assert math.isnan(values(log, "loss")[4])
    assert steps(log, "loss") == [10, 20, 30, 40, 50]
    assert meanings(log)["eval_loss"] == ("loss", "validation", "1")
    assert log.status == "finished"
    assert log.params["max_steps"] == "50"
    assert log.tags["best_model_checkpoint"] == "out/checkpoint-40"
    assert log.started_at is None


def test_the_mean_over_a_training_is_no_point_of_its_curve():
    _, log = read(DATA / "transformers" / "trainer_state.json")
    assert meanings(log)["train_loss"][0] == "loss/mean_of_run"


def test_evaluation_sets_with_names(tmp_path):
    _, log = written(tmp_path, "trainer_state.json", state([{"epoch": 0, "eval_g0_accuracy": 0.7, "eval_g0_loss": 5.0, "step": 0}]))
    assert meanings(log) == {"eval_g0_accuracy": ("accuracy/g0", "validation", "1"), "eval_g0_loss": ("loss/g0", "validation", "1")}


def test_epochs_without_end_were_not_planned(tmp_path):
    _, log = written(tmp_path, "trainer_state.json", state(points(4), num_train_epochs=9223372036854775807))
    assert "num_train_epochs" not in log.params
    assert log.status == "unknown"


def test_a_history_without_steps(tmp_path):
    _, log = written(tmp_path, "trainer_state.json", state([{"epoch": 1, "loss": 2.0}, 7, {"epoch": 2, "loss": 1.0}]))
    assert values(log, "loss") == [2.0, 1.0]


def test_a_file_that_was_cut_off_gives_the_entries_that_are_whole(tmp_path):
    text = state(points(4))
    _, log = written(tmp_path, "trainer_state.json", text[: text.index('"step": 4')])
    assert steps(log, "loss") == [1, 2, 3]
    assert "3 entries of its history that are whole" in log.problems[0].what
    with pytest.raises(StrictError):
        read(tmp_path / "trainer_state.json", strict=True)


def test_checkpoints_are_one_run(tmp_path):
    for count in (2, 4, 6):
        folder = tmp_path / f"checkpoint-{count}"
        folder.mkdir()
        (folder / "trainer_state.json").write_text(state(points(count)))
    found = load([tmp_path])
    assert [len(log.frame) for log in found.logs] == [6]
    assert all("is the beginning of that in checkpoint-" in one.reason for one in found.skipped)
    (tmp_path / "trainer_state.json").write_text(state(points(6)))
    found = load([tmp_path])
    assert [(len(log.frame), log.run.name) for log in found.logs] == [(6, tmp_path.name)]
    assert not found.skipped


def test_results_beside_it_are_facts_of_the_run(tmp_path):
    (tmp_path / "all_results.json").write_text('{"eval_wer": 32.0, "train_samples": 6540}')
    (tmp_path / "trainer_state.json").write_text(state(points(4)))
    found = load([tmp_path])
    assert found.logs[0].run.tags["results/eval_wer"] == "32.0"
    assert not found.skipped


def test_the_speed_of_an_evaluation_set_with_a_name(tmp_path):
    state = {
        "epoch": 1.0,
        "global_step": 5,
        "log_history": [{"step": 5, "epoch": 1.0, "eval_en_samples_per_second": 70.5, "eval_en_loss": 2.5}],
    }
    _, log = written(tmp_path, "trainer_state.json", json.dumps(state))
    assert meanings(log) == {
        "eval_en_samples_per_second": ("throughput/samples/en", "validation", "sample/s"),
        "eval_en_loss": ("loss/en", "validation", "1"),
    }
