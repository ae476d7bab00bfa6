"""Lines that training loops print."""

from __future__ import annotations

import pandas as pd
import pytest
from read_logs import meanings, steps, values, written

from trainreport.importers import load
from trainreport.importers.registry import recognise

NANOGPT = """number of parameters: 10.65M
step 0: train loss 4.2874, val loss 4.2823
iter 0: loss 4.2654, time 30131.05ms, mfu -100.00%
iter 10: loss 3.2407, time 26.23ms, mfu 14.21%
step 250: train loss 1.9, val loss 2.0
"""
MEGATRON = (
    " iteration      100/  500000 | consumed samples:        51200 | elapsed time per iteration (ms): 5000.5 | "
    "learning rate: 1.500E-05 | global batch size:   512 | lm loss: 7.812345E+00 | grad norm: 1.234 |\n"
)
CASES = [
    ("Epoch [1/5], Step [100/600], Loss: 0.4567\nEpoch [1/5], Step [200/600], Loss: 0.3\n", "Loss", [0.4567, 0.3], [100, 200]),
    ("[2026-06-01 10:00:00,123] INFO step=1 loss=0.5\n[2026-06-01 10:00:01,123] INFO step=2 loss=0.4\n", "loss", [0.5, 0.4], [1, 2]),
    ("{'loss': 0.5, 'grad_norm': 1.0, 'epoch': 0.1}\n" * 2, "loss", [0.5, 0.5], [None, None]),
    (MEGATRON * 2, "lm loss", [7.812345, 7.812345], [100, 100]),
    ("epoch 1 | step 3 | loss 2.5e-1\nepoch 1 | step 4 | loss nan\n", "loss", [0.25, float("nan")], [3, 4]),
]


def test_nanogpt(tmp_path):
    name, log = written(tmp_path, "train.log", NANOGPT)
    assert name == "text-log"
    assert (steps(log, "train loss"), values(log, "val loss")) == ([0, 250], [4.2823, 2.0])
    assert steps(log, "loss") == [0, 10]
    assert meanings(log)["val loss"] == ("loss", "validation", "1")
    assert values(log, "time") == pytest.approx([30.13105, 0.02623])


@pytest.mark.parametrize(("text", "name", "numbers", "counted"), CASES)
def test_loops(tmp_path, text, name, numbers, counted):
    if text.startswith("{"):
        text = "starting\n" + text
    taker, log = written(tmp_path, "out.txt", text)
    assert taker == "text-log"
    assert values(log, name) == pytest.approx(numbers, nan_ok=True)
    assert [None if pd.isna(step) else step for step in steps(log, name)] == counted


def test_megatron(tmp_path):
    _, log = written(tmp_path, "out.txt", MEGATRON * 2)
    assert meanings(log)["lm loss"] == ("loss", "train", "1")
    assert meanings(log)["elapsed time per iteration"] == ("time/step", "train", "s")
    assert values(log, "elapsed time per iteration") == pytest.approx([5.0005, 5.0005])
    assert values(log, "learning rate") == [1.5e-5, 1.5e-5]


def test_times_at_the_beginning_of_lines(tmp_path):
    _, log = written(tmp_path, "out.txt", CASES[1][0])
    assert log.started_at.isoformat() == "2026-06-01T10:00:00.123000+00:00"
    assert "taken as UTC" in log.files[0].clock


def test_steps_that_begin_anew_in_each_epoch_are_counted_through(tmp_path):
    lines = [f"Epoch [{epoch}/2], Step [{step}/300], Loss: 0.5" for epoch in (1, 2) for step in (100, 200, 300)]
    _, log = written(tmp_path, "out.txt", "\n".join(lines))
    assert steps(log, "Loss") == [100, 200, 300, 301, 401, 501]


@pytest.mark.parametrize(
    "text", ["hello\n1\n2\n", "epoch 1 of the plan\nepoch 2 of the plan\n", "tensor([0.1, 0.2])\n" * 5, "weight: tensor(0.5)\n" * 5]
)
def test_other_text_is_not_taken(tmp_path, text):
    path = tmp_path / "notes.log"
    path.write_text(text)
    assert isinstance(recognise(path), str)


def test_lines_can_be_declared(tmp_path):
    (tmp_path / "trainreport-map.toml").write_text(
        '[[log]]\nfiles = "*.out"\nlines = "it {step} of {}: l={l} at {rate}"\nseries = { l = "loss", rate = "learning_rate" }\n'
    )
    (tmp_path / "a.out").write_text("it  5 of 100: l=2.5 at 1e-3\nnothing\nit 6 of 100: l=nan at 1e-3\n")
    [log] = load([tmp_path]).logs
    assert set(log.frame["series"]) == {"loss", "learning_rate"}
    assert log.frame["step"].tolist() == [5, 5, 6, 6]
