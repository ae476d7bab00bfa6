"""TR207: a GPU that slows down because it is hot."""

from __future__ import annotations

import pytest
from machines import judged

from trainreport.model.finding import Confidence, Severity, State

CLOCK = [1400.0] * 50 + [1000.0] * 50
HEAT = [70.0] * 50 + [88.0] * 50


def gpu(**more):
    return {"gpu0": {"gpu/utilization": [0.98] * 100} | {f"gpu/{name}": values for name, values in more.items()}}


@pytest.mark.parametrize("bit", [0x20, 0x40, 0x60, 0x68, 0x24])
def test_the_driver_says_heat_and_the_clock_fell(bit):
    finding = judged("TR207", gpu(clock_sm=CLOCK, throttle_reasons=[0] * 50 + [bit] * 50, temperature=HEAT)).findings[0]
    assert finding.message == (
        "GPU 0 was slowed by heat for 50 % of its work at up to 88 °C: "
        "its clock was 29 % below its clock at free work (1,000 of 1,400 MHz)."
    )
    assert [one.value for one in finding.evidence] == pytest.approx([0.5, 1e9, 1.4e9, 88.0])
    assert finding.waste.gpu_s == pytest.approx(500 * 400 / 1400)
    assert (finding.severity, finding.confidence) == (Severity.MAJOR, Confidence.HIGH)


def test_columns_of_reasons_without_a_clock():
    columns = {"gpu/utilization": [0.98] * 100, "gpu/throttle/hw_thermal_slowdown": [0.0] * 50 + [1.0] * 50}
    finding = judged("TR207", {"gpu0": columns}).findings[0]
    assert finding.message == "GPU 0 was slowed by heat for 50 % of its work; by how much was not logged."
    assert finding.confidence is Confidence.MEDIUM
    software = {"gpu/utilization": [0.98] * 100, "gpu/throttle/sw_thermal_slowdown": [0.0] * 85 + [1.0] * 15}
    assert judged("TR207", {"gpu0": software}).state is State.CLEAR


def test_temperature_and_clock_alone():
    finding = judged("TR207", gpu(clock_sm=CLOCK, temperature=HEAT)).findings[0]
    assert finding.message.startswith("GPU 0 ran hot and slower for 50 % of its work at up to 88 °C")
    assert finding.confidence is Confidence.LOW
    at_limit = gpu(clock_sm=CLOCK, temperature=HEAT, power=[200.0] * 50 + [400.0] * 50, power_limit=400.0)
    assert judged("TR207", at_limit).state is State.CLEAR  # the power limit may be what holds the clock


def test_throttled_from_the_start_is_seen_against_the_highest_clock():
    flickers = [0x20] * 9 + [0]
    finding = judged("TR207", gpu(clock_sm=1000.0, clock_sm_max=1400.0, throttle_reasons=flickers * 10)).findings[0]
    assert "29 % below the highest clock of the GPU" in finding.message


@pytest.mark.parametrize(
    "table",
    [
        {"clock_sm": [1400.0] * 50 + [1350.0] * 50, "throttle_reasons": [0] * 50 + [0x20] * 50},
        {"clock_sm": [1400.0] * 96 + [900.0] * 4, "throttle_reasons": [0] * 96 + [0x40] * 4},
        {"clock_sm": CLOCK, "throttle_reasons": [0] * 50 + [0x4] * 50},
        {"clock_sm": CLOCK, "throttle_reasons": [0] * 50 + [0x2] * 50, "temperature": HEAT},
        {"clock_sm": [1400.0] * 100, "temperature": HEAT},
    ],
    ids=["no drop", "a moment", "power cap", "application clocks", "hot but fast"],
)
def test_silent(table):
    assert judged("TR207", gpu(**table)).state is State.CLEAR


def test_little_lost_is_minor():
    table = {"clock_sm": [1400.0] * 92 + [1200.0] * 8, "throttle_reasons": [0] * 92 + [0x20] * 8}
    assert judged("TR207", gpu(**table)).findings[0].severity is Severity.MINOR


def test_too_little_cannot_be_told():
    assert judged("TR207", gpu(temperature=HEAT)).state is State.NOT_APPLICABLE
    idle = {"gpu0": {"gpu/utilization": [0.0] * 100, "gpu/throttle_reasons": [0x20] * 100}}
    assert judged("TR207", idle).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    table = gpu(clock_sm=CLOCK, throttle_reasons=[0] * 50 + [0x20] * 50)
    assert judged("TR207", table, plan="[thresholds]\nTR207.drop = 0.4\n").state is State.CLEAR
