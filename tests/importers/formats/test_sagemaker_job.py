"""The answer of moto's SageMaker to describe-training-job, and the fields that only a real one has."""

from __future__ import annotations

import json

import pytest
from read_logs import DATA, read, values, written

from trainreport.errors import InputError

JOB = json.loads((DATA / "sagemaker" / "describe.json").read_text())


def test_what_moto_answers():
    name, log = read(DATA / "sagemaker" / "describe.json")
    assert (name, log.name, log.status, log.seed) == ("sagemaker", "churn-1", "finished", "7")
    assert values(log, "train:progress") == [100.0]
    assert (log.hardware.gpu_count, log.tags["sagemaker.instance_type"]) == (1, "ml.p3.2xlarge")


def test_spot_savings_and_the_reason_of_a_failure(tmp_path):
    more = {"TrainingTimeInSeconds": 1000, "BillableTimeInSeconds": 300, "TrainingJobStatus": "Failed", "FailureReason": "out of memory"}
    _, log = written(tmp_path, "describe.json", json.dumps(JOB | more))
    assert (log.tags["sagemaker.billable_seconds"], log.tags["sagemaker.spot_savings"], log.status) == ("300", "0.7000", "failed")
    assert any(event.message == "failure reason: out of memory" for event in log.events)


def test_what_is_no_description_is_refused(tmp_path):
    with pytest.raises(InputError, match="TrainingJobName"):
        written(tmp_path, "describe.json", '{"TrainingJobName": 3, "TrainingJobStatus": "Failed"}')


def test_values_of_other_kinds_are_passed_over(tmp_path):
    odd = {"SecondaryStatusTransitions": [{"Status": ["Failed"], "StartTime": 10**400}], "TrainingStartTime": 10**400}
    _, log = written(tmp_path, "describe.json", json.dumps(JOB | odd))
    assert log.name == "churn-1"
    assert [(event.level, event.time_s) for event in log.events if event.kind == "status"] == [("info", None)]
