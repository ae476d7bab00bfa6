"""TR211: steps that take longer at the end."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State

AT = np.arange(1, 201) * 20.0
STEP = np.array([2.0] * 120 + [2.5] * 80)


def test_a_step_up_that_lasts():
    finding = judged("TR211", log_at(rows("step_time", AT, STEP))).findings[0]
    assert finding.message == "A step took 2.5 s from step 121 on, 25 % more than the 2 s before."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.waste.share_of_run == pytest.approx(79 * 20 * 0.2 / (199 * 20))


def test_growth_all_along():
    finding = judged("TR211", log_at(rows("step_time", AT, np.linspace(1.0, 1.5, 200)))).findings[0]
    assert "A step took" in finding.message
    assert finding.evidence[0].value > 0.05


def test_throughput_is_worded_as_such():
    finding = judged("TR211", log_at(rows("tokens_per_second", AT, [5000.0] * 120 + [4000.0] * 80))).findings[0]
    assert finding.message == "Throughput fell by 20 % from step 121 on, from 5,000 token/s to 4,000 token/s."


def test_a_small_change_is_a_note():
    assert judged("TR211", log_at(rows("step_time", AT, STEP.clip(max=2.2)))).findings[0].severity is Severity.NOTE


def test_distances_in_time_are_less_sure_and_need_more():
    slower = np.cumsum([20.0] * 120 + [26.0] * 80)
    finding = judged("TR211", log_at(rows("loss", slower))).findings[0]
    assert finding.message.endswith("(told from when steps were logged).")
    assert finding.confidence is not Confidence.HIGH
    assert judged("TR211", log_at(rows("loss", np.cumsum([20.0] * 120 + [21.5] * 80)))).state is State.CLEAR


@pytest.mark.parametrize(
    "values",
    [STEP[::-1], np.r_[STEP, STEP[:100]][:200].clip(max=2.08), np.array([2.0] * 60 + [2.5] * 60 + [2.0] * 80)],
    ids=["warms up", "four percent", "recovers"],
)
def test_what_is_clear(values):
    assert judged("TR211", log_at(rows("step_time", AT, values))).state is State.CLEAR


def test_what_costs_less_than_a_minute_is_clear():
    outcome = judged("TR211", log_at(rows("step_time", AT / 100, STEP)))
    assert outcome.state is State.CLEAR
    assert "which cost" in outcome.reason


def test_too_few_points_and_reinforcement_learning():
    few = judged("TR211", log_at(rows("step_time", AT[:29], STEP[-29:])))
    assert few.state is State.NOT_APPLICABLE
    slower = np.cumsum([20.0] * 120 + [30.0] * 80)
    learner = judged("TR211", log_at(rows("loss", slower), rows("rollout/ep_rew_mean", slower)))
    assert learner.state is State.NOT_APPLICABLE
    assert "reinforcement" in learner.reason


def test_the_limit_can_be_moved():
    log = log_at(rows("step_time", AT, STEP))
    assert judged("TR211", log, plan="[thresholds]\nTR211.change = 0.3\n").state is State.CLEAR
