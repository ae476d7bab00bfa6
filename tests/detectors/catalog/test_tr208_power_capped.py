"""TR208: a GPU whose power limit slows it down."""

from __future__ import annotations

import pytest
from machines import judged

from trainreport.model.finding import Confidence, Severity, State


def gpu(**more):
    return {"gpu0": {"gpu/utilization": [0.98] * 100} | {f"gpu/{name}": values for name, values in more.items()}}


@pytest.mark.parametrize("bit", [0x4, 0x80])
def test_the_cap_with_a_lower_clock(bit):
    table = gpu(clock_sm=1100.0, clock_sm_max=1410.0, throttle_reasons=bit, power_limit=250.0, power_limit_default=400.0)
    finding = judged("TR208", table).findings[0]
    assert finding.message == (
        "GPU 0 was held down by its power limit of 250 W (default 400 W) for 100 % of its work: "
        "its clock was 22 % below the highest clock of the GPU (1,100 of 1,410 MHz)."
    )
    assert [one.value for one in finding.evidence] == pytest.approx([1.0, 1.1e9, 1.41e9])
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.MEDIUM)


def test_power_at_its_limit_stands_in_for_the_reason():
    finding = judged("TR208", gpu(clock_sm=1100.0, clock_sm_max=1410.0, power=398.0, power_limit=400.0)).findings[0]
    assert finding.confidence is Confidence.LOW


def test_without_a_highest_clock_free_work_is_compared():
    table = gpu(clock_sm=[1400.0] * 40 + [1100.0] * 60, throttle_reasons=[0] * 40 + [4] * 60)
    assert "21 % below its clock at free work" in judged("TR208", table).findings[0].message


@pytest.mark.parametrize(
    "table",
    [
        {"clock_sm": 1380.0, "clock_sm_max": 1410.0, "throttle_reasons": 4},
        {"clock_sm": 1100.0, "clock_sm_max": 1410.0, "throttle_reasons": 2},
        {"clock_sm": 1100.0, "clock_sm_max": 1410.0, "throttle_reasons": 0x24},
        {"clock_sm": [1410.0] * 95 + [1100.0] * 5, "clock_sm_max": 1410.0, "throttle_reasons": [0] * 95 + [4] * 5},
        {"clock_sm": 1100.0, "clock_sm_max": 1410.0, "power": 300.0, "power_limit": 400.0},
    ],
    ids=["normal at full load", "application clocks", "heat as well", "a peak", "far from the limit"],
)
def test_silent(table):
    assert judged("TR208", gpu(**table)).state is State.CLEAR


def test_without_a_clock_or_a_reason_it_cannot_be_told():
    assert judged("TR208", gpu(power=398.0, power_limit=400.0)).state is State.NOT_APPLICABLE
    assert judged("TR208", gpu(clock_sm=1100.0, clock_sm_max=1410.0)).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    table = gpu(clock_sm=1100.0, clock_sm_max=1410.0, throttle_reasons=4)
    assert judged("TR208", table, plan="[thresholds]\nTR208.drop = 0.3\n").state is State.CLEAR
