"""How many devices a run held, where nothing logged them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import START, log_of, training

from trainreport.business.ledger import ledgers
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Hardware, SourceFile

HOUR = timedelta(hours=1)


def run(hours=2.0, **facts):
    return training({"loss": [1.0] * (int(hours * 60) + 1)}, seconds_per_step=60, **facts)


def test_gpus_of_the_machine_where_nothing_else_says_how_many():
    """W&B describes the machine: 4 GPUs for two hours."""
    log = log_of(run(hardware=Hardware(gpu_model="Tesla T4", gpu_count=4)))
    (ledger,) = ledgers([log], Plan())
    assert ledger.gpu_hours == pytest.approx(8)
    assert "times 4 GPUs of its machine, as the logs tell; a process may have used fewer" in ledger.basis["hours"]
    named = replace(log, run=replace(log.run, files=(SourceFile("run-a.wandb", "", 0, "wandb", 1),)))
    assert "times 4 GPUs of its machine, as W&B tells; a process" in ledgers([named], Plan())[0].basis["hours"]


def test_what_the_plan_or_a_parameter_says_goes_before_the_machine():
    log = log_of(run(hardware=Hardware(gpu_count=8), params={"world_size": "2"}))
    assert ledgers([log], Plan())[0].gpu_hours == pytest.approx(4)
    assert ledgers([log], parse_plan("[training]\ngpus = 1\n"))[0].gpu_hours == pytest.approx(2)


def test_runs_on_one_machine_at_a_time_share_its_gpus():
    """Two runs of two hours on the 4 GPUs of one host, the second an hour later: 4 GPUs for 3 h in all, 6 GPU-hours each."""
    logs = [
        log_of(run(key=key, start=START + late * HOUR, hardware=Hardware(gpu_count=4), tags={"wandb.host": host}), run_id=key)
        for key, late, host in (("a", 0, "node17"), ("b", 1, "node17"), ("c", 1, "node18"))
    ]
    taken_by = ledgers(logs, Plan())
    assert [one.gpu_hours for one in taken_by] == [pytest.approx(6), pytest.approx(6), pytest.approx(8)]
    assert "runs overlap on it are split equally" in taken_by[0].basis["hours"]
    assert "split" not in taken_by[2].basis["hours"]


def test_a_count_beyond_any_machine_is_none():
    assert ledgers([log_of(run(hardware=Hardware(gpu_count=999_999)))], Plan())[0].gpu_hours is None
