"""TR220: steps done again."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger
from trainreport.model.run import RunLog

STEPS = np.arange(1, 101) * 10.0


def again(first, count=100, after=1100.0):
    return rows("loss", after + np.arange(1, count + 1) * 10.0, steps=np.arange(first, first + count), file="events.2")


def test_a_rewind_of_thirty_steps():
    finding = judged("TR220", log_at(rows("loss", STEPS), again(71)), ledger=Ledger(gpu_hours=1)).findings[0]
    assert finding.message == "The run went back from step 100 to 71 and did 30 steps again, which took 5 min (15 % of its step time)."
    assert (finding.severity, finding.confidence) == (Severity.MINOR, Confidence.HIGH)
    assert finding.waste.steps == 30
    assert finding.waste.share_of_run == pytest.approx(300 / 2090)


def test_without_times_the_steps_decide():
    log = log_at(rows("loss", STEPS), again(71))
    frame = log.frame.assign(time=log.frame["time"].where([False] * len(log.frame)))
    finding = judged("TR220", RunLog(log.run, frame, log.events)).findings[0]
    assert finding.message.endswith("did 30 steps again (15 % of all steps logged).")
    assert finding.confidence is Confidence.MEDIUM


def test_a_start_from_the_beginning_that_went_further():
    finding = judged("TR220", log_at(rows("loss", STEPS), again(1, 150))).findings[0]
    assert "it may also be several trainings in one folder" in finding.message
    assert finding.confidence is Confidence.LOW


@pytest.mark.parametrize("second", [again(1, 100), again(1, 40), again(1, 150, after=200_000.0)], ids=["as far", "less far", "days later"])
def test_another_training_in_the_same_folder(second):
    assert judged("TR220", log_at(rows("loss", STEPS), second)).state is State.CLEAR


def test_a_few_steps_are_clear():
    outcome = judged("TR220", log_at(rows("loss", STEPS), again(98)))
    assert outcome.state is State.CLEAR
    assert outcome.reason == "3 steps done again after 1 rewind, which took 30 s"
    assert judged("TR220", log_at(rows("loss", STEPS))).reason == "no step was done again among 100 logged ones"


def test_a_resume_without_rewind_is_clear():
    assert judged("TR220", log_at(rows("loss", STEPS), again(101))).state is State.CLEAR


def test_too_little():
    assert judged("TR220", log_at(rows("loss", [1.0]))).state is State.NOT_APPLICABLE
    machine_only = log_at(rows("loss", []), gpu={"gpu0": [0.5] * 20}, began=0, ended=200)
    assert judged("TR220", machine_only).state is State.NOT_APPLICABLE


def test_the_limit_can_be_moved():
    log = log_at(rows("loss", STEPS), again(71))
    assert judged("TR220", log, plan="[thresholds]\nTR220.share = 0.5\n").state is State.CLEAR
