"""sacct --json; shapes of Slurm's OpenAPI specification (dbv0.0.37 to dbv0.0.41)."""

from __future__ import annotations

import json

import pytest
from read_logs import values, written

from trainreport.errors import InputError


def set_to(number):
    return {"set": True, "infinite": False, "number": number}


NEW = {
    "account": "crm", "allocation_nodes": 2, "cluster": "c", "job_id": 4711, "name": "train", "nodes": "n[1-2]", "partition": "gpu",
    "association": {"account": "crm", "cluster": "c"},
    "array": {"job_id": 0, "task_id": {"set": False, "infinite": False, "number": 0}},
    "exit_code": {"status": ["SUCCESS"], "return_code": set_to(0), "signal": {"id": {"set": False, "number": 0}, "name": ""}},
    "state": {"current": ["COMPLETED"], "reason": "None"},
    "time": {
        "elapsed": 7200, "submission": 1780981200, "start": 1780984800, "end": 1780992000, "limit": set_to(1440),
        "total": {"seconds": 90000, "microseconds": 5},
    },
    "required": {"CPUs": 16, "memory_per_node": set_to(65536)},
    "tres": {"allocated": [
        {"type": "cpu", "name": "", "id": 1, "count": 16}, {"type": "mem", "name": "", "id": 2, "count": 65536},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 8}, {"type": "gres", "name": "gpu:a100", "id": 1002, "count": 8},
    ]},
    "steps": [{
        "step": {"id": "4711.batch", "name": "batch"}, "state": ["COMPLETED"],
        "tres": {"requested": {"max": [{"type": "mem", "name": "", "id": 2, "count": 123456}]}},
    }],
}  # fmt: skip
OLD = {
    "association": {}, "job_id": 12, "name": "train", "array": {"job_id": 12, "task_id": 3},
    "exit_code": {"status": "SIGNALED", "return_code": 0},
    "state": {"current": "OUT_OF_MEMORY", "reason": "None"},
    "time": {"elapsed": 60, "submission": 0, "start": 1780984800, "end": 0, "limit": 60},
    "steps": [],
}  # fmt: skip


def read_jobs(tmp_path, *jobs):
    name, found = written(tmp_path, "sacct.json", json.dumps({"jobs": list(jobs), "meta": {"slurm": {}}, "errors": []}))
    assert name == "slurm-json"
    return found


def test_a_job_of_today(tmp_path):
    (job,) = read_jobs(tmp_path, NEW)
    assert (job.key, job.name, job.status) == ("4711", "train", "finished")
    assert (job.hardware.gpu_count, job.hardware.gpu_model, job.hardware.node_count) == (8, "a100", 2)
    assert values(job, "Submit to Start") == [3600]
    assert values(job, "time/limit") == [1440 * 60]
    assert values(job, "tres/allocated/mem") == [64 * 2**30]
    assert values(job, "memory of step batch") == [123456]
    assert job.started_at.timestamp() == 1780984800
    assert job.files[0].clock == "UTC, from the offset or epoch seconds written"


def test_a_job_of_the_first_version(tmp_path):
    (job,) = read_jobs(tmp_path, OLD)
    assert (job.key, job.status) == ("12_3", "failed")
    assert "oom-kill" in job.events[0].message
    assert job.ended_at.timestamp() == 1780984860


def test_what_is_no_job_is_named(tmp_path):
    (job,) = read_jobs(tmp_path, {"association": None}, NEW)
    assert job.problems[0].what == "no object with a job_id"


def test_no_job_at_all(tmp_path):
    with pytest.raises(InputError, match="no job in it"):
        read_jobs(tmp_path, {"association": None})


def test_torn_values_are_passed_over(tmp_path):
    (job,) = read_jobs(
        tmp_path, {"association": 0, "job_id": "7", "time": [], "tres": {"allocated": [3, {"count": "x"}]}, "steps": 4, "state": []}
    )
    assert job.key == "7"
    assert len(job.frame) == 0


def test_parts_of_a_heterogeneous_job_and_tasks_of_an_array(tmp_path):
    """As sacct(1) prints their ids: 12+1 and 12_3."""
    part = {**NEW, "job_id": 13, "het": {"job_id": 12, "job_offset": set_to(1)}}
    task = {
        **NEW,
        "job_id": 14,
        "array": {"job_id": 12, "task_id": set_to(3)},
        "het": {"job_id": 0, "job_offset": {"set": False, "number": 0}},
    }
    assert [job.key for job in read_jobs(tmp_path, part, task)] == ["12+1", "12_3"]
