"""seff; the form is that of its Perl source and of the manuals of clusters."""

from __future__ import annotations

import math

from read_logs import values, written

REPORT = """Job ID: 64626
Cluster: stanage
User/Group: a_user/clusterusers
State: COMPLETED (exit code 0)
Nodes: 2
Cores per node: 1
CPU Utilized: 00:02:37
CPU Efficiency: 35.68% of 00:07:20 core-walltime
Job Wall-clock time: 00:03:40
Memory Utilized: 137.64 MB (estimated maximum)
Memory Efficiency: 1.71% of 7.84 GB (3.92 GB/core)
"""


def test_a_report(tmp_path):
    name, (job,) = written(tmp_path, "seff.txt", REPORT)
    assert name == "slurm-seff"
    assert (job.key, job.status, job.hardware.node_count) == ("64626", "finished", 2)
    assert values(job, "CPU Utilized") == [157]
    assert values(job, "CPU Efficiency of") == [440]
    assert math.isclose(values(job, "CPU Efficiency")[0], 0.3568)
    assert math.isclose(values(job, "Memory Utilized")[0], 137.64 * 2**20)
    assert math.isclose(values(job, "Memory Efficiency of")[0], 7.84 * 2**30)
    assert values(job, "Elapsed") == [220]
    assert job.started_at is None


def test_several_reports_and_memory_that_ran_out(tmp_path):
    other = REPORT.replace("64626", "64627").replace("COMPLETED", "OUT_OF_MEMORY")
    _, jobs = written(tmp_path, "seff.txt", f"{REPORT}\n{other}")
    assert [(job.key, job.status) for job in jobs] == [("64626", "finished"), ("64627", "failed")]
    assert "oom-kill: as seff says" in jobs[1].events[0].message


def test_a_report_without_state_is_named(tmp_path):
    _, jobs = written(tmp_path, "seff.txt", REPORT + "\nJob ID: 2\nNodes: 1\n")
    assert jobs[0].problems[0].what == "a job without its state; expected 'State: COMPLETED (exit code 0)'"


def test_a_number_with_a_long_tail(tmp_path):
    """The rest of the line is no field; the number is still the job's."""
    _, (job,) = written(tmp_path, "seff.txt", REPORT.replace("64626", "64626 " + "x" * 400))
    assert job.key == "64626"
