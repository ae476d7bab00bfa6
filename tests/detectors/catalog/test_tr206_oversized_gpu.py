"""TR206: a GPU that is larger than the run needs."""

from __future__ import annotations

import pytest
from machines import GIB, judged

from trainreport.model.finding import Confidence, State


def gpu(used=0.4, memory=8.0, total=80.0, size=100):
    return {"gpu/utilization": [used] * size, "gpu/memory_used": memory * GIB, "gpu/memory_total": total * GIB}


def test_neither_time_nor_memory_is_used():
    outcome = judged("TR206", {"gpu0": gpu(), "gpu1": gpu(0.3)}, host={"cpu/utilization": [0.2] * 100})
    (finding,) = outcome.findings
    assert finding.message == (
        "GPU 0, the fullest of 2 GPUs, was used to 40 % of its time and 10 % of its memory of 80.0 GiB "
        "in all but the highest 5 % of samples, and the processors 20 %: a smaller GPU may do."
    )
    assert [one.value for one in finding.evidence] == pytest.approx([0.4, 0.1, 0.4, 0.2])
    assert finding.confidence is Confidence.MEDIUM


def test_without_the_processors_confidence_is_low():
    assert judged("TR206", {"gpu0": gpu()}).findings[0].confidence is Confidence.LOW


@pytest.mark.parametrize(
    "gpus",
    [{"gpu0": gpu(0.9)}, {"gpu0": gpu(memory=70.0)}, {"gpu0": gpu(), "gpu1": gpu(0.95)}],
    ids=["busy", "full", "the other one is busy"],
)
def test_silent(gpus):
    assert judged("TR206", gpus).state is State.CLEAR


def test_busy_processors_may_be_the_limit():
    assert judged("TR206", {"gpu0": gpu()}, host={"cpu/utilization": [0.8] * 100}).state is State.CLEAR


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        ({"curves": {"time/data": [0.3] * 100, "time/step": [1.0] * 100}}, "data"),
        ({"host": {"cpu/iowait": [0.3] * 100, "cpu/utilization": [0.1] * 100}}, "the disk"),
    ],
)
def test_a_gpu_that_waits_is_judged_later(given, cause):
    outcome = judged("TR206", {"gpu0": gpu()}, **given)
    assert outcome.state is State.CLEAR
    assert outcome.reason.startswith(f"the GPUs wait for {cause}; whether they are too large shows when that is mended")


def test_too_little_cannot_be_told():
    assert judged("TR206", {"gpu0": gpu(size=39)}).state is State.NOT_APPLICABLE
    assert judged("TR206", {"gpu0": gpu()}, interval_s=2.0).state is State.NOT_APPLICABLE
    assert judged("TR206", {"gpu0": {"gpu/utilization": [0.4] * 100, "gpu/memory_used": GIB}}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    assert judged("TR206", {"gpu0": gpu()}, plan="[thresholds]\nTR206.utilization = 0.3\n").state is State.CLEAR
