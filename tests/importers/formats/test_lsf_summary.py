"""LSF's job summary; the form is that of the corpus."""

from __future__ import annotations

from read_logs import values, written

SUMMARY = """
------------------------------------------------------------
Sender: LSF System <lsfadmin@cluster>
Subject: Job 12627350: <train> in cluster <dcc> {ended}

Job <train> was submitted from host <n-1> by user <ada> in cluster <dcc> at Wed Feb  9 09:41:12 2022
Job was executed on host(s) <4*n-62>, in queue <gpua100>, as user <ada> in cluster <dcc> at Wed Feb  9 11:41:12 2022
                            <4*n-63>
</zhome/ada> was used as the home directory.
Started at Wed Feb  9 11:41:12 2022
Terminated at Wed Feb  9 12:41:12 2022
Results reported at Wed Feb  9 12:41:12 2022

Your job looked like:

------------------------------------------------------------
# LSBATCH: User input
train.sh
------------------------------------------------------------

{how}

Resource usage summary:

    CPU time :                                   120.50 sec.
    Max Memory :                                 2048 MB
    Average Memory :                             1000.50 MB
    Total Requested Memory :                     8192.00 MB
    Delta Memory :                               -
    Run time :                                   3605 sec.
    Turnaround time :                            10800 sec.
"""


def test_a_job_that_was_done(tmp_path):
    name, (job,) = written(tmp_path, "job.out", SUMMARY.format(ended="Done", how="Successfully completed."))
    assert name == "lsf-summary"
    assert (job.key, job.name, job.status) == ("12627350", "train", "finished")
    assert values(job, "Submit to Start") == [2 * 3600]
    assert values(job, "Elapsed") == [3600]
    assert values(job, "CPU time") == [120.5]
    assert values(job, "Max Memory") == [2 * 2**30]
    assert values(job, "Run time") == [3605]
    assert job.started_at.isoformat() == "2022-02-09T11:41:12+00:00"
    assert job.tags["lsf/12627350/Submit"] == "2022-02-09T09:41:12"


def test_a_job_that_exited(tmp_path):
    _, (job,) = written(tmp_path, "job.out", SUMMARY.format(ended="Exited", how="Exited with exit code 126."))
    assert job.status == "failed"
    assert job.events[0].message == "LSF job 12627350 (train) is EXITED, exit code 126"


def test_limits_that_were_reached(tmp_path):
    memory = "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\nExited with exit code 137."
    _, (job,) = written(tmp_path, "job.out", SUMMARY.format(ended="Exited", how=memory))
    assert job.status == "failed"
    assert "oom-kill: TERM_MEMLIMIT: job killed after reaching LSF memory usage limit" in job.events[0].message
    time = "TERM_RUNLIMIT: job killed after reaching LSF run time limit.\nExited with exit code 140."
    _, (job,) = written(tmp_path, "job.out", SUMMARY.format(ended="Exited", how=time))
    assert job.status == "killed"
