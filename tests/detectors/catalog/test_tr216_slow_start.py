"""TR216: long before the first step."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State

STEPS = np.arange(1, 101) * 10.0


def test_a_start_as_long_as_the_training():
    finding = judged("TR216", log_at(rows("loss", 1000 + STEPS), began=0)).findings[0]
    assert finding.message == "17 min passed before the first step of training, 50 % of the paid time of 33 min."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.waste.share_of_run == pytest.approx(0.5)


def test_told_from_the_gpu_log():
    gpu = {"gpu0": [0.0] * 100 + [0.9] * 100}
    finding = judged("TR216", log_at(rows("loss", 1000 + STEPS), gpu=gpu)).findings[0]
    assert finding.confidence is Confidence.MEDIUM
    assert finding.message.endswith("; the GPUs stood idle.")


def test_twenty_minutes_of_a_long_run():
    at = 1300 + np.arange(1, 101) * 400.0
    assert judged("TR216", log_at(rows("loss", at), began=0)).state is State.FOUND
    assert judged("TR216", log_at(rows("loss", at - 600), began=0)).state is State.CLEAR


@pytest.mark.parametrize("delay", [60, 250])
def test_some_minutes_are_clear(delay):
    outcome = judged("TR216", log_at(rows("loss", delay + STEPS), began=0))
    assert outcome.state is State.CLEAR
    assert outcome.reason.startswith("the first step came after")


def test_the_steps_before_the_first_entry_are_training():
    at = np.arange(1, 21) * 1000.0
    assert judged("TR216", log_at(rows("loss", at, steps=np.arange(1, 21) * 100), began=0)).state is State.NOT_APPLICABLE
    assert judged("TR216", log_at(rows("loss", at, steps=np.arange(20)), began=0)).state is State.NOT_APPLICABLE


def test_too_little():
    assert judged("TR216", log_at(rows("loss", STEPS))).reason.startswith("the log begins with the first step")
    results = log_at(rows("accuracy", [3000.0]), began=0)
    assert judged("TR216", results).state is State.NOT_APPLICABLE


def test_the_limit_can_be_moved():
    log = log_at(rows("loss", 1000 + STEPS), began=0)
    assert judged("TR216", log, plan="[thresholds]\nTR216.seconds = 1100\n").state is State.CLEAR
