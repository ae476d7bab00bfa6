"""Runs whose logs hold no time of day but tell how long they took; values by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from builders import START, log_of, training
from read_logs import DATA

import trainreport as tr
from trainreport.business.compute import length_of, wall_seconds_together
from trainreport.business.ledger import ledgers, together
from trainreport.business.length import logged_length
from trainreport.importers import load
from trainreport.model.finding import State
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.model.schema import concat
from trainreport.reports.exports.json import as_dict

PLAN = parse_plan("[rates]\ngpu_hour = '3.00 EUR'\n[training]\ngpus = 2\n")
SB3 = "rollout/ep_rew_mean,time/fps,time/iterations,time/time_elapsed,time/total_timesteps,train/loss"


def without_times(curves, **facts):
    """Return a log as `builders.training` makes it, with steps and no times."""
    one = training(curves, **facts)
    log = log_of(one)
    frame = concat([log.frame.assign(time=log.frame["time"].where(np.zeros(len(log.frame), dtype=bool)))])
    return replace(log, frame=frame, run=replace(log.run, started_at=None, ended_at=None))


def taken(path, plan=PLAN):
    (log,) = load([path]).logs
    assert log.run.started_at is None
    return ledgers([log], plan)[0]


def test_train_runtime_of_the_trainer_times_the_gpus_of_the_plan():
    """600 s on 2 GPUs: a third of a GPU-hour, at 3 EUR."""
    ledger = taken(DATA / "transformers" / "trainer_state.json")
    assert ledger.wall_s == 600
    assert ledger.gpu_hours == pytest.approx(1 / 3)
    assert ledger.cost.amount == pytest.approx(Decimal(1))
    assert ledger.basis["hours"] == (
        "length as the log tells it (train_runtime: 10 min, no time of day) times 2 GPUs by the plan; no hardware log of all of them"
    )
    (told,) = ledger.hours_told
    assert (told.source, told.gpus, told.counts) == ("logged-length", 2, True)


def test_results_beside_a_state_that_was_cut_off(tmp_path):
    state = json.loads((DATA / "transformers" / "trainer_state.json").read_text())
    state["log_history"] = [one for one in state["log_history"] if "train_runtime" not in one]
    (tmp_path / "trainer_state.json").write_text(json.dumps(state))
    assert taken(tmp_path).wall_s is None
    (tmp_path / "train_results.json").write_text('{"epoch": 5.0, "train_runtime": 900.0, "train_loss": 1.5}')
    assert taken(tmp_path).wall_s == 900


def test_a_counter_of_a_loop_for_reinforcement_learning(tmp_path):
    """Stable-Baselines3's progress.csv: the last of ten entries stands at an hour."""
    rows = [f"{20 + n},500,{n},{360 * n},{2048 * n},{1 / n}" for n in range(1, 11)]
    (tmp_path / "progress.csv").write_text("\n".join((SB3, *rows, "")))
    assert taken(tmp_path).wall_s == 3600


def test_epochs_that_were_timed_are_added_up(tmp_path):
    rows = [f"{n},0.5,{100 + n},{1 / (n + 1)}" for n in range(4)]
    (tmp_path / "training_log.csv").write_text("\n".join(("epoch,accuracy,epoch_time,loss", *rows, "")))
    ledger = taken(tmp_path)
    assert ledger.wall_s == 100 + 101 + 102 + 103
    assert "epoch_time, all epochs added up: 7 min" in ledger.basis["hours"]


def test_a_table_with_the_runtime_of_wandb_and_no_timestamp(tmp_path):
    rows = [f"{n},{180 * n},{1 / (n + 1)},{1 / (n + 1)}" for n in range(21)]
    (tmp_path / "history.csv").write_text("\n".join(("_step,_runtime,train/loss,val/loss", *rows, "")))
    assert taken(tmp_path).wall_s == 3600


@pytest.mark.parametrize(
    ("counter", "seconds"),
    [
        ([10, 20, 30, 5, 15, 25], 30 + 25),  # began anew
        ([100, 200, 300, 180, 280, 380], 300 + 200),  # was taken up where the checkpoint stood
        ([5, 4, 6, 3, 5, 4, 6, 5], None),  # counts each step by itself
        ([float("nan"), 30.0, float("inf")], 30),
        ([-1.0, 0.0], None),
    ],
)
def test_sessions_of_a_counter(counter, seconds):
    found = logged_length(without_times({"time/elapsed": (range(len(counter)), counter), "loss": [1.0, 0.5]}))
    assert (found.seconds if found else None) == seconds


def test_each_call_of_train_is_a_session():
    log = without_times({"loss": [2.0, 1.0, 0.5], "train_runtime": ([1, 2], [600.0, 900.0])})
    assert logged_length(log).seconds == 1500


def test_two_tools_that_tell_the_same_are_not_added_up():
    log = without_times({"loss": [2.0, 1.0], "train/train_runtime": ([1], [600.0]), "train_runtime": ([1], [600.0])})
    assert logged_length(log).seconds == 600


def test_real_times_go_before_a_counter():
    log = log_of(training({"loss": [1.0] * 61, "time/elapsed": [float(n) for n in range(61)]}, seconds_per_step=60, start=START))
    assert length_of(log).seconds == 3600
    assert not length_of(log).logged


def test_nothing_tells_and_nothing_is_assumed(tmp_path):
    (tmp_path / "log.csv").write_text("epoch,loss,val_loss\n0,1,1\n1,0.5,0.6\n2,0.4,0.5\n")
    ledger = taken(tmp_path)
    assert (ledger.wall_s, ledger.gpu_hours, ledger.cost) == (None, None, None)
    assert ledger.basis["hours"] == "not known: no hardware log, and nothing in the logs has a time or tells how long the run took"


def test_how_many_gpus_cannot_be_told():
    (ledger,) = ledgers([load([DATA / "transformers" / "trainer_state.json"]).logs[0]], Plan())
    assert ledger.wall_s == 600
    assert ledger.gpu_hours is None
    assert ledger.basis["hours"].startswith("not known: no hardware log, and neither the plan")


def test_lengths_without_times_are_added_to_the_time_of_the_others():
    """An hour with times, and twice ten minutes that lie nowhere."""
    timed = log_of(training({"loss": [1.0] * 61}, seconds_per_step=60), run_id="timed")
    logs = [timed, *(without_times({"loss": [1.0], "train_runtime": [600.0]}, key=name) for name in ("a", "b"))]
    assert wall_seconds_together(logs) == 3600 + 1200
    assert together(logs, ledgers(logs, PLAN)).gpu_hours == pytest.approx(2 * (3600 + 1200) / 3600)


def test_the_budget_can_be_judged(tmp_path):
    """A third of a GPU-hour at 3 EUR is 1.00 EUR, of 0.50 EUR agreed."""
    plan = tmp_path / "plan.toml"
    plan.write_text("[plan]\ntitle='t'\n[rates]\ngpu_hour='3.00 EUR'\n[training]\ngpus=2\n[budget]\nmoney='0.50 EUR'\nwall_time='5 min'\n")
    analysis = tr.analyze([DATA / "transformers" / "trainer_state.json"], plan=plan)
    (run,) = analysis.assessment.runs
    over = next(one for one in run.outcomes if one.code == "TR301")
    assert over.state is State.FOUND
    compute = as_dict(analysis.assessment)["runs"][0]["compute"]
    assert (compute["wall_s"], compute["cost"]["amount"]) == (600, "1.00")
    assert "length as the log tells it" in compute["gpu_hours_told"][0]["says"]
    analysis.report(tmp_path / "r.md")
    assert "length as the log tells it (train_runtime: 10 min" in " ".join((tmp_path / "r.md").read_text().split()).replace(
        "Length", "length"
    )
