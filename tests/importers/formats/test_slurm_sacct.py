"""sacct -P; the shapes are those of sacct(1) and of the corpus."""

from __future__ import annotations

import pytest
from read_logs import values, written

from trainreport.importers import load

HEADER = "JobID|JobName|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|AllocCPUS|TotalCPU|ReqMem|MaxRSS|ReqTRES|AllocTRES"
OWN = "|".join((
    "4711", "train", "2026-06-09T05:00:00", "2026-06-09T08:00:00", "2026-06-09T10:00:00", "02:00:00", "1-00:00:00", "COMPLETED", "0:0",
    "16", "1-02:03:04", "64G", "", "billing=16,cpu=16,gres/gpu=4,mem=64G,node=1",
    "billing=16,cpu=16,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1",
))  # fmt: skip
BATCH = "4711.batch|batch|2026-06-09T08:00:00|2026-06-09T08:00:00|2026-06-09T10:00:00|02:00:00||COMPLETED|0:0|16|1-02:03:04||2048K||cpu=16"
EXTERN = "4711.extern|extern|2026-06-09T08:00:00|2026-06-09T08:00:00|2026-06-09T10:00:00|02:00:00||COMPLETED|0:0|16|00:00.001||900K||cpu=16"


def read_jobs(tmp_path, *rows, name="sacct.txt", **options):
    importer, jobs = written(tmp_path, name, "\n".join((HEADER, *rows, "")), **options)
    assert importer == "slurm-sacct"
    return jobs


def test_a_job_with_its_steps(tmp_path):
    (job,) = read_jobs(tmp_path, OWN, BATCH, EXTERN)
    assert (job.name, job.key, job.kind, job.status) == ("train", "4711", "job", "finished")
    assert (job.hardware.gpu_count, job.hardware.gpu_model, job.hardware.node_count) == (4, "a100", 1)
    assert values(job, "Submit to Start") == [3 * 3600]
    assert values(job, "Elapsed") == [2 * 3600]
    assert values(job, "Timelimit") == [24 * 3600]
    assert values(job, "TotalCPU") == [26 * 3600 + 3 * 60 + 4]
    assert values(job, "MaxRSS of batch") == [2048 * 1024]
    assert values(job, "MaxRSS of extern") == [900 * 1024]
    assert values(job, "memory of AllocTRES or ReqMem") == [64 * 2**30]
    assert job.files[0].clock == "no zone written; taken as UTC"
    assert job.tags["slurm/4711/allocated_gpus"] == "4"
    assert job.started_at.isoformat() == "2026-06-09T08:00:00+00:00"


def test_a_zone_that_is_given(tmp_path):
    (job,) = read_jobs(tmp_path, OWN, zone="Europe/Berlin")
    assert job.started_at.isoformat() == "2026-06-09T06:00:00+00:00"


def test_a_bar_behind_each_line(tmp_path):
    """``sacct -p`` ends each line with a bar."""
    _, (job,) = written(tmp_path, "sacct.txt", f"{HEADER}|\n{OWN}|\n{BATCH}|\n")
    assert values(job, "Elapsed") == [7200]


def test_out_of_memory_in_a_step(tmp_path):
    own = OWN.replace("COMPLETED|0:0", "FAILED|1:0")
    step = BATCH.replace("COMPLETED|0:0", "OUT_OF_MEMORY|0:125")
    (job,) = read_jobs(tmp_path, own, step)
    assert job.status == "failed"
    (event,) = job.events
    assert event.level == "error"
    assert event.message == "Slurm job 4711 (train) is OUT_OF_MEMORY, exit code 1:0; oom-kill: step batch of Slurm's accounting"


def test_states_with_words_behind_them(tmp_path):
    jobs = read_jobs(
        tmp_path, OWN.replace("COMPLETED", "CANCELLED by 1000"), OWN.replace("4711", "4712").replace("COMPLETED", "CANCELLED+")
    )
    assert [job.status for job in jobs] == ["killed", "killed"]


def test_a_job_that_has_not_begun(tmp_path):
    waiting = OWN.replace("2026-06-09T08:00:00|2026-06-09T10:00:00|02:00:00", "Unknown|Unknown|00:00:00").replace("COMPLETED", "PENDING")
    (job,) = read_jobs(tmp_path, waiting)
    assert job.status == "unknown"
    assert job.started_at is None
    assert "slurm/4711/held_seconds" not in job.tags


def test_a_running_job_ends_where_it_was_seen(tmp_path):
    (job,) = read_jobs(tmp_path, OWN.replace("2026-06-09T10:00:00", "Unknown").replace("COMPLETED", "RUNNING"))
    assert job.status == "running"
    assert job.ended_at.isoformat() == "2026-06-09T10:00:00+00:00"


def test_tasks_of_an_array_are_jobs_each(tmp_path):
    waiting = OWN.replace("4711|", "4711_[3-9%2]|").replace("2026-06-09T08:00:00|2026-06-09T10:00:00|02:00:00", "Unknown|Unknown|00:00:00")
    jobs = read_jobs(tmp_path, OWN.replace("4711|", "4711_1|"), BATCH.replace("4711.", "4711_1."), OWN.replace("4711|", "4711_2|"), waiting)
    assert [job.key for job in jobs] == ["4711_1", "4711_2", "4711_[3-9%2]"]
    assert ["slurm/4711_1/held_seconds" in jobs[0].tags, "slurm/4711_[3-9%2]/held_seconds" in jobs[2].tags] == [True, False]


def test_each_time_that_a_requeued_job_ran_counts(tmp_path):
    """``sacct -D`` lists them all; the time of submission tells them apart (sacct(1), --duplicates)."""
    first = OWN.replace("T10:00:00|02:00:00", "T09:00:00|01:00:00").replace("COMPLETED", "PREEMPTED")
    again = OWN.replace("T08:00:00|", "T10:30:00|").replace("T05:00:00|", "T09:00:00|").replace("T10:00:00|02:", "T12:30:00|02:")
    (tmp_path / "sacct.txt").write_text("\n".join((HEADER, first, BATCH, again, BATCH, EXTERN, "")))
    (log, second) = load([tmp_path]).logs
    assert [log.run.id, second.run.id] == ["4711", "4711 attempt 2"]
    assert [log.run.name, second.run.name] == ["train", "train attempt 2"]
    assert [log.run.tags["slurm/4711/held_seconds"], second.run.tags["slurm/4711 attempt 2/held_seconds"]] == ["3600", "7200"]
    assert [log.run.status, second.run.status] == ["killed", "finished"]


def test_a_job_that_was_seen_twice_counts_once_as_it_was_seen_last(tmp_path):
    """An export that is added to each day."""
    running = OWN.replace("2026-06-09T10:00:00|02:00:00", "Unknown|01:00:00").replace("COMPLETED", "RUNNING")
    (job,) = read_jobs(tmp_path, running, HEADER, OWN, BATCH)
    assert (job.key, job.status, values(job, "Elapsed")) == ("4711", "finished", [7200])
    assert job.events[-1].message == "1 job stands twice in it; the later entry counts"


def test_steps_are_no_jobs_wherever_they_stand(tmp_path):
    other = OWN.replace("4711|", "4712|")
    jobs = read_jobs(tmp_path, EXTERN, OWN, other, BATCH, BATCH.replace("4711.", "4712.").replace("2048K", "4096K"))
    assert [job.key for job in jobs] == ["4711", "4712"]
    assert values(jobs[0], "MaxRSS of extern") == [900 * 1024]
    assert values(jobs[1], "MaxRSS of batch") == [4096 * 1024]


def test_states_that_were_cut_to_their_column(tmp_path):
    jobs = read_jobs(tmp_path, OWN.replace("COMPLETED", "OUT_OF_ME+"), OWN.replace("4711", "4712").replace("COMPLETED", "NODE_FA+"))
    assert [job.status for job in jobs] == ["failed", "failed"]
    assert jobs[0].events[0].message.endswith("is OUT_OF_MEMORY, exit code 0:0; oom-kill: Slurm's accounting")


@pytest.mark.parametrize(
    ("told", "gpus", "model"),
    [
        ("cpu=8,gres/gpu:a100=4,gres/gpu=4,node=1", 4, "a100"),
        ("cpu=8,gres/gpu=4", 4, None),
        ("gres/gpu:a100=2,gres/gpu:v100=1", 3, "a100, v100"),
        ("gres/gpu:nvidia_a100_3g.20gb=2,gres/gpu=2", 2, "nvidia_a100_3g.20gb"),
        ("cpu=8,mem=1G", None, None),
    ],
)
def test_gpus_of_a_type_stand_beside_their_sum(tmp_path, told, gpus, model):
    _, (job,) = written(tmp_path, "sacct.txt", f"JobID|Elapsed|State|AllocTRES\n1|00:10:00|COMPLETED|{told}\n")
    assert (job.hardware.gpu_count, job.hardware.gpu_model) == (gpus, model)


@pytest.mark.parametrize(
    ("elapsed", "raw", "seconds"),
    [("2-01:00:00", "", [176400]), ("2-01:00:00", "176400", [176400]), ("10:01", "601", [601]), ("INVALID", "", [])],
)
def test_time_that_a_job_took(tmp_path, elapsed, raw, seconds):
    _, (job,) = written(tmp_path, "sacct.txt", f"JobID|Elapsed|ElapsedRaw|State\n1|{elapsed}|{raw}|COMPLETED\n")
    assert values(job, "Elapsed") == seconds


def test_old_spellings_of_gpus(tmp_path):
    header = "JobID|Elapsed|State|AllocGRES"
    _, (job,) = written(tmp_path, "sacct.txt", f"{header}\n1|00:10:00|COMPLETED|gpu:v100:2\n")
    assert (job.hardware.gpu_count, job.hardware.gpu_model) == (2, "v100")


def test_a_torn_line_is_named_and_the_others_are_kept(tmp_path):
    jobs = read_jobs(tmp_path, "4710|tra", OWN)
    assert [job.key for job in jobs] == ["4711"]
    assert (jobs[0].problems[0].place, jobs[0].problems[0].what) == ("line 2", "2 cells; expected 15")


def test_jobs_alone_are_runs(tmp_path):
    (tmp_path / "sacct.txt").write_text(f"{HEADER}\n{OWN}\n{BATCH}\n{OWN.replace('4711', '4712')}\n")
    found = load([tmp_path])
    assert [log.run.id for log in found.logs] == ["4711", "4712"]
    assert found.logs[0].run.started_at.isoformat() == "2026-06-09T08:00:00+00:00"


def test_of_very_many_jobs_the_first_are_read_and_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("trainreport.importers.jobs.job.MOST_JOBS", 2)
    monkeypatch.setattr("trainreport.importers.jobs.sacct_rows._MOST_ROWS", 4)
    jobs = read_jobs(tmp_path, *(OWN.replace("4711|", f"{number}|") for number in range(6)))
    assert [job.key for job in jobs] == ["0", "1"]
    assert [one.what.partition(":")[0] for one in jobs[0].problems] == [
        "more than 4 jobs and steps; the rest was left out", "4 jobs; the first 2 were read",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "rounded", "joules"),
    [
        ("12345678901", "12.35G", [12_345_678_901]),
        ("", "423.44K", [423_440]),
        ("18446744073709551614", "1.50M", [1_500_000]),
        ("4294967294", "", []),
        ("0", "0", [0]),
    ],
)
def test_energy_that_a_job_took(tmp_path, raw, rounded, joules):
    """Slurm writes it in powers of 1000; NO_VAL and NO_VAL64 of slurm.h stand for none (sacct/print.c)."""
    _, (job,) = written(tmp_path, "s.txt", f"JobID|State|ConsumedEnergyRaw|ConsumedEnergy\n1|COMPLETED|{raw}|{rounded}\n")
    assert values(job, "ConsumedEnergy") == joules
