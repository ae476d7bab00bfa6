"""TR201: a GPU that waits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import START

from trainreport import detectors
from trainreport.importers.recording import frame_of
from trainreport.model.case import Case
from trainreport.model.finding import Confidence, State
from trainreport.model.ledger import Ledger
from trainreport.model.plan import Plan
from trainreport.model.run import Run, RunLog
from trainreport.model.series import Meaning


def gpu(*values):
    return {"gpu/utilization": list(values)}


def test_a_mean_of_twenty_percent(judge):
    finding = judge("TR201", devices={"gpu0": gpu(*[0.8, 0.0, 0.0, 0.0] * 50, 0.8)}).findings[0]
    assert finding.message == "GPU 0 worked 20 % of the time over 34 min and stood at 0 % for 75 %."
    assert finding.device == "gpu0"
    assert finding.confidence is Confidence.HIGH
    mean, median, p5, p95, zero = (one.value for one in finding.evidence)
    assert mean == pytest.approx(51 * 0.8 / 201)
    assert (median, p5, p95) == (0.0, 0.0, 0.8)
    assert zero == pytest.approx(150 / 201)
    assert finding.waste.gpu_s == pytest.approx(2010 - 51 * 8)


def test_a_busy_gpu_is_clear_and_one_finding_each(judge):
    outcome = judge("TR201", devices={"gpu0": gpu(*[0.9] * 60), "gpu1": gpu(*[0.1] * 60)})
    assert [one.device for one in outcome.findings] == ["gpu1"]
    assert judge("TR201", devices={"gpu0": gpu(*[0.9] * 60)}).state is State.CLEAR


def test_start_up_does_not_count(judge):
    assert judge("TR201", devices={"gpu0": gpu(*[0.0] * 200, *[0.9] * 60)}).state is State.CLEAR


def test_an_average_does_not_hide_a_collapse(judge):
    finding = judge("TR201", devices={"gpu0": gpu(*[0.95] * 120, *[0.06] * 60)}).findings[0]
    assert finding.message == "GPU 0 worked 65 % of the time over 30 min, but 6 % in the last third."
    assert finding.confidence is Confidence.MEDIUM


def test_uneven_sampling_is_weighed_by_time():
    # each six seconds: two busy samples of one second, an idle one of four; the last busy sample ends the window:
    # 40 samples at 50 % for one second each, over 19 * 6 + 2 seconds
    seconds = np.tile([0.0, 1.0, 2.0], 20) + np.repeat(np.arange(20) * 6.0, 3)
    frame = frame_of(
        ["u"],
        [Meaning("gpu/utilization", "system", "1", "gpu0", "test")],
        np.zeros(60, dtype=np.intp),
        np.tile([0.5, 0.5, 0.0], 20),
        file="gpu.csv",
        times_ns=((START.timestamp() + seconds) * 1e9).astype(np.int64),
    )
    (outcome,) = detectors.run(Case(RunLog(Run("r", "r"), frame, frame.iloc[:0]), Plan(), Ledger()), [detectors.detector("TR201")])
    assert outcome.findings[0].evidence[0].value == pytest.approx(20 / 116)


@pytest.mark.parametrize(
    "values", [[0.1] * 9, [0.0] * 100, [math.nan] * 100, [0.0] * 50 + [0.2] * 3], ids=["few", "never worked", "nan", "short"]
)
def test_too_little_cannot_be_told(judge, values):
    assert judge("TR201", devices={"gpu0": gpu(*values)}).state is State.NOT_APPLICABLE


def test_no_gpu_log(judge):
    assert judge("TR201", {"train_loss": [1.0] * 20}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved(judge):
    finding = judge("TR201", devices={"gpu0": gpu(*[0.4] * 60)}, plan="[thresholds]\nTR201.low_share = 0.5\n").findings[0]
    assert finding.thresholds["low_share"].changed


def test_a_long_idle_stretch_is_left_to_tr202(judge):
    gaps = {"gpu0": gpu(*[0.9] * 40, *[0.0] * 200, *[0.9] * 40)}
    assert judge("TR201", devices=gaps).state is State.CLEAR
    assert judge("TR202", devices=gaps).state is State.FOUND
