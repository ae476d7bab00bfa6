"""A database that Trackio wrote."""

from __future__ import annotations

import math
import shutil
import sqlite3

from read_logs import DATA, read, steps, values


def test_what_trackio_wrote():
    name, (log,) = read(DATA / "trackio" / "demo.db")
    assert name == "trackio"
    assert values(log, "train/loss")[:4] == [2.0, 1.5, 1.25, 1.125]
    assert math.isnan(values(log, "train/loss")[4])
    assert steps(log, "val/accuracy") == [0, 1, 2, 3, 4]
    assert (log.key, log.name, log.seed) == ("demo/first", "first", "7")
    assert log.params == {"lr": "0.1", "seed": "7"}
    assert log.started_at.isoformat() == "2026-11-30T23:29:32.261054+00:00"


def test_two_runs_and_the_machine(tmp_path):
    path = tmp_path / "demo.db"
    shutil.copy(DATA / "trackio" / "demo.db", path)
    with sqlite3.connect(path) as database:
        database.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('b', '2026-12-01T00:00:00+00:00', 'second', 0, ?)",
            ('{"loss": 3.0}',),
        )
        database.execute(
            "INSERT INTO system_metrics (run_id, timestamp, run_name, metrics) VALUES ('b', '2026-12-01T00:00:00+00:00', 'second', ?)",
            ('{"cpu": 12.0, "note": "x"}',),
        )
        database.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('b', 'never', 'second', 1, 'no json')",
        )
    database.close()
    _, (first, second) = read(path)
    assert (first.name, second.name) == ("first", "second")
    assert values(second, "loss") == [3.0]
    assert values(second, "system/cpu") == [0.12]  # percent, by the name
    assert [one.what for one in first.problems] == ["a row of run 'second' is no JSON object"]
