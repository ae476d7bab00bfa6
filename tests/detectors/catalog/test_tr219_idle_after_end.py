"""TR219: GPUs held after the end."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

FRAME = rows("loss", np.arange(1, 101) * 10.0)


def test_an_hour_of_nothing():
    finding = judged("TR219", log_at(FRAME, gpu={"gpu0": [0.9] * 101 + [0.0] * 360}), ledger=Ledger(gpu_hours=4610 / 3600)).findings[0]
    assert finding.message == "GPU 0 stood idle for 60 min after training had ended, 78 % of the GPU time."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.waste.gpu_s == pytest.approx(3600)


def test_all_gpus_add_up_and_one_that_never_worked_does_not_count():
    gpu = {"gpu0": [0.9] * 101 + [0.0] * 360, "gpu1": [0.9] * 101 + [0.0] * 360, "gpu2": [0.0] * 461}
    finding = judged("TR219", log_at(FRAME, gpu=gpu)).findings[0]
    assert finding.message.startswith("2 GPUs stood idle for up to 60 min")
    assert finding.waste.gpu_s == pytest.approx(7200)


def test_work_of_somebody_else_ends_the_count():
    gpu = {"gpu0": [0.9] * 101 + [0.0] * 60 + [0.9] * 60 + [0.0] * 200}
    assert judged("TR219", log_at(FRAME, gpu=gpu)).findings[0].waste.gpu_s == pytest.approx(600)


def test_work_right_after_the_last_value_is_none_of_it():
    gpu = {"gpu0": [0.9] * 161 + [0.0] * 100}
    assert judged("TR219", log_at(FRAME, gpu=gpu)).findings[0].waste.gpu_s == pytest.approx(1000)
    assert judged("TR219", log_at(FRAME, gpu={"gpu0": [0.9] * 400})).state is State.CLEAR


def test_idle_stretches_are_what_is_counted_after_a_failure():
    log = log_at(FRAME, gpu={"gpu0": [0.9] * 101 + [0.0] * 360}, ended=3000, status="failed")
    assert judged("TR219", log).findings[0].waste.gpu_s == pytest.approx(1600, abs=20)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (log_at(FRAME), "no GPU utilization"),
        (log_at(FRAME, gpu={"gpu0": [0.9] * 110}), "ends 90 s after training"),
        (log_at(FRAME, gpu={"gpu0": [0.9] * 50}), "ends before training does"),
    ],
)
def test_what_is_missing(log, why):
    outcome = judged("TR219", log)
    assert outcome.state is State.NOT_APPLICABLE
    assert why in outcome.reason


def test_the_limit_can_be_moved():
    log = log_at(FRAME, gpu={"gpu0": [0.9] * 101 + [0.0] * 360})
    assert judged("TR219", log, plan="[thresholds]\nTR219.share = 0.9\n").state is State.CLEAR
