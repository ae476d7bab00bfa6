"""trainer_log.jsonl of LLaMA-Factory; the forms are those of its callback and of the corpus."""

from __future__ import annotations

from read_logs import meanings, steps, values, written

LINE = (
    '{{"current_steps": {step}, "total_steps": 20, "loss": {loss}, "eval_loss": null, "lr": 1e-5, "epoch": 0.5, "percentage": 50.0, '
    '"elapsed_time": "{lasted}", "remaining_time": "0:00:00", "throughput": "{rate}", "total_tokens": {tokens}}}\n'
)


def test_lines_times_and_the_end(tmp_path):
    text = LINE.format(step=10, loss=2.5, lasted="0:00:24", rate="120.50", tokens=9) + LINE.format(
        step=20, loss=1.5, lasted="4 days, 5:06:09", rate="130.50", tokens=20
    )
    name, log = written(tmp_path, "trainer_log.jsonl", text)
    assert name == "llamafactory"
    assert steps(log, "loss") == [10, 20]
    assert values(log, "elapsed_time") == [24.0, 4 * 86400 + 5 * 3600 + 6 * 60 + 9]
    assert values(log, "throughput") == [120.5, 130.5]
    assert meanings(log)["throughput"] == ("throughput/tokens", "train", "token/s")
    assert meanings(log)["lr"][0] == "learning_rate"
    assert "percentage" not in meanings(log)
    assert "eval_loss" not in set(log.frame["logged"])
    assert (log.status, log.params["max_steps"]) == ("finished", "20")


def test_a_throughput_of_no_tokens_is_no_throughput(tmp_path):
    _, log = written(tmp_path, "trainer_log.jsonl", LINE.format(step=10, loss=2.5, lasted="0:00:24", rate="0.00", tokens=0))
    assert meanings(log)["throughput"][0] == "throughput"
    assert log.status == "unknown"


def test_a_line_that_was_cut_off(tmp_path):
    text = LINE.format(step=10, loss=2.5, lasted="0:00:24", rate="0.00", tokens=0)
    _, log = written(tmp_path, "trainer_log.jsonl", text + text[:40])
    assert [one.place for one in log.problems] == ["line 2"]
