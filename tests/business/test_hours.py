"""What a scheduler or a service gave against what the GPU log shows, by hand; the runs begin at 06:00 UTC."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from builders import START, log_of, machine, training
from one_run import sacct
from read_logs import DATA, written

from trainreport.business.allocation import allocations, covered, own_spans
from trainreport.business.compute import held_by_log
from trainreport.business.hours import within
from trainreport.business.ledger import ledgers
from trainreport.business.pace import paid_span
from trainreport.importers import load
from trainreport.model.plan import Plan
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Hardware, SourceFile

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


@pytest.fixture
def described(tmp_path):
    """SageMaker's description of two ml.p3.8xlarge, 4 GPUs each, that trained for two hours of which 36 minutes are billed."""
    told = json.loads((DATA / "sagemaker" / "describe.json").read_text())
    told["ResourceConfig"] |= {"InstanceType": "ml.p3.8xlarge", "InstanceCount": 2}
    told |= {"TrainingTimeInSeconds": 7200, "BillableTimeInSeconds": 2160}
    path = tmp_path / "describe.json"

    def write(**more):
        path.write_text(json.dumps(told | more))
        return load([path]).logs[0]

    return write


def test_a_spot_job_of_sagemaker_is_held_by_its_training_seconds_and_priced_by_the_billable_ones(described):
    """8 GPUs for 2 h are 16 GPU-hours; 8 for 0.6 h are 4.8, at 3 EUR."""
    (ledger,) = ledgers([described()], PLAN)
    assert ledger.gpu_hours == pytest.approx(16)
    assert ledger.cost.amount == pytest.approx(Decimal("14.40"))
    assert ledger.basis["hours"] == (
        "from SageMaker, 2 × ml.p3.8xlarge: 8 GPUs for 2.0 h, of which 36 min are billed; no hardware log of all of them"
    )
    assert ledger.basis["cost"] == "billed hours at 3.00 EUR an hour"
    assert [(one.source, one.gpu_hours) for one in ledger.hours_told] == [("training-service", pytest.approx(16))]


def test_a_job_on_demand_is_priced_by_its_seconds(described):
    (ledger,) = ledgers([described(BillableTimeInSeconds=7200)], PLAN)
    assert ledger.cost.amount == pytest.approx(Decimal(48))
    assert ledger.basis["cost"] == "device hours at 3.00 EUR an hour"


def test_an_instance_that_is_not_in_the_table_is_no_allocation(described):
    log = described(ResourceConfig={"InstanceType": "ml.c5.xlarge", "InstanceCount": 1})
    assert allocations([log]) == [None]


def test_tags_of_others_that_look_like_sagemakers():
    tags = {"sagemaker.instance_type": "x", "sagemaker.instance_count": "many", "sagemaker.training_seconds": "3600"}
    (found,) = allocations([log_of(run(tags=tags, hardware=Hardware(gpu_count=2)))])
    assert found.words == "1 × x: 2 GPUs for 60 min"


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
