"""TR210: training stood still."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

SECONDS = np.full(100, 10.0)
SECONDS[50] += 1200
AT = np.cumsum(SECONDS)


def test_a_stall_and_where_it_stands():
    finding = judged("TR210", log_at(rows("loss", AT)), ledger=Ledger(gpu_hours=2)).findings[0]
    assert finding.message == "No step was logged for 20 min after step 50, where one usually comes every 10 s."
    assert finding.severity is Severity.MAJOR
    assert finding.confidence is Confidence.MEDIUM
    assert finding.waste.share_of_run == pytest.approx(1200 / 2190)
    assert finding.waste.gpu_s == pytest.approx(7200 * 1200 / 2190)
    assert finding.evidence[1].value == pytest.approx(1210)


def test_idle_gpus_make_it_sure():
    idle = {"gpu0": [0.9] * 51 + [0.0] * 120 + [0.9] * 50}
    finding = judged("TR210", log_at(rows("loss", AT), gpu=idle)).findings[0]
    assert finding.confidence is Confidence.HIGH
    assert finding.message.endswith("; the GPUs stood idle.")


def test_gpus_at_full_load_may_spin_or_work():
    finding = judged("TR210", log_at(rows("loss", AT), gpu={"gpu0": [1.0] * 225})).findings[0]
    assert (finding.confidence, finding.severity) == (Confidence.LOW, Severity.MINOR)
    assert finding.message.endswith("; the GPUs showed 100 % utilization.")


def test_gpus_that_work_as_usual_make_it_none():
    assert judged("TR210", log_at(rows("loss", AT), gpu={"gpu0": [0.7] * 225})).state is State.CLEAR


def test_several_stalls_are_one_finding_and_a_small_part_is_minor():
    seconds = np.full(5000, 10.0)
    seconds[[1000, 1700]] += [600, 900]
    finding = judged("TR210", log_at(rows("loss", np.cumsum(seconds)))).findings[0]
    assert finding.message.startswith(
        "2 stalls cost 25 min (3 % of the run): at the longest, no step was logged for 15 min after step 1,700"
    )
    assert finding.severity is Severity.MINOR


def test_an_evaluation_or_a_slow_clock_is_none():
    evaluated = log_at(rows("loss", AT), rows("val_loss", [AT[49] + 1200], steps=[50]))
    assert judged("TR210", evaluated).state is State.CLEAR
    slow = np.full(30, 600.0)
    slow[10] += 1200
    assert judged("TR210", log_at(rows("loss", np.cumsum(slow)))).state is State.CLEAR


def test_a_run_that_hung_until_it_was_killed():
    finding = judged("TR210", log_at(rows("loss", np.arange(100) * 10.0), ended=8190, status="killed")).findings[0]
    assert finding.message == "No step was logged for 2.0 h before the run was killed, where one usually comes every 10 s."


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (rows("loss", [1, 2, 3]), "2 intervals between logged steps"),
        (rows("loss", [1]), "no steps of training were logged with times"),
    ],
)
def test_too_little(frame, why):
    outcome = judged("TR210", log_at(frame))
    assert outcome.state is State.NOT_APPLICABLE
    assert why in outcome.reason


def test_the_limit_can_be_moved():
    outcome = judged("TR210", log_at(rows("loss", AT)), plan="[thresholds]\nTR210.seconds = 1800\n")
    assert outcome.state is State.CLEAR
    assert "at most 20 min apart" in outcome.reason
