"""TR218: time in the queue."""

from __future__ import annotations

import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Severity, State
from trainreport.model.ledger import Ledger

FRAME = rows("loss", [1, 2, 3])


def waited(seconds):
    return log_at(FRAME, tags={"queue_wait_s": str(seconds)})


def test_a_wait_of_hours():
    finding = judged("TR218", waited(7200), ledger=Ledger(wall_s=36_000)).findings[0]
    assert finding.message == "The job waited 2.0 h in the queue; the run itself took 10.0 h."
    assert finding.severity is Severity.NOTE
    assert finding.waste.gpu_s is None


@pytest.mark.parametrize(("seconds", "wall_s", "state"), [(900, 300, State.FOUND), (900, 3000, State.CLEAR), (300, 60, State.CLEAR)])
def test_a_wait_longer_than_the_run(seconds, wall_s, state):
    assert judged("TR218", waited(seconds), ledger=Ledger(wall_s=wall_s)).state is state


def test_not_written_down():
    assert judged("TR218", log_at(FRAME)).state is State.NOT_APPLICABLE


def test_the_limit_can_be_moved():
    plan = "[thresholds]\nTR218.seconds = 10000\n"
    assert judged("TR218", waited(7200), ledger=Ledger(wall_s=36_000), plan=plan).state is State.CLEAR
