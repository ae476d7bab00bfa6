"""TR209: one worker slower than its peers."""

from __future__ import annotations

import numpy as np
import pytest
from timed import judged, log_at, rows

from trainreport.model.finding import Confidence, Severity, State
from trainreport.model.ledger import Ledger

AT = np.arange(1, 201) * 10.0


def workers(*values):
    return [rows("step_time", AT, np.broadcast_to(one, 200), rank=rank) for rank, one in enumerate(values)]


def slow_between(first, last, factor):
    values = np.full(200, 2.0)
    values[first:last] *= factor
    return values


def test_a_worker_that_is_slow_all_along():
    finding = judged("TR209", log_at(*workers(2.0, 2.0, 2.6, 2.0)), ledger=Ledger(gpu_hours=4)).findings[0]
    assert finding.message == (
        "Process 2 took 1.30 times as long as its peers in 100 % of the steps, between step 1 and 200; "
        "waiting for the slowest took 23 % of all step time."
    )
    assert finding.severity is Severity.MAJOR
    assert finding.confidence is Confidence.HIGH
    assert finding.waste.share_of_run == pytest.approx(0.6 / 2.6)
    assert finding.waste.gpu_s == pytest.approx(4 * 3600 * 0.6 / 2.6)


def test_a_short_lag_is_minor_and_less_sure():
    finding = judged("TR209", log_at(*workers(2.0, slow_between(100, 115, 1.5), 2.0, 2.0))).findings[0]
    assert "between step 101 and 115" in finding.message
    assert finding.severity is Severity.MINOR
    assert finding.confidence is Confidence.MEDIUM


def test_five_of_ten_slow_workers_do_not_hide_each_other():
    finding = judged("TR209", log_at(*workers(*[2.0] * 6, *[3.0] * 4))).findings[0]
    assert len(finding.evidence) == 4
    assert "3 more lagged too" in finding.message


def test_wide_but_fair_spread_is_clear():
    rng = np.random.default_rng(4)
    outcome = judged("TR209", log_at(*workers(*(2 * rng.lognormal(0, 0.12, 200) for _ in range(8)))))
    assert outcome.state is State.CLEAR
    assert judged("TR209", log_at(*workers(2.0, 2.2, 2.0, 1.9))).state is State.CLEAR


def test_ten_slow_steps_are_no_lag():
    assert judged("TR209", log_at(*workers(2.0, slow_between(100, 110, 3.0), 2.0))).state is State.CLEAR


def test_throughput_of_each_process_counts_as_well():
    rates = [rows("samples_per_second", AT, [rate] * 200, rank=rank) for rank, rate in enumerate((100.0, 100.0, 50.0))]
    assert "Process 2 took 2.00 times" in judged("TR209", log_at(*rates)).findings[0].message


def test_the_order_of_rows_changes_nothing():
    log = log_at(*workers(2.0, 2.0, 2.6, 2.0))
    mixed = log.frame.sample(frac=1, random_state=1).reset_index(drop=True)
    other = type(log)(log.run, mixed, log.events)
    assert judged("TR209", other).findings == judged("TR209", log).findings


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        ([rows("loss", AT)], "no step times of several processes, and fewer than two GPUs"),
        ([rows("step_time", AT)], "no step times of several processes"),
        ([rows("step_time", AT[:10], rank=0), rows("step_time", AT[:10], rank=1)], "10 common steps, 20 are needed"),
    ],
)
def test_what_is_missing(frames, why):
    outcome = judged("TR209", log_at(*frames))
    assert outcome.state is State.NOT_APPLICABLE
    assert why in outcome.reason


def test_an_uneven_gpu_of_one_machine_with_low_confidence():
    gpu = {"gpu0": [0.9] * 200, "gpu1": [0.4] * 200, "gpu2": [0.92] * 200}
    finding = judged("TR209", log_at(rows("loss", AT), gpu=gpu)).findings[0]
    assert finding.message == "GPU 1 worked 40 % of the time, its peers 91 %: if the 3 GPUs train one model, they wait for each other."
    assert (finding.confidence, finding.severity, finding.device) == (Confidence.LOW, Severity.MINOR, "gpu1")


def test_gpus_that_cannot_be_copies_are_not_compared():
    alone = {"gpu0": [0.9] * 200, "gpu1": [0.0] * 200}
    assert judged("TR209", log_at(rows("loss", AT), gpu=alone)).state is State.NOT_APPLICABLE
    later = {"gpu0": [0.9] * 200, "gpu1": [0.0] * 100 + [0.4] * 100}
    assert judged("TR209", log_at(rows("loss", AT), gpu=later)).state is State.CLEAR
    log = log_at(rows("loss", AT), gpu={"gpu0": [0.9] * 200, "gpu1": [0.4] * 200})
    smaller = (log.frame["device"] == "gpu1") & (log.frame["series"] == "gpu/memory_used")
    log.frame.loc[smaller, "value"] = 1e10
    assert judged("TR209", log).state is State.CLEAR


def test_the_limit_can_be_moved():
    plan = "[thresholds]\nTR209.ratio = 1.5\n"
    assert judged("TR209", log_at(*workers(2.0, 2.0, 2.6, 2.0)), plan=plan).state is State.CLEAR
