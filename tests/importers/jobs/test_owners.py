"""Which run a job is of, and what becomes of the run by it: queue wait, memory, status, GPU-hours."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import trainreport as tr
from trainreport.importers import load
from trainreport.model.finding import State

LOGS = Path(__file__).parents[3] / "sample_runs" / "healthy" / "logs"
HEADER = "JobID|JobName|Submit|Start|End|State|ExitCode|AllocTRES"
DAY = "2026-06-09T"


def job(number, start, end, *, submit="00:00:00", state="COMPLETED", gpus=1, name="train"):
    return f"{number}|{name}|{DAY}{submit}|{DAY}{start}|{DAY}{end}|{state}|0:0|cpu=8,gres/gpu={gpus},node=1"


@pytest.fixture
def folder(tmp_path):
    """TensorBoard and nvidia-smi of one run, from 06:00 to 12:00 UTC."""
    for name in ("gpu.csv", "events.out.tfevents.1780984800.sample.0"):
        shutil.copy(LOGS / name, tmp_path / name)
    return tmp_path


def with_sacct(folder, *jobs):
    (folder / "sacct.txt").write_text("\n".join((HEADER, *jobs, "")))
    return folder


def outcome(assessment, code):
    return next(one for one in assessment.runs[0].outcomes if one.code == code)


def test_tensorboard_trainer_state_nvidia_smi_and_sacct_of_one_run(folder):
    """The bar of issue 8: one run, each series once, GPU-hours of the scheduler and of the GPU log side by side."""
    rows = load([folder]).logs[0].frame
    losses = rows[(rows["series"] == "loss") & (rows["phase"] == "train")]
    history = [{"step": int(step), "loss": float(value)} for step, value in zip(losses["step"], losses["value"], strict=True)]
    state = {"epoch": 24.0, "global_step": 1200, "log_history": history, "max_steps": 1200}
    (folder / "trainer_state.json").write_text(json.dumps(state, indent=2))
    with_sacct(folder, job(4711, "07:58:30", "14:05:30", submit="04:58:30"))  # in Berlin; two hours later than UTC
    assessment = tr.analyze([folder]).assessment
    (run,) = assessment.runs
    files = {file.path: file for file in run.log.run.files}
    assert files.keys() == {"events.out.tfevents.1780984800.sample.0", "gpu.csv", "trainer_state.json", "sacct.txt"}
    assert "taken as UTC+02:00" in files["sacct.txt"].clock
    basis = run.ledger.basis["hours"]
    assert basis == "from the scheduler, Slurm job 4711: 1 GPU for 6.1 h; the GPU log shows 1 GPU and 6.11 GPU-hours of it"
    assert run.ledger.gpu_hours == pytest.approx(6 + 7 / 60)
    waited = outcome(assessment, "TR218")
    assert waited.state is State.FOUND
    assert "waited 3.0 h in the queue" in waited.findings[0].message
    assert outcome(assessment, "TR221").state is State.CLEAR
    conflict = outcome(assessment, "TR005")
    assert conflict.state is not State.FOUND


def test_a_job_that_ran_out_of_memory(folder):
    assessment = tr.analyze([with_sacct(folder, job(4711, "05:58:30", "12:05:30", state="OUT_OF_MEMORY"))]).assessment
    assert assessment.runs[0].log.run.status == "failed"
    found = outcome(assessment, "TR221")
    assert found.state is State.FOUND
    assert "Slurm job 4711 (train) is OUT_OF_MEMORY" in found.findings[0].message


def test_gpus_that_no_log_shows(folder):
    """A log of one node of two: the scheduler knows of all GPUs that were held."""
    (run,) = tr.analyze([with_sacct(folder, job(4711, "06:00:00", "12:00:00", gpus=8))]).assessment.runs
    assert run.ledger.gpu_hours == 48
    assert run.ledger.basis["hours"] == (
        "from the scheduler, Slurm job 4711: 8 GPUs for 6.0 h; the GPU log shows 1 GPU and 6 GPU-hours of it; "
        "in the other 42 GPU-hours (88 %) nothing was logged; 0.117 GPU-hours of the log lie outside its time and are not counted"
    )


def test_no_gpu_log(folder):
    (folder / "gpu.csv").unlink()
    (run,) = tr.analyze([with_sacct(folder, job(4711, "05:30:00", "12:00:00", gpus=2))]).assessment.runs
    assert run.ledger.gpu_hours == 13
    assert run.ledger.basis["hours"] == "from the scheduler, Slurm job 4711: 2 GPUs for 6.5 h; no hardware log of all of them"


def test_jobs_one_after_the_other_are_all_of_the_run(folder):
    (log,) = load([with_sacct(folder, job(1, "06:00:00", "09:00:00", state="PREEMPTED"), job(2, "09:10:00", "12:00:00"))]).logs
    assert log.run.status == "finished"
    assert {"slurm/1/held_seconds", "slurm/2/held_seconds"} <= log.run.tags.keys()


def test_of_jobs_at_the_same_time_the_one_that_begins_and_ends_with_the_run(folder):
    found = load([with_sacct(folder, job(1, "01:00:00", "20:00:00"), job(2, "05:59:00", "12:01:00"))])
    (log,) = found.logs
    assert "slurm/2/state" in log.run.tags
    assert "slurm/1/state" not in log.run.tags
    assert [one.reason for one in found.skipped] == [
        "1 job: the run in their time is of another job, which fits it better or which it names"
    ]


def test_jobs_that_cannot_be_told_apart_are_of_no_run(folder):
    found = load([with_sacct(folder, job(1, "05:59:00", "12:01:00"), job(2, "05:58:00", "12:02:00"))])
    assert not any(key.startswith("slurm/") for key in found.logs[0].run.tags)
    assert found.skipped[0].reason.startswith("2 jobs (1, 2): which of them the run in their time is of cannot be told")


def test_a_run_that_names_its_job(folder):
    inside = folder / "slurm-90002"
    inside.mkdir()
    for name in ("gpu.csv", "events.out.tfevents.1780984800.sample.0"):
        (folder / name).rename(inside / name)
    (log,) = load([with_sacct(folder, job(90001, "05:59:00", "12:01:00"), job(90002, "05:58:00", "12:02:00"))]).logs
    assert "slurm/90002/state" in log.run.tags


def test_a_job_of_several_runs_ends_for_the_last_of_them_and_its_hours_are_nobodys_own(tmp_path):
    for name, first in (("a", 1_780_984_800), ("b", 1_780_988_400)):
        rows = "".join(f'{{"step": {n}, "loss": {1 / (n + 1)}, "timestamp": {first + 60 * n}}}\n' for n in range(50))
        (tmp_path / f"{name}.jsonl").write_text(rows)
    with_sacct(tmp_path, job(7, "05:59:00", "08:00:00", state="TIMEOUT"))
    runs = {log.run.id: log.run for log in load([tmp_path]).logs}
    assert runs["a"].status != "killed"
    assert runs["b"].status == "killed"
    ledgers = {one.log.run.id: one.ledger for one in tr.analyze([tmp_path]).assessment.runs}
    assert ledgers["a"].gpu_hours is None


def test_a_job_without_times_is_of_the_only_run_near_it(folder):
    (folder / "seff.txt").write_text(
        "Job ID: 5\nState: COMPLETED (exit code 0)\nCPU Utilized: 00:00:01\nCPU Efficiency: 1.00% of 00:00:10 c\n"
    )
    (log,) = load([folder]).logs
    assert log.run.tags["slurm/5/State"] == "COMPLETED (exit code 0)"


def test_the_parts_of_a_heterogeneous_job_are_one_job(folder):
    """Beside another job at the same time: 4 and 2 GPUs from 06:00 to 12:00 are 36 GPU-hours."""
    parts = [job("12+0", "06:00:00", "12:00:00", gpus=4), job("12+1", "06:00:00", "12:00:00", gpus=2)]
    (run,) = tr.analyze([with_sacct(folder, job(1, "01:00:00", "20:00:00"), *parts)]).assessment.runs
    assert {key.split("/")[1] for key in run.log.run.tags if key.startswith("slurm/")} == {"12+0", "12+1"}
    assert run.ledger.gpu_hours == 36


def test_attempts_of_one_job_count_both(folder):
    """1 GPU from 06:00 to 09:00 and from 09:10 to 12:00."""
    (folder / "gpu.csv").unlink()
    attempts = job(7, "06:00:00", "09:00:00", state="PREEMPTED"), job(7, "09:10:00", "12:00:00", submit="09:00:00")
    (run,) = tr.analyze([with_sacct(folder, *attempts)]).assessment.runs
    assert run.ledger.gpu_hours == pytest.approx(3 + 170 / 60)


def test_attempts_of_a_job_that_the_run_names_count_both_beside_another_job(folder):
    inside = folder / "slurm-90007"
    inside.mkdir()
    for name in ("gpu.csv", "events.out.tfevents.1780984800.sample.0"):
        (folder / name).rename(inside / name)
    attempts = job(90007, "06:00:00", "09:00:00", state="PREEMPTED"), job(90007, "09:10:00", "12:00:00", submit="09:00:00")
    (log,) = load([with_sacct(folder, job(90001, "05:59:00", "12:01:00"), *attempts)]).logs
    assert {key.split("/")[1] for key in log.run.tags if key.startswith("slurm/")} == {"90007", "90007 attempt 2"}
