"""TR204: memory that is nearly full."""

from __future__ import annotations

import pytest
from machines import GIB, judged

from trainreport.model.finding import Confidence, Severity, State


def gpu(used, total=10.0):
    return {"gpu0": {"gpu/memory_used": [one * GIB for one in used], "gpu/memory_total": total * GIB}}


def test_a_gpu_that_is_nearly_full():
    finding = judged("TR204", gpu([5.0] * 5 + [9.2, 9.6, 9.8] * 30)).findings[0]
    assert finding.message == "The memory of GPU 0 was 95 % full or more for 63 % of the time, at most 98 % of 10.0 GiB."
    assert [one.value for one in finding.evidence] == pytest.approx([60 / 95, 0.98, 0.96])
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.MEDIUM)


def test_a_pool_that_is_taken_at_once_is_a_note():
    finding = judged("TR204", gpu([0.1] * 5 + [9.9] * 95)).findings[0]
    assert finding.message.endswith("at one level from the start, as when a framework takes it all at once.")
    assert (finding.severity, finding.confidence) == (Severity.NOTE, Confidence.LOW)


def test_main_memory_too():
    finding = judged("TR204", host={"memory/share": [0.6] * 50 + [0.97] * 50}).findings[0]
    assert finding.message == "The machine's main memory was 95 % full or more for 50 % of the time, at most 97 %."


def test_the_size_may_be_that_of_the_share():
    finding = judged("TR204", {"gpu0": {"gpu/memory_share": [0.5, 0.97, 0.9] * 20}}).findings[0]
    assert "at most 97 %." in finding.message


@pytest.mark.parametrize("used", [[9.0] * 100, [9.0] * 99 + [9.9], [5.0] * 200 + [9.9] * 3], ids=["below", "one sample", "too short"])
def test_silent(used):
    assert judged("TR204", gpu(used)).state is State.CLEAR


def test_without_a_size_it_cannot_be_told():
    assert judged("TR204", {"gpu0": {"gpu/memory_used": [9 * GIB] * 100}}).state is State.NOT_APPLICABLE
    assert judged("TR204", curves={"loss": [1.0] * 20}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    finding = judged("TR204", gpu([8.0, 8.5] * 50), plan="[thresholds]\nTR204.full = 0.8\n").findings[0]
    assert finding.thresholds["full"].changed
