"""Tables of any make: what is guessed, what is said, and what is no course of a training."""

from __future__ import annotations

import pytest
from read_logs import meanings, steps, values, written

from trainreport.errors import UsageError
from trainreport.importers import load
from trainreport.importers.registry import recognise


def test_columns_are_guessed_and_said(tmp_path):
    name, log = written(tmp_path, "exp1.csv", "iter\tlr\tloss\n0\t0.1\t2.0\n10\t0.1\t1.5\n")
    assert name == "table"
    assert steps(log, "loss") == [0, 10]
    assert log.events[-1].message == "its columns are taken by name and content: step from the column 'iter'"
    assert log.key == "exp1"


def test_batches_that_begin_anew_in_each_epoch_are_counted_through(tmp_path):
    text = "Epoch,Batch,Gen Loss\n" + "".join(f"{epoch},{batch},1.0\n" for epoch in range(3) for batch in range(4))
    _, log = written(tmp_path, "training_log.csv", text)
    assert steps(log, "Gen Loss") == list(range(12))


def test_times_with_their_zone(tmp_path):
    _, log = written(tmp_path, "a.csv", "timestamp,loss\n2026-06-01T10:00:00+02:00,2.0\n2026-06-01T10:01:00+02:00,1.0\n")
    assert log.started_at.isoformat() == "2026-06-01T08:00:00+00:00"
    _, log = written(tmp_path, "b.csv", "time,loss\n2026-06-01 10:00:00,2.0\n", zone="Europe/Berlin")
    assert log.started_at.isoformat() == "2026-06-01T08:00:00+00:00"
    _, log = written(tmp_path, "c.csv", "step,time,loss\n0,1780308000.5,2.0\n1,1780308060.5,1.0\n")
    assert log.started_at.isoformat() == "2026-06-01T10:00:00.500000+00:00"


def test_seconds_since_the_start_are_no_times(tmp_path):
    _, log = written(tmp_path, "a.csv", "step,time,loss\n0,1.5,2.0\n1,2.5,1.0\n")
    assert log.started_at is None
    assert values(log, "time") == [1.5, 2.5]


def test_lines_of_json(tmp_path):
    name, log = written(
        tmp_path,
        "m.json",
        '{"iteration": 19, "loss": {"cls": 0.7}, "lr": 1e-5}\n{"iteration": 39, "loss": {"cls": 0.6}, "lr": NaN}\n{"iter',
    )
    assert name == "table"
    assert steps(log, "loss/cls") == [19, 39]
    assert [one.place for one in log.problems] == ["line 3"]


def test_parquet(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(
        {"step": [1, 2], "when": pd.to_datetime(["2026-06-01", "2026-06-02"], utc=True), "loss": [2.0, None], "model": "m"}
    )
    frame.rename(columns={"when": "timestamp"}).to_parquet(tmp_path / "a.parquet")
    name, log = written(tmp_path, "b.parquet", (tmp_path / "a.parquet").read_bytes())
    assert name == "table"
    assert steps(log, "loss") == [1]
    assert log.started_at.isoformat() == "2026-06-01T00:00:00+00:00"
    assert log.params == {"model": "m"}


def test_tables_with_a_row_a_run_are_not_taken(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("run_name,step,loss\na,100,0.5\nb,100,0.6\n")
    assert "no column is known as step" in recognise(path)


def test_an_odd_cell_costs_itself_only(tmp_path):
    _, log = written(tmp_path, "a.csv", "step,loss,acc\n0,2.0,0.5\n1,oops,0.6\n2,1.0\n3,0.5,0.7\n")
    assert steps(log, "loss") == [0, 3]
    assert steps(log, "acc") == [0, 1, 3]
    assert {(one.place, one.what) for one in log.problems} == {
        ("line 3", "loss: found 'oops'; expected a number"),
        ("line 4", "2 cells; expected 3"),
    }


def test_a_stray_quote_spoils_no_more_than_its_line(tmp_path):
    _, log = written(tmp_path, "a.csv", 'step,loss\n0,2.0\n1,"1.5\n2,1.0\n')
    assert steps(log, "loss")[0] == 0
    assert steps(log, "loss")[-1] == 2


DECLARED = '[[log]]\nfiles = "own*.csv"\nstep = "n"\nseries = { l1 = "loss", q = "validation/accuracy" }\n'


def test_columns_can_be_declared_beside_the_logs(tmp_path):
    (tmp_path / "trainreport-map.toml").write_text(DECLARED)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "own1.csv").write_text("n,l1,q\n5,2.0,0.1\n6,1.0,0.2\n")
    [log] = load([tmp_path]).logs
    assert meanings(log.run) == {"l1": ("loss", "train", "1"), "q": ("accuracy", "validation", "1")}
    assert set(log.frame["step"]) == {5, 6}
    assert "declared in trainreport-map.toml" in log.events["message"].iloc[-1]


def test_or_given(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "own1.csv").write_text("n,l1,q\n5,2.0,0.1\n")
    (tmp_path / "m.toml").write_text(DECLARED)
    [log] = load([tmp_path / "logs"], declared=tmp_path / "m.toml").logs
    assert set(log.frame["series"]) == {"loss", "accuracy"}
    (tmp_path / "m.toml").write_text(DECLARED.replace("step", "stp"))
    with pytest.raises(UsageError, match="unknown key 'stp'; did you mean 'step'"):
        load([tmp_path / "logs"], declared=tmp_path / "m.toml")


def test_a_declaration_that_is_wrong_is_listed(tmp_path):
    (tmp_path / "trainreport-map.toml").write_text("[[log]]\nstep = 3\n")
    (tmp_path / "a.csv").write_text("step,loss\n1,2\n")
    found = load([tmp_path])
    assert len(found.logs) == 1
    assert "step is 3; expected a text" in found.skipped[0].reason
