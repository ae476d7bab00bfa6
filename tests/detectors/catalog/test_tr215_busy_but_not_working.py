"""TR215: a GPU that is shown as busy and hardly works."""

from __future__ import annotations

import pytest
from machines import MIB, judged

from trainreport.model.finding import Confidence, State


def gpu(power, used=0.99, size=100, limit=400.0, **more):
    table = {"gpu/utilization": [used] * size, "gpu/power": power, "gpu/power_limit": limit}
    return table | {f"gpu/{name}": values for name, values in more.items()}


def test_busy_at_a_third_of_the_limit():
    (finding,) = judged("TR215", {"gpu0": gpu(120.0)}).findings
    assert finding.message == "GPU 0 was shown as busy for 100 % of 17 min at less than 50 % of its power limit (median 30 %)."
    assert [one.value for one in finding.evidence] == pytest.approx([1.0, 1.0, 0.3, 0.99])
    assert finding.confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        (0.7, "its memory was busy for 70 %, so the work mostly waits for memory."),
        (0.05, "as with very small kernels or waiting for other GPUs."),
    ],
)
def test_the_memory_tells_the_likely_cause(activity, words):
    assert judged("TR215", {"gpu0": gpu(120.0, memory_utilization=activity)}).findings[0].message.endswith(words)


def test_a_third_that_collapses_is_not_hidden_by_the_mean():
    finding = judged("TR215", {"gpu0": gpu([300.0] * 69 + [120.0] * 31)}).findings[0]
    assert "one third of 17 min" in finding.message
    assert finding.confidence is Confidence.LOW


def test_one_died_and_the_others_wait():
    died = {"gpu/utilization": [0.9] * 50 + [0.0] * 50, "gpu/power": [300.0] * 50 + [60.0] * 50, "gpu/power_limit": 400.0}
    spins = {"gpu/utilization": [0.9] * 50 + [1.0] * 50, "gpu/power": [300.0] * 50 + [130.0] * 50, "gpu/power_limit": 400.0}
    (finding,) = judged("TR215", {"gpu0": spins, "gpu1": died, "gpu2": spins}).findings
    assert finding.message == (
        "GPU 1 stood at 0 % for 8 min while the other 2 were shown as busy at 32 % of the power limit (75 % before): "
        "they most likely waited for a process that had died."
    )
    assert finding.device == "gpu1"
    assert finding.waste.gpu_s == pytest.approx(490 * 3)


def test_a_gpu_that_was_never_used_has_not_died():
    unused = {"gpu/utilization": [0.0] * 100, "gpu/power": [60.0] * 100, "gpu/power_limit": 400.0}
    assert judged("TR215", {"gpu0": gpu(300.0), "gpu1": unused}).state is State.CLEAR


@pytest.mark.parametrize(
    "table",
    [
        gpu(300.0),
        gpu(120.0, used=0.6),
        gpu(120.0, throttle_reasons=0x40),
        gpu([120.0] * 15 + [300.0] * 85),
    ],
    ids=["works", "not busy", "slowed by heat", "a phase"],
)
def test_silent(table):
    assert judged("TR215", {"gpu0": table}).state is State.CLEAR


def test_a_stuck_sensor_is_not_believed():
    assert judged("TR215", {"gpu0": gpu(99.0, memory_used=1.0 * MIB)}).state is State.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("table", "given"),
    [
        ({"gpu/utilization": [0.99] * 100, "gpu/power": 120.0}, {}),
        (gpu(120.0), {"times": False}),
        (gpu(120.0, size=20), {}),
        (gpu(120.0), {"interval_s": 1.0}),
    ],
    ids=["no limit", "no times", "few", "short"],
)
def test_too_little_cannot_be_told(table, given):
    assert judged("TR215", {"gpu0": table}, **given).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    assert judged("TR215", {"gpu0": gpu(120.0)}, plan="[thresholds]\nTR215.low_power = 0.2\n").state is State.CLEAR
