"""Offline logs that four versions of wandb wrote themselves, and damaged ones."""

from __future__ import annotations

import pytest
from read_logs import DATA, meanings, read, steps, values, written

from trainreport.errors import InputError

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
    assert len(values(log, "train/loss")) >= 20


def test_an_empty_log_is_refused_with_the_reason(tmp_path):
    head = (FOLDER / "finished-0.19.11.wandb").read_bytes()[:7]
    with pytest.raises(InputError, match="before W&B wrote the first"):
        written(tmp_path, "run-a.wandb", head)
