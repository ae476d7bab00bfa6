"""TR203: GPUs that wait for their input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines import case_of, judged

from trainreport import detectors
from trainreport.model.finding import Confidence, State, Waste

UTIL = "gpu/utilization"
HALF = {"gpu0": {UTIL: [0.4] * 100}}
TCP = 117.5e6  # bytes a second that a line of 1 Gbit/s carries


def test_logged_data_time_says_it():
    outcome = judged("TR203", curves={"time/data": [9.0] + [0.3] * 99, "time/step": [10.0] + [1.0] * 99}, gpu_hours=2.0)
    (finding,) = outcome.findings
    assert finding.message == "Training waited for data 30 % of the step time (0.3 s of 1 s a step on average over the run)."
    assert [one.value for one in finding.evidence] == pytest.approx([0.3, 0.3, 0.3, 0.3])  # the first step, when loaders start, is left out
    assert finding.waste.gpu_s == pytest.approx(2 * 3600 * 0.3)
    assert finding.confidence is Confidence.MEDIUM


def test_a_third_that_collapses_is_not_hidden_by_the_mean():
    finding = judged("TR203", curves={"time/data": [0.05] * 67 + [0.45] * 33, "time/step": [1.0] * 100}).findings[0]
    assert "45 % of the step time in the last third of the steps, 18 % over all" in finding.message


def test_a_step_time_without_the_wait_is_told_by_its_size():
    finding = judged("TR203", curves={"time/data": [3.0] * 100, "time/step": [1.0] * 100}).findings[0]
    assert finding.evidence[0].value == pytest.approx(0.75)


def test_the_clock_of_the_log_stands_in_for_the_step_time():
    finding = judged("TR203", curves={"time/data": [0.5] * 100}, step_s=2.0).findings[0]
    assert finding.evidence[0].value == pytest.approx(0.25)


def test_data_time_that_is_short_rules_the_machine_out():
    outcome = judged("TR203", HALF, curves={"time/data": [0.05] * 100, "time/step": [1.0] * 100}, host={"cpu/utilization": [0.97] * 100})
    assert (outcome.state, outcome.reason) == (State.CLEAR, "training waited for data 5 % of the step time")


@pytest.mark.parametrize(
    ("host", "cause"),
    [
        ({"cpu/utilization": [0.97] * 100}, "the processors were full"),
        ({"cpu/iowait": [0.3] * 100, "cpu/utilization": [0.1] * 100}, "the processors waited for the disk"),
        ({"disk/busy": [0.97] * 100}, "the disk was busy all the time"),
        ({"network/received": np.arange(100) * 10 * TCP}, "incoming traffic stood at a link's limit"),
    ],
)
def test_what_feeds_the_gpus_is_at_its_limit(host, cause):
    finding = judged("TR203", HALF, host=host).findings[0]
    assert finding.message == f"The GPUs worked 40 % while {cause} for 100 % of 16 min: their input does not come fast enough."
    assert finding.waste.share_of_run == pytest.approx(0.6)


def test_an_exchange_is_no_input():
    both_ways = {"network/received": np.arange(100) * 10 * TCP, "network/sent": np.arange(100) * 10 * TCP}
    assert judged("TR203", HALF, host=both_ways).state is State.NOT_APPLICABLE


def test_dips_in_the_rhythm_of_the_steps():
    gpu = {"gpu0": {UTIL: [0.9, 0.9, 0.9, 0.0, 0.0, 0.0] * 60}}
    finding = judged("TR203", gpu, curves={"loss": [1.0] * 60}, interval_s=1.0, step_s=6.0).findings[0]
    assert finding.message == "GPU 0 worked 45 % of the time and waited once in every step of 6 s, as when data come late."
    assert finding.confidence is Confidence.LOW
    assert judged("TR203", gpu, curves={"loss": [1.0] * 60}, interval_s=1.0, step_s=4.1).state is State.NOT_APPLICABLE


@pytest.mark.parametrize("value", ["true", "1", "torch"])
def test_under_a_profiler_confidence_is_low(value):
    host = {"cpu/utilization": [0.97] * 100}
    assert judged("TR203", HALF, host=host, params={"profiler": value}).findings[0].confidence is Confidence.LOW
    assert judged("TR203", HALF, host=host, params={"profiler": "False"}).findings[0].confidence is Confidence.MEDIUM


def test_low_utilization_alone_does_not_tell_why():
    outcome = judged("TR203", HALF)
    assert outcome.state is State.NOT_APPLICABLE
    assert "does not tell why it waits (TR201)" in outcome.reason


def test_silent_when_nothing_is_at_its_limit_or_the_gpus_are_fed():
    assert judged("TR203", HALF, host={"cpu/utilization": [0.4] * 100}).state is State.CLEAR
    assert judged("TR203", {"gpu0": {UTIL: [0.95] * 100}}, host={"cpu/utilization": [0.97] * 100}).state is State.CLEAR


def test_too_few_steps_or_no_times_cannot_be_told():
    assert judged("TR203", curves={"time/data": [0.5] * 10, "time/step": [1.0] * 10}).state is State.NOT_APPLICABLE
    assert judged("TR203", HALF, host={"cpu/utilization": [0.97] * 100}, times=False).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    plan = "[thresholds]\nTR203.data_share = 0.5\nTR203.worst_share = 0.9\n"
    assert judged("TR203", curves={"time/data": [0.3] * 100, "time/step": [1.0] * 100}, plan=plan).state is State.CLEAR


def test_what_a_profiler_recorded_is_not_said_of_the_whole_run():
    case = case_of(curves={"time/data": [0.45] * 40, "time/step": [1.0] * 40}, gpu_hours=2.0)
    logged = case.log.frame["logged"].cat.rename_categories(lambda name: f"{name} (profiled)")
    case = replace(case, log=replace(case.log, frame=case.log.frame.assign(logged=logged)))
    (outcome,) = detectors.run(case, [detectors.detector("TR203")])
    (finding,) = outcome.findings
    assert finding.message == (
        "Training waited for data 45 % of the step time (0.45 s of 1 s a step on average over the 40 steps that a profiler recorded)."
    )
    assert (finding.waste, finding.confidence) == (Waste(), Confidence.LOW)
