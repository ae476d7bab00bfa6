"""An offline archive that Comet wrote."""

from __future__ import annotations

import math
import zipfile

import pytest
from read_logs import DATA, meanings, read, steps, values

from trainreport.errors import InputError


def test_what_comet_wrote():
    name, log = read(DATA / "comet" / "offline.zip")
    assert name == "comet"
    assert values(log, "train_loss")[:4] == [2.0, 1.5, 1.25, 1.125]
    assert math.isnan(values(log, "train_loss")[4])
    assert steps(log, "val_acc") == [0, 1, 2, 3, 4]
    assert meanings(log)["val_acc"] == ("accuracy", "validation", "1")
    assert (log.name, log.seed, log.params) == ("first", "7", {"lr": "0.1", "seed": "7"})
    assert (log.ended_at - log.started_at).total_seconds() == pytest.approx(1.027)


def test_an_archive_without_metrics(tmp_path):
    path = tmp_path / "empty.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("experiment.json", "[")
        archive.writestr("messages.json", '{"type": "metric_msg", "payload": {"metric": {"metricName": "loss"}}}\n')
    with pytest.raises(InputError, match="without a metric"):
        read(path)
