"""TR214: disks that cannot keep the GPUs busy."""

from __future__ import annotations

import pytest
from machines import judged

from trainreport.model.finding import State

LOW = {"gpu0": {"gpu/utilization": [0.3] * 101}}


def test_processors_wait_for_the_disk_more_than_they_work():
    (finding,) = judged("TR214", LOW, host={"cpu/iowait": [0.2] * 101, "cpu/utilization": [0.05] * 101}).findings
    assert finding.message == (
        "20 % of the processors' time went into waiting for the disk for 100 % of 17 min, and the GPU worked 30 % of that time."
    )
    assert [one.value for one in finding.evidence] == pytest.approx([1.0, 0.2, 0.3, 0.3, 1.0])
    assert finding.waste.gpu_s == pytest.approx(700)


def test_a_disk_that_is_always_busy():
    assert judged("TR214", LOW, host={"disk/busy": [0.98] * 101}).findings[0].message.startswith("The disk was busy 98 % of the time")


@pytest.mark.parametrize(
    "host",
    [
        {"cpu/iowait": [0.2] * 101, "cpu/utilization": [0.5] * 101},
        {"cpu/iowait": [0.05] * 101},
        {"disk/busy": [0.7] * 101},
        {"cpu/iowait": [0.4] * 30 + [0.0] * 71},
    ],
    ids=["they work more", "little", "not busy", "a phase"],
)
def test_silent(host):
    assert judged("TR214", LOW, host=host).state is State.CLEAR


def test_gpus_that_are_fed_are_no_bottleneck():
    assert judged("TR214", {"gpu0": {"gpu/utilization": [0.95] * 101}}, host={"cpu/iowait": [0.4] * 101}).state is State.CLEAR


def test_without_iowait_it_cannot_be_told():
    assert judged("TR214", LOW, host={"cpu/utilization": [0.1] * 101}).state is State.NOT_APPLICABLE
    assert judged("TR214", host={"cpu/iowait": [0.4] * 101}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    assert judged("TR214", LOW, host={"cpu/iowait": [0.2] * 101}, plan="[thresholds]\nTR214.wait = 0.5\n").state is State.CLEAR
