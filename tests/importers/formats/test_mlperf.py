"""A training log that MLPerf's own package wrote."""

from __future__ import annotations

from read_logs import DATA, meanings, read, steps, values, written


def test_what_mlperf_wrote():
    name, log = read(DATA / "mlperf" / "result_0.txt")
    assert name == "mlperf"
    assert values(log, "train_loss") == [2.0, 1.5, 1.25, 1.125]
    assert values(log, "eval_accuracy") == [0.2, 0.4, 0.6, 0.8]
    assert log.frame.loc[log.frame["logged"] == "eval_accuracy", "epoch"].tolist() == [1, 2, 3, 4]
    assert steps(log, "tracked_stats/throughput") == [10, 20, 30, 40]
    assert meanings(log)["eval_accuracy"] == ("accuracy", "validation", "1")
    assert (log.status, log.seed, log.params["global_batch_size"]) == ("finished", "7", "256")
    assert [event.message for event in log.events] == ["init_start", "init_stop", "run_start", "run_stop"]


def test_among_other_output_and_cut_off(tmp_path):
    event = '{"time_ms": 1700000000000, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.5, "metadata": {"epoch_num": 1}}'
    line = f":::MLLOG {event}"
    name, log = written(tmp_path, "out.txt", f"starting\n0: {line}\nhello\n{line[:70]}\n")
    assert name == "mlperf"
    assert values(log, "eval_accuracy") == [0.5]
    assert [one.place for one in log.problems] == ["line 4"]
