"""CSV of Keras' CSVLogger, written by Keras itself."""

from __future__ import annotations

import math

from read_logs import DATA, meanings, read, steps, values, written


def test_what_keras_wrote():
    name, log = read(DATA / "keras" / "training_log.csv")
    assert name == "keras-csv"
    assert values(log, "loss")[:4] == [2.0, 1.5, 1.25, 1.125]
    assert math.isnan(values(log, "loss")[4])
    assert steps(log, "val_accuracy") == [0, 1, 2, 3, 4]
    assert log.frame["epoch"].max() == 4
    assert meanings(log)["val_accuracy"] == ("accuracy", "validation", "1")


def test_another_separator_and_what_was_not_measured(tmp_path):
    name, log = written(tmp_path, "log.csv", "epoch;accuracy;loss;val_loss\n0;0.5;1.0;NA\n1;0.6;0.9;1.1\n")
    assert name == "keras-csv"
    assert steps(log, "val_loss") == [1]
    assert not log.problems
