"""Devices that are alike make one finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines import GIB, judged

from trainreport.detectors.alike import together
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Severity, Waste

ACTION = Action("Mend it.", "ML engineer", "a day")
NAMES = {"gpu0": "GPU 0", "gpu1": "GPU 1", "gpu2": "GPU 2", "gpu3": "GPU 3"}


def finding(device, value, *, node=None, message="{} worked {} % of the time.", unit="1", severity=Severity.MAJOR, gpu_s=100.0):
    """Return a finding of a device with one value."""
    name = NAMES.get(device, device) + (f" on {node}" if node else "")
    return Finding(
        "TR201", "low-gpu-utilization", severity, Confidence.HIGH, message.format(name, round(100 * value)),
        (Evidence("mean utilization", value, unit, "weighted by time", 60),), ACTION,
        waste=Waste(gpu_s=gpu_s, share_of_run=1 - value), series="gpu/utilization", phase="system", device=device, node=node,
    )  # fmt: skip


def test_four_gpus_that_are_alike_are_one_finding():
    (one,) = together([finding(f"gpu{number}", 0.2) for number in range(4)], 4)
    assert one.message == "Each of GPUs 0 to 3 worked 20 % of the time."
    assert (one.device, one.node) == (None, None)
    assert one.waste == Waste(gpu_s=400.0, share_of_run=0.8)
    assert [each.statistic for each in one.evidence] == [
        "mean utilization", "mean utilization, GPU 0", "mean utilization, GPU 1", "mean utilization, GPU 3",
    ]  # fmt: skip


def test_values_near_each_other_are_said_to_be_of_the_one_in_the_middle():
    (one,) = together([finding("gpu0", 0.20), finding("gpu1", 0.24), finding("gpu2", 0.22)], 4)
    assert one.message == "Each of GPUs 0 to 2 worked 22 % of the time (figures of GPU 2; those of the others are alike)."
    assert one.evidence[0].value == 0.22
    assert one.device == "gpu0, gpu1, gpu2"  # the fourth one is well
    assert one.waste.share_of_run == pytest.approx(0.78)


def test_others_stay_separate():
    far = [finding("gpu0", 0.05), finding("gpu1", 0.25)]
    graver = [finding("gpu0", 0.2), finding("gpu1", 0.2, severity=Severity.MINOR)]
    other = [finding("gpu0", 0.2), finding("gpu1", 0.2, message="{} worked {} % of the time, but less in the last third.")]
    counts = [finding("gpu0", 0.20, unit="s"), finding("gpu1", 0.24, unit="s")]
    for pair in (far, graver, other, counts):
        assert together(pair, 2) == pair


def test_each_of_a_group_is_near_each_other_one():
    found = together([finding(f"gpu{number}", 0.10 + 0.04 * number) for number in range(4)], 4)
    assert [one.message.split(" worked")[0] for one in found] == ["Each of GPUs 0 and 1", "Each of GPUs 2 and 3"]
    assert len({one.device for one in found}) == 2  # or they would have one fingerprint


def test_machines_are_named_or_counted():
    def told(nodes):
        (one,) = together([finding(f"gpu{number}", 0.2, node=node) for node in nodes for number in range(4)], 4 * len(nodes))
        return one.message.split(" worked")[0], one.node

    assert told(["a"]) == ("Each of GPUs 0 to 3 on a", "a")
    assert told(["a", "b"]) == ("Each of GPUs 0 to 3 on a and GPUs 0 to 3 on b", None)
    assert told(["a", "b", "c"]) == ("Each of 12 GPUs on 3 machines", None)


def test_a_finding_of_no_device_is_left_alone():
    host = Finding("TR204", "memory-near-limit", Severity.MINOR, Confidence.LOW, "Main memory was full.", (), ACTION)
    assert together([host, host], 2) == [host, host]


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_neither_waste_nor_device_is_lost_and_order_does_not_matter(values, random):
    findings = [finding(f"gpu{number}", value) for number, value in enumerate(values)]
    shuffled = random.sample(findings, len(findings))
    found = together(findings, len(values))
    assert together(shuffled, len(values)) == found
    assert sum(one.waste.gpu_s for one in found) == pytest.approx(100 * len(values))
    assert sum(len(one.evidence) for one in found) == len(values)


WAITS = {"gpu/utilization": [0.2] * 200}
IDLE = {"gpu/utilization": [0.0] * 200, "gpu/memory_used": 2e7}
FULL = {"gpu/utilization": [0.9] * 200, "gpu/memory_used": 79 * GIB, "gpu/memory_total": 80 * GIB}
LEAK = {"gpu/memory_used": [(20 + number / 5) * GIB for number in range(200)], "gpu/memory_total": 80 * GIB}
HOT = {
    "gpu/utilization": [0.95] * 200, "gpu/clock_sm": [1410.0] * 100 + [1000.0] * 100,
    "gpu/throttle/sw_thermal_slowdown": [0.0] * 100 + [1.0] * 100,
}  # fmt: skip
CAPPED = {
    "gpu/utilization": [0.95] * 200, "gpu/clock_sm": 1000.0, "gpu/clock_sm_max": 1410.0, "gpu/throttle/sw_power_cap": 1.0,
}  # fmt: skip
HOLLOW = {"gpu/utilization": [0.99] * 200, "gpu/power": 120.0, "gpu/power_limit": 400.0}
FAULTY = {"gpu/utilization": [0.9] * 200, "gpu/ecc_errors_uncorrected": [0.0] * 100 + [4.0] * 100}


@pytest.mark.parametrize(
    ("code", "table"),
    [
        ("TR201", WAITS), ("TR202", IDLE), ("TR204", FULL), ("TR205", LEAK), ("TR207", HOT), ("TR208", CAPPED), ("TR215", HOLLOW),
        ("TR217", FAULTY),
    ],
)  # fmt: skip
def test_every_detector_of_devices_says_it_once(code, table):
    (alone,) = judged(code, {"gpu0": table}).findings
    (one,) = judged(code, {f"gpu{number}": table for number in range(4)}).findings
    assert "GPU 0" in alone.message
    assert one.message.casefold() == alone.message.replace("GPU 0", "each of GPUs 0 to 3").casefold()
    assert (one.device, one.series) == (None, alone.series)
    if alone.waste.gpu_s is not None:
        assert one.waste.gpu_s == pytest.approx(4 * alone.waste.gpu_s)
