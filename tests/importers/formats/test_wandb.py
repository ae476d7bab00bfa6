"""Offline logs that four versions of wandb wrote themselves, and damaged ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from read_logs import DATA, meanings, read, steps, values, written

from benchmarks.reading_wandb import framed
from trainreport.errors import InputError
from trainreport.importers import load
from trainreport.importers.wandb_store.messages import record_class

FOLDER = DATA / "wandb"
VERSIONS = ("0.12.21", "0.15.12", "0.19.11", "latest")


@pytest.mark.parametrize("version", VERSIONS)
def test_what_each_version_wrote(version):
    name, log = read(FOLDER / f"finished-{version}.wandb")
    assert name == "wandb"
    assert (log.key, log.name, log.status, log.seed) == ("finished1234", "finished-run", "finished", "7")
    assert values(log, "train/loss") == pytest.approx([1 / (at + 1) for at in range(30)])
    assert values(log, "val/accuracy") == pytest.approx([at / 30 for at in range(30)])
    assert steps(log, "train/loss") == list(range(30))
    assert meanings(log)["val/accuracy"] == ("accuracy", "validation", "1")
    assert log.params["model/layers"] == "4"
    assert log.params["note"] == "süß"
    assert log.started_at is not None
    assert 0 < (log.ended_at - log.started_at).total_seconds() < 60
    assert not log.problems


@pytest.mark.parametrize("version", VERSIONS)
def test_nested_names_are_joined(version):
    _, log = read(FOLDER / f"nested-{version}.wandb")
    assert values(log, "train.loss") == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6])
    assert meanings(log)["train.acc"] == ("accuracy", "train", "1")


def test_a_process_that_was_killed_leaves_all_but_its_last_record():
    _, log = read(FOLDER / "killed-0.15.12.wandb")
    assert values(log, "loss") == pytest.approx([1 / (at + 1) for at in range(253)])
    assert log.status == "running"
    assert any("no record of the run's end" in event.message for event in log.events)
    assert [problem.place for problem in log.problems] == ["byte 39864"]


def test_a_flipped_bit_costs_its_record_only(tmp_path):
    content = bytearray((FOLDER / "finished-0.19.11.wandb").read_bytes())
    content[len(content) // 2] ^= 1
    _, log = written(tmp_path, "run-a.wandb", bytes(content))
    assert len(log.problems) == 1
    assert len(values(log, "train/loss")) >= 29


def test_an_empty_log_is_refused_with_the_reason(tmp_path):
    head = (FOLDER / "finished-0.19.11.wandb").read_bytes()[:7]
    with pytest.raises(InputError, match="before W&B wrote the first"):
        written(tmp_path, "run-a.wandb", head)


@pytest.mark.parametrize("version", ["0.12.21", "latest"])
def test_values_that_are_no_plain_numbers(version):
    _, log = read(FOLDER / f"odd-{version}.wandb")
    loss = values(log, "loss")
    assert loss[:3] == pytest.approx([1, 1 / 2, 1 / 3])
    assert math.isnan(loss[3])
    assert loss[5] == math.inf
    assert values(log, "flag") == [1, 0] * 4
    assert values(log, "neg") == [-math.inf] * 8
    assert steps(log, "val_acc") == [100]
    normal = np.random.RandomState(0).randn(100)
    assert values(log, "gradients/fc/norm") == pytest.approx([np.linalg.norm(normal)], rel=0.01)
    assert meanings(log)["gradients/fc/norm"][0] == "gradient/norm/fc"
    assert any("passed over" in event.message and "html (html-file)" in event.message for event in log.events)


def test_a_log_that_ends_on_the_border_of_a_block(tmp_path):
    whole = (FOLDER / "killed-0.15.12.wandb").read_bytes()
    _, log = written(tmp_path, "run-a.wandb", whole[:32768])
    loss = values(log, "loss")
    assert loss == pytest.approx([1 / (at + 1) for at in range(len(loss))])
    assert 200 < len(loss) < 253  # 253 rows are whole in the 40,000 bytes
    assert [problem.place for problem in log.problems] == ["byte 32768"]  # its last record goes on in the next block


def test_a_record_over_several_blocks_is_whole(tmp_path):
    _, log = written(
        tmp_path, "run-a.wandb", framed([history(note='"' + "x" * 100_000 + '"', loss="0.5", _step="3"), history(loss="0.25")])
    )
    assert values(log, "loss") == [0.5, 0.25]
    assert not log.problems


def test_the_step_of_the_optimizer_goes_before_the_count_of_calls(tmp_path):
    rows = [history(loss=f"{1 / at}", _step=str(at), **{"train/global_step": str(50 * at)}) for at in (1, 2)]
    _, log = written(tmp_path, "run-a.wandb", framed(rows))
    assert steps(log, "loss") == [50, 100]
    assert any("train/global_step" in event.message for event in log.events)


def test_values_that_future_versions_write_typed(tmp_path):
    record = record_class()()
    record.history.item.add(key=b"loss", number=0.5)
    record.history.item.add(key=b"count", integer=-3)
    record.history.item.add(key=b"flag", boolean=True)
    record.history.item.add(key=b"word", text=b"high")
    _, log = written(tmp_path, "run-a.wandb", framed([record.SerializeToString()]))
    assert [values(log, name) for name in ("loss", "count", "flag", "word")] == [[0.5], [-3], [1], []]


def test_a_gpu_and_the_samples_of_its_process_are_not_counted_twice(tmp_path):
    record = record_class()()
    record.stats.timestamp.seconds = 1_796_079_600
    for name, value in (("gpu.0.powerWatts", b"300"), ("gpu.process.0.powerWatts", b"300"), ("gpu.0.memoryAllocatedBytes", b"1024")):
        record.stats.item.add(key=name.encode(), value_json=value)
    _, log = written(tmp_path, "run-a.wandb", framed([record.SerializeToString()]))
    power = log.frame[log.frame["series"] == "gpu/power"]
    assert power["logged"].tolist() == ["system.gpu.0.powerWatts"]
    assert meanings(log)["system.gpu.0.memoryAllocatedBytes"] == ("gpu/memory_used", "system", "B")


def test_a_table_of_the_same_run_is_not_counted_beside_its_log(tmp_path):
    (tmp_path / "run-finished1234.wandb").write_bytes((FOLDER / "finished-latest.wandb").read_bytes())
    (tmp_path / "runs.csv").write_text(
        "Name,State,ID,Runtime,Created,train/loss\nfinished-run,finished,finished1234,3,2026-11-30T23:00:00Z,0.03\n"
    )
    loaded = load([tmp_path])
    (log,) = loaded.logs
    assert [file.path for file in log.run.files] == ["run-finished1234.wandb"]
    assert [one.path for one in loaded.skipped] == ["runs.csv"]
    assert "last values of the one in run-finished1234.wandb" in loaded.skipped[0].reason


def test_the_same_id_in_two_projects_is_two_runs_and_in_one_project_one(tmp_path):
    """Ids that people choose themselves; a run that was resumed offline has a log for each time."""
    for folder, project in (("a", b"p"), ("b", b"q"), ("c", b"q")):
        record = record_class()()
        record.run.run_id, record.run.project = b"fold1", project
        (tmp_path / folder).mkdir()
        rows = [history(loss=f"0.{step + 1}", _step=str(step)) for step in (range(3) if folder != "c" else range(3, 5))]
        (tmp_path / folder / "run-fold1.wandb").write_bytes(framed([record.SerializeToString(), *rows]))
    found = {log.run.id: sorted(log.frame["value"]) for log in load([tmp_path]).logs}
    assert found == {"p/fold1": [0.1, 0.2, 0.3], "q/fold1": [0.1, 0.2, 0.3, 0.4, 0.5]}


def history(**texts):
    record = record_class()()
    for name, text in texts.items():
        record.history.item.add(key=name.encode(), value_json=text.encode())
    return record.SerializeToString()
