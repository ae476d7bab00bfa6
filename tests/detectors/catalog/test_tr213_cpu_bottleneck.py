"""TR213: processors that cannot keep the GPUs busy."""

from __future__ import annotations

import pytest
from machines import judged

from trainreport.model.finding import Confidence, State

UTIL = "gpu/utilization"


def test_full_processors_and_gpus_that_wait():
    gpus = {"gpu0": {UTIL: [0.4] * 60 + [0.9] * 41}, "gpu1": {UTIL: [0.2] * 60 + [0.9] * 41}}
    (finding,) = judged("TR213", gpus, host={"cpu/utilization": [0.97] * 60 + [0.5] * 41}).findings
    assert finding.message == "The processors were full (97 % busy) for 60 % of 17 min, and the 2 GPUs worked 30 % of that time."
    assert [one.value for one in finding.evidence] == pytest.approx([0.6, 0.97, 0.3, 0.54, 1.0])
    assert finding.waste.gpu_s == pytest.approx(600 * 0.7 * 2)
    assert finding.confidence is Confidence.MEDIUM


def test_a_third_that_collapses_is_not_hidden_by_the_mean():
    gpus = {"gpu0": {UTIL: [0.95] * 60 + [0.3] * 40}}
    finding = judged("TR213", gpus, host={"cpu/utilization": [0.5] * 67 + [0.97] * 33}).findings[0]
    assert "of the last third of 16 min, and the GPU worked 30 % of that time" in finding.message
    assert finding.confidence is Confidence.LOW


def test_gauges_at_different_paces_are_joined_in_time():
    gpus = {"gpu0": {UTIL: [0.4, 0.4, 0.4, 0.9, 0.9, 0.9] * 20}}
    outcome = judged("TR213", gpus, host={"cpu/utilization": [0.97, 0.5] * 20}, interval_s=10.0)
    assert outcome.state is State.CLEAR  # over the time that both cover, half of the samples of the processors are full


def test_a_sampler_that_stopped_lowers_confidence():
    given = {"host": {"cpu/utilization": [0.97] * 100}, "curves": {"loss": [1.0] * 100}}
    assert judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, step_s=10.0, **given).findings[0].confidence is Confidence.MEDIUM
    assert judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, step_s=30.0, **given).findings[0].confidence is Confidence.LOW


def test_a_profiler_lowers_confidence():
    events = [("text", "info", "torch.profiler started: wait=1, warmup=1, active=3", 5.0)]
    finding = judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, host={"cpu/utilization": [0.97] * 100}, events=events).findings[0]
    assert finding.confidence is Confidence.LOW


@pytest.mark.parametrize(
    ("gpu", "cpu"),
    [([0.95] * 100, [0.97] * 100), ([0.4] * 100, [0.6] * 100), ([0.4] * 100, [0.97] * 20 + [0.5] * 80)],
    ids=["fed all the same", "not full", "a phase"],
)
def test_silent(gpu, cpu):
    assert judged("TR213", {"gpu0": {UTIL: gpu}}, host={"cpu/utilization": cpu}).state is State.CLEAR


def test_idle_time_does_not_count():
    gpu = [0.9] * 60 + [0.0] * 140 + [0.9] * 10
    assert judged("TR213", {"gpu0": {UTIL: gpu}}, host={"cpu/utilization": [0.5] * 60 + [0.97] * 140 + [0.5] * 10}).state is State.CLEAR


def test_sums_over_cores_cannot_be_read():
    outcome = judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, host={"cpu/utilization": [3.5] * 100})
    assert outcome.state is State.NOT_APPLICABLE
    assert "count single cores" in outcome.reason


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"host": {"cpu/utilization": [0.97] * 5}},
        {"host": {"cpu/utilization": [0.97] * 100}, "times": False},
    ],
    ids=["no processors", "few samples", "no times"],
)
def test_too_little_cannot_be_told(given):
    assert judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, **given).state is State.NOT_APPLICABLE


def test_gpus_that_never_worked_are_another_matter():
    assert judged("TR213", {"gpu0": {UTIL: [0.0] * 100}}, host={"cpu/utilization": [0.97] * 100}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    plan = "[thresholds]\nTR213.full = 0.7\n"
    finding = judged("TR213", {"gpu0": {UTIL: [0.4] * 100}}, host={"cpu/utilization": [0.75] * 100}, plan=plan).findings[0]
    assert finding.thresholds["full"].changed
