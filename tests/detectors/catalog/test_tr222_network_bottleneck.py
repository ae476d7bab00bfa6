"""TR222: a network that cannot keep the GPUs busy."""

from __future__ import annotations

import numpy as np
import pytest
from machines import judged

from trainreport.model.finding import State

LOW = {"gpu0": {"gpu/utilization": [0.4] * 101}}
SPIN = {"gpu0": {"gpu/utilization": [0.98] * 101, "gpu/power": 160.0, "gpu/power_limit": 400.0}}


def counter(rate):
    """Bytes since the start, sampled every 10 s."""
    return np.arange(101) * 10 * rate


def test_a_full_link_of_one_gigabit():
    (finding,) = judged("TR222", LOW, host={"network/received": counter(117.5e6)}).findings
    assert finding.message == "The network stood at its limit of 0.94 Gbit/s for 100 % of 16 min, and the GPU worked 40 % of that time."
    assert finding.evidence[1].value == pytest.approx(117.5e6)
    assert finding.evidence[1].unit == "B/s"
    assert finding.waste.share_of_run == pytest.approx(0.6)


def test_an_exchange_that_the_gpus_spin_for():
    both = {"network/received": counter(1.17e9), "network/sent": counter(1.16e9)}
    finding = judged("TR222", SPIN, host=both).findings[0]
    assert finding.message == (
        "The network stood at its limit of 9.4 Gbit/s for 100 % of 16 min, "
        "and the GPU drew 40 % of the power limit while shown as busy for 100 % of the time."
    )
    one_way = {"network/received": counter(1.17e9), "network/sent": counter(1e6)}
    assert judged("TR222", SPIN, host=one_way).state is State.CLEAR


@pytest.mark.parametrize(
    ("sent", "advice"),
    [
        (counter(110e6), "Exchange gradients less often"),
        (counter(1e6), "Copy the data to the machine"),
        (None, "Look at which way the traffic goes"),
    ],
    ids=["both ways", "incoming", "not logged"],
)
def test_the_advice_is_for_the_way_that_the_traffic_goes(sent, advice):
    host = {"network/received": counter(117.5e6)} | ({} if sent is None else {"network/sent": sent})
    assert judged("TR222", LOW, host=host).findings[0].action.text.startswith(advice)


def test_outgoing_traffic_is_not_data():
    finding = judged("TR222", LOW, host={"network/received": counter(1e6), "network/sent": counter(117.5e6)}).findings[0]
    assert finding.action.text.startswith("Write checkpoints and logs to a local disk")


@pytest.mark.parametrize(
    ("gpus", "host"),
    [
        (LOW, {"network/received": counter(50e6)}),
        (LOW, {"network/received": np.cumsum(np.tile([117.5e6, 5e6, 5e6], 34)[:101]) * 10}),
        ({"gpu0": {"gpu/utilization": [0.95] * 101}}, {"network/received": counter(117.5e6)}),
    ],
    ids=["no usual link speed", "bursts", "fed all the same"],
)
def test_silent(gpus, host):
    assert judged("TR222", gpus, host=host).state is State.CLEAR


def test_the_plan_may_give_the_speed_of_the_link():
    finding = judged("TR222", LOW, host={"network/received": counter(50e6)}, plan="[thresholds]\nTR222.link = 60000000\n").findings[0]
    assert finding.thresholds["link"].changed
    assert "0.4 Gbit/s" in finding.message


def test_a_counter_that_starts_again_is_no_traffic():
    restarted = np.concatenate([counter(117.5e6)[:50], counter(117.5e6)[:51]])
    assert judged("TR222", LOW, host={"network/received": restarted}).state is State.FOUND


def test_without_traffic_it_cannot_be_told():
    assert judged("TR222", LOW).state is State.NOT_APPLICABLE
    assert judged("TR222", host={"network/received": counter(117.5e6)}).state is State.NOT_APPLICABLE
    assert judged("TR222", LOW, host={"network/received": counter(117.5e6)}, times=False).state is State.NOT_APPLICABLE
