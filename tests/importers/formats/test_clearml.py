"""An offline session that ClearML wrote, as a zip and as the folder it is made of."""

from __future__ import annotations

import zipfile

import pytest
from read_logs import DATA, meanings, read, steps, values, written

from trainreport.errors import InputError
from trainreport.importers import load


@pytest.mark.parametrize("path", ["offline.zip", "session/metrics.jsonl"])
def test_what_clearml_wrote(path):
    name, log = read(DATA / "clearml" / path)
    assert name == "clearml"
    assert values(log, "loss/train") == [2.0, 1.5, 1.25, 1.125, 0.0]  # ClearML writes 0 for NaN unless told otherwise
    assert values(log, "loss/validation")[:2] == [2.1, 1.6]
    assert steps(log, "loss/train") == [0, 1, 2, 3, 4]
    assert meanings(log)["loss/validation"] == ("loss", "validation", "1")
    assert (log.name, log.seed, log.params) == ("first", "7", {"lr": "0.1", "seed": "7"})
    assert log.tags == {"clearml.project": "demo"}


def test_the_folder_is_covered():
    assert not load([DATA / "clearml" / "session"]).skipped


def test_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr("trainreport.importers.tables.archive.LARGEST", 10_000)
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metrics.jsonl", b" " * 100_000)
        archive.writestr("task.json", "{}")
    with pytest.raises(InputError, match="unpacks to more than"):
        read(path)


def test_an_event_that_is_none(tmp_path):
    good = '[{"type": "training_stats_scalar", "timestamp": 1700000000000, "iter": 1, "metric": "loss", "variant": "loss", "value": 2.0}]'
    _, log = written(tmp_path, "metrics.jsonl", f'{good}\n[{{"type": "training_stats_scalar", "iter": 2}}]\nnonsense\n')
    assert values(log, "loss") == [2.0]
    assert [one.place for one in log.problems] == ["line 2", "line 3"]
