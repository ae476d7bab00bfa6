"""What a training service says it gave a run."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from builders import log_of, training
from read_logs import DATA

from trainreport.business.allocation import allocations
from trainreport.business.ledger import ledgers
from trainreport.importers import load
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Hardware

PLAN = parse_plan("[rates]\ngpu_hour = '3.00 EUR'\n")


def run(hours=2.0, **facts):
    return training({"loss": [1.0] * (int(hours * 60) + 1)}, seconds_per_step=60, **facts)


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
