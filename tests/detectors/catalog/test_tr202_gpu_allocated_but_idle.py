"""TR202: a GPU that does nothing."""

from __future__ import annotations

import math

import pytest

from trainreport.model.finding import Confidence, Severity, State

MIB = 2**20


def gpu(values, memory=None):
    table = {"gpu/utilization": list(values)}
    return table if memory is None else table | {"gpu/memory_used": [memory * MIB] * len(table["gpu/utilization"])}


def test_one_of_two_gpus_was_never_used(judge):
    outcome = judge("TR202", devices={"gpu0": gpu([0.93] * 60, 25_073), "gpu1": gpu([0.0] * 60, 15)})
    (finding,) = outcome.findings
    assert finding.message == "GPU 1 was allocated but idle for the whole log of 10 min; no process used it (15 MiB of memory in use)."
    assert finding.confidence is Confidence.HIGH
    assert finding.waste.gpu_s == 600
    assert finding.waste.share_of_run == 1.0
    assert finding.action.text.startswith("Ask for fewer GPUs")


def test_a_process_that_hangs_holds_memory(judge):
    finding = judge("TR202", devices={"gpu0": gpu([0.9] * 60 + [0.0] * 60 + [0.9] * 60, 20_480)}).findings[0]
    assert finding.message == "GPU 0 was allocated but idle for 10 min (33 % of the log); a process held 20.0 GiB of its memory."
    assert finding.action.owner == "Platform team"
    assert [one.value for one in finding.evidence] == [600, 600, 20_480 * MIB]


def test_stretches_are_added_up_and_short_ones_left_out(judge):
    values = [0.9] * 30 + [0.0] * 40 + [0.9] * 30 + [0.01] * 60 + [0.9] * 30 + [0.0] * 20 + [0.9] * 30
    finding = judge("TR202", devices={"gpu0": gpu(values)}).findings[0]
    assert [one.value for one in finding.evidence] == [1000, 600]
    assert finding.severity is Severity.MAJOR


def test_little_idle_time_is_minor(judge):
    assert judge("TR202", devices={"gpu0": gpu([0.9] * 400 + [0.0] * 40 + [0.9] * 10)}).findings[0].severity is Severity.MINOR


def test_idle_time_after_training_is_another_matter(judge):
    training = {"train_loss": (range(600), [1.0] * 600)}  # one step a second: ten minutes
    assert judge("TR202", training, devices={"gpu0": gpu([0.9] * 60 + [0.0] * 60)}).state is State.CLEAR


@pytest.mark.parametrize("values", [[0.9] * 60, [0.9, 0.0] * 60, [0.9] * 30 + [0.0] * 30 + [0.9] * 30])
def test_silent(judge, values):
    assert judge("TR202", devices={"gpu0": gpu(values)}).state is State.CLEAR


@pytest.mark.parametrize("values", [[0.0] * 20, [math.nan] * 100])
def test_too_little(judge, values):
    assert judge("TR202", devices={"gpu0": gpu(values)}).state is State.NOT_APPLICABLE


def test_no_gpu_log(judge):
    assert judge("TR202", {"train_loss": [1.0] * 20}).state is State.NOT_APPLICABLE
