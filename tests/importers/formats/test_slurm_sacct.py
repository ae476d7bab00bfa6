"""sacct -P; the shapes are those of sacct(1) and of the corpus."""

from __future__ import annotations

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


def test_arrays_and_requeued_jobs_are_jobs_each(tmp_path):
    jobs = read_jobs(tmp_path, OWN.replace("4711|", "4711_1|"), OWN.replace("4711|", "4711_2|"), OWN.replace("4711|", "4711_2|"))
    assert [job.key for job in jobs] == ["4711_1", "4711_2", "4711_2"]


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
