"""What a scheduler or a service gave against what the GPU log shows, by hand; the runs begin at 06:00 UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from builders import START, log_of, machine, training
from one_run import sacct
from read_logs import written

from trainreport.business.allocation import covered, own_spans
from trainreport.business.compute import held_by_log
from trainreport.business.hours import within
from trainreport.business.ledger import ledgers
from trainreport.business.pace import paid_span
from trainreport.model.plan_reader import parse_plan

HOUR = timedelta(hours=1)
PLAN = parse_plan("[rates]\ngpu_hour = '3.00 EUR'\n")


def job(tmp_path, begin_h, end_h, gpus=2, number=12):
    """Return a job from and to some hours after 06:00, as sacct tells it in UTC."""
    begin, end = START + begin_h * HOUR, START + end_h * HOUR
    tres = f"cpu=8,gres/gpu={gpus},node=1"
    times = "|".join(f"{moment:%Y-%m-%dT%H:%M:%S}" for moment in (begin, begin, end))
    minutes = round((end_h - begin_h) * 60)
    row = f"{number}|train|{times}|{minutes // 60:02d}:{minutes % 60:02d}:00||COMPLETED|0:0|8|8G||{tres}|{tres}"
    return written(tmp_path, f"{number}.txt", sacct(row))[1]


def run(hours=2.0, **facts):
    return training({"loss": [1.0] * (int(hours * 60) + 1)}, seconds_per_step=60, **facts)


def gpu(shares, hours=2.0, begin_h=0.0, **facts):
    """Return a GPU log, one GPU for each of the shares that it was busy, sampled each minute."""
    devices = {f"gpu{number}": {"gpu/utilization": [share] * int(hours * 60)} for number, share in enumerate(shares)}
    return machine(devices, interval_s=60, start=START + begin_h * HOUR, **facts)


def taken(*recordings, plan=PLAN):
    return ledgers([log_of(*recordings)], plan)[0]


def test_what_was_given_counts_and_what_no_log_shows_of_it_is_said(tmp_path):
    """2 GPUs for 3 hours; the log has two of them, and begins half an hour late."""
    ledger = taken(run(), gpu([0.9, 0.9]), *job(tmp_path, -0.5, 2.5))
    assert ledger.gpu_hours == pytest.approx(6)
    assert ledger.cost.amount == 18
    assert ledger.basis["hours"] == (
        "from the scheduler, Slurm job 12: 2 GPUs for 3.0 h; the GPU log shows 2 GPUs and 4 GPU-hours of it; "
        "in the other 2 GPU-hours (33 %) nothing was logged: 30 min before its first sample and 30 min after its last"
    )


def test_what_the_log_shows_outside_the_job_is_not_counted(tmp_path):
    """A log of four hours, from an hour before the job of two hours to an hour after it."""
    log = log_of(run(), gpu([0.9], hours=4, begin_h=-1), *job(tmp_path, 0, 2, gpus=1))
    (ledger,) = ledgers([log], PLAN)
    assert ledger.gpu_hours == pytest.approx(2)
    assert ledger.basis["hours"].endswith("and 2 GPU-hours of it; 2 GPU-hours of the log lie outside its time and are not counted")
    ((span,),) = held_by_log(log, PLAN).values()
    assert span == (START.timestamp(), (START + 2 * HOUR).timestamp())


def test_of_a_machine_with_more_gpus_those_that_worked_most_are_the_jobs(tmp_path):
    ledger = taken(run(), gpu([0.1, 0.9, 0.0, 0.8]), *job(tmp_path, 0, 2))
    assert [(one.device, one.hours) for one in ledger.devices] == [("gpu1", pytest.approx(2)), ("gpu3", pytest.approx(2))]
    assert "its 2 other GPUs worked less and are taken for those of others" in ledger.basis["hours"]
    assert [one.gpus for one in ledger.hours_told] == [2, 4]


def test_of_a_job_with_more_gpus_than_the_log_the_others_are_named_anew(tmp_path):
    ledger = taken(run(), gpu([0.9]), *job(tmp_path, 0, 2, gpus=3))
    assert [one.device for one in ledger.devices] == ["gpu0", "gpu1", "gpu2"]
    assert ledger.gpu_hours == pytest.approx(6)
    assert ledger.basis["hours"].endswith("in the other 4 GPU-hours (67 %) nothing was logged")


def test_jobs_that_hold_a_part_of_the_run_only_do_not_count(tmp_path):
    """The run took four hours; sacct was asked for the last of its jobs only."""
    log = log_of(run(hours=4), gpu([0.9, 0.9], hours=4), *job(tmp_path, 2, 4))
    assert covered(log) == pytest.approx(0.5)
    (ledger,) = ledgers([log], PLAN)
    assert ledger.gpu_hours == pytest.approx(8)
    assert ledger.basis["hours"].endswith(
        "the scheduler's jobs hold 50 % of the run's time only and do not count: Slurm job 12: 2 GPUs for 2.0 h"
    )
    assert [(one.source, one.counts) for one in ledger.hours_told] == [("gpu-log", True), ("scheduler", False)]


def test_jobs_one_after_the_other(tmp_path):
    """Two hours and one hour, with half an hour between: 3 h x 2 GPUs."""
    log = log_of(run(hours=3.5), *job(tmp_path, 0, 2), *job(tmp_path, 2.5, 3.5, number=13))
    assert own_spans(log) == [
        (START.timestamp(), (START + 2 * HOUR).timestamp()), ((START + 2.5 * HOUR).timestamp(), (START + 3.5 * HOUR).timestamp())
    ]  # fmt: skip
    (ledger,) = ledgers([log], PLAN)
    assert ledger.gpu_hours == pytest.approx(6)


def test_paid_time_is_that_of_the_job_around_the_run(tmp_path):
    log = log_of(run(), *job(tmp_path, -0.25, 2.5))
    assert paid_span(log) == ((START - 0.25 * HOUR).timestamp(), (START + 2.5 * HOUR).timestamp())


def test_a_job_that_several_runs_shared_is_nobodys_own(tmp_path):
    (shared,) = job(tmp_path, -1, 3)
    shared = replace(shared, tags={**shared.tags, "slurm/12/runs_in_it": "2"})
    log = log_of(run(), gpu([0.9, 0.9]), shared)
    assert own_spans(log) == []
    assert paid_span(log)[0] == START.timestamp()
    (ledger,) = ledgers([log], PLAN)
    assert ledger.gpu_hours == pytest.approx(4)
    assert "beside it the scheduler, for several runs together" in ledger.basis["hours"]


def test_parts_of_spans_within_limits():
    assert within([(0, 10), (20, 30)], [(5, 25)]) == [(5, 10), (20, 25)]
    assert within([(0, 10)], [(10, 20)]) == []
