"""TR205: memory that grows all the time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import GIB, judged

from trainreport.model.finding import Severity, State

LINE = np.linspace(0.2, 0.6, 100)


def test_a_leak_on_a_gpu():
    finding = judged("TR205", {"gpu0": {"gpu/memory_used": LINE * 80 * GIB, "gpu/memory_total": 80 * GIB}}).findings[0]
    assert finding.message == (
        "The memory of GPU 0 grew by 36 points over 15 min to 60 % and did not stop; at this pace it is full 16 min after the log ends."
    )
    grown, chance, even, left = (one.value for one in finding.evidence)
    assert grown == pytest.approx(89 / 99 * 0.4)  # the first tenth is left out
    assert chance < 1e-6
    assert even == pytest.approx(1.0, abs=0.01)
    assert left == pytest.approx((1 - 0.6) / 0.4 * 990, rel=0.01)  # from the last sample on, as the level


def test_level_and_time_left_are_those_of_the_last_sample():
    """From 40 to 99 % in ten hours: the last hundredth takes ten minutes, forty from the middle of the last tenth on."""
    share = np.linspace(0.40, 0.99, 601)
    finding = judged("TR205", {"gpu0": {"gpu/memory_share": share}}, interval_s=60.0).findings[0]
    assert "to 99 % and did not stop; at this pace it is full 10 min after the log ends" in finding.message


def test_a_leak_in_main_memory_that_fills_in_days_is_minor():
    finding = judged("TR205", host={"memory/share": np.linspace(0.3, 0.36, 100)}).findings[0]
    assert finding.message.startswith("The machine's main memory grew by 5 points")
    assert finding.severity is Severity.MINOR


@pytest.mark.parametrize(
    "share",
    [
        0.3 + 0.2 * np.log1p(np.arange(200)) / np.log(200),
        np.minimum(np.linspace(0.2, 0.8, 200), 0.5),
        np.tile(np.linspace(0.3, 0.6, 50), 4),
        np.linspace(0.3, 0.33, 200),
        np.linspace(0.8, 0.4, 200),
        np.where(np.arange(200) < 100, 0.4, 0.6),
    ],
    ids=["high-water mark", "fills up and stops", "given back each epoch", "little", "falls", "one step"],
)
def test_silent(share):
    assert judged("TR205", {"gpu0": {"gpu/memory_share": share}}).state is State.CLEAR


def test_too_short_too_few_or_without_times_cannot_be_told():
    assert judged("TR205", {"gpu0": {"gpu/memory_share": LINE[::10]}}, interval_s=100.0).state is State.NOT_APPLICABLE
    assert judged("TR205", {"gpu0": {"gpu/memory_share": LINE}}, interval_s=2.0).state is State.NOT_APPLICABLE
    assert judged("TR205", {"gpu0": {"gpu/memory_share": LINE}}, times=False).state is State.NOT_APPLICABLE
    assert judged("TR205", {"gpu0": {"gpu/memory_used": LINE * GIB}}).state is State.NOT_APPLICABLE


def test_the_line_can_be_moved():
    assert judged("TR205", {"gpu0": {"gpu/memory_share": LINE}}, plan="[thresholds]\nTR205.points = 0.5\n").state is State.CLEAR


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.001, 0.05))
def test_noise_around_a_level_is_no_leak(seed, size):
    share = 0.5 + np.random.default_rng(seed).normal(0, size, 300)
    assert judged("TR205", {"gpu0": {"gpu/memory_share": np.clip(share, 0, 1)}}).state is State.CLEAR
