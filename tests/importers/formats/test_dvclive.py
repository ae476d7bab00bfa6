"""A folder that DVCLive wrote."""

from __future__ import annotations

import math

from read_logs import DATA

from trainreport.importers import load


def test_what_dvclive_wrote():
    found = load([DATA / "dvclive"])
    [log] = found.logs
    assert not found.skipped
    frame = log.frame.set_index(["logged", "step"])["value"]
    assert frame["train/loss"].tolist()[:4] == [2.0, 1.5, 1.25, 1.125]
    assert math.isnan(frame["train/loss"][4])
    assert frame["val/acc"][1] == 1 / 1.5
    assert log.run.params == {"lr": "0.1", "seed": "7"}
    assert log.run.seed == "7"
    assert log.run.started_at.isoformat().startswith("2026-11-30T23:29:04.984")


def test_a_file_that_was_moved(tmp_path):
    path = tmp_path / "loss.tsv"
    path.write_bytes((DATA / "dvclive/dvclive/plots/metrics/train/loss.tsv").read_bytes())
    [log] = load([path]).logs
    assert log.frame["step"].tolist() == [0, 1, 2, 3, 4]
    assert {file.importer for file in log.run.files} == {"dvclive"}


def test_from_inside_its_folder():
    [log] = load([DATA / "dvclive" / "dvclive"]).logs
    assert set(log.frame["logged"]) == {"train/loss", "val/acc"}
    assert log.run.name == "dvclive"
