"""TR222: a network that cannot keep the GPUs busy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import feeding, limited
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.waits import ceiling
from trainreport.model import words
from trainreport.model.finding import Action, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.detectors.feeding import Limited
    from trainreport.model.case import Case

_FLAT = "a link that is full stands still at its top; traffic that follows demand does not. Checked on simulated logs"
_LINE = "TCP reaches 94 % of a 1 or 10 Gbit/s line (1448 of 1538 bytes of a frame), less of faster ones"
_BOTH_WAYS = 0.5
"""An exchange sends about as much as it receives."""
_DATA = Action("Copy the data to the machine before the run, or keep a local cache.", "Platform team", "a day")
_EXCHANGE = Action(
    "Exchange gradients less often or in half precision, and check that the fast network is the one in use.", "Platform team", "a day"
)
_OUTPUT = Action(
    "Write checkpoints and logs to a local disk and copy them away afterwards, or write them less often.", "Platform team", "a day"
)
_UNKNOWN = Action(
    "Look at which way the traffic goes: incoming data can be copied to the machine first, gradients exchanged less often.",
    "Platform team",
    "a day",
)


class NetworkBottleneck(Detector):
    """The network is at its limit while the GPUs wait.

    What it checks
    --------------
    The machine's network traffic beside the GPUs' utilization and power, joined in time, from the GPUs' first to their last sign of work.

    Why it matters
    --------------
    The GPUs are paid for while they wait for data from a remote store or for each other's gradients. Further machines would make it worse.

    How it decides
    --------------
    Traffic is at its limit when it stays within a fifth of its own top, and that top is 80 to 101 % of a usual link speed (1 to 400
    Gbit/s) or of the one that the plan gives. At least half of the time must be at the limit, and the GPUs must wait meanwhile: below
    70 % utilization; or, where as much goes out as comes in, shown as 90 % busy for half of the time at less than 50 % of their power
    limit, as they look while they wait for an exchange. Each third is looked at as well, so that an average does not hide a collapse.

    What to do
    ----------
    - Data from afar: copy it to the machine first, or keep a local cache.
    - Exchange of gradients: send less and less often (larger batches, accumulation, half precision, overlap with computing).
    - Traffic that mostly goes out: write checkpoints and logs to a local disk first.
    - Check that the fast network is the one in use, not the management network.

    Limits
    ------
    A cloud's limit on an account or a store need not be a usual link speed: give the speed in the plan (TR222.link). Traffic over
    NVLink or InfiniBand with RDMA does not pass the counters of the operating system.

    References
    ----------
    - NVIDIA, NCCL documentation; Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021.
    - IEEE 802.3 (link speeds); RFC 793 and 894 (share of a frame that carries data).
    """

    code = "TR222"
    name = "network-bottleneck"
    severity = Severity.MAJOR
    needs = ("network traffic of the machine, with times", "utilization of a GPU, with times")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR222."""

        steady: float = threshold(feeding.STEADY, unit="share", why="Of its own top: this near is at it.", low=0.3, high=1, source=_FLAT)
        link_part: float = threshold(
            feeding.LINK_PART, unit="share", why="Of a link's speed that a full one carries.", low=0.3, high=1, source=_LINE
        )
        link: float = threshold(
            0, unit="B/s", why="Speed of the link; 0 takes the usual ones.", low=0, high=1e12, source="the plan, where it is known"
        )
        time_share: float = threshold(
            feeding.TIME_SHARE,
            unit="share",
            why="Shorter is a phase, not the rule.",
            low=0.05,
            high=1,
            source="as SageMaker's rules on processors and disk",
        )
        waiting: float = threshold(
            feeding.WAITING, unit="share", why="Below it the GPUs wait.", low=0.05, high=0.95, source="SageMaker, rule LowGPUUtilization"
        )
        low_power: float = threshold(
            0.50, unit="share", why="Of the power limit: busy GPUs below it mostly wait.", low=0.1, high=0.95, source="as TR215"
        )

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        found = feeding.network_limited(case, limits.steady, limits.link_part, limits.link)
        if not found:
            return self.not_applicable("no network traffic was logged over the time in which a GPU worked")
        worst = limited.most_limited([one for one in found if _waits(case, one, limits)])
        if worst is None:
            most = max(found, key=lambda one: ceiling(one.both.host))
            return limited.clear(self, most, f"the network's top was {_speed(ceiling(most.both.host))}, at the limit of a link")
        what = f"The network{limited.place(worst)} stood at its limit of {_speed(ceiling(worst.both.host))}"
        method = "within a fifth of its top, near a link's speed"
        return limited.found(self, case, limits, worst, what=what, level="traffic", method=method, action=_advice(case, worst))


def _waits(case: Case, one: Limited, limits: NetworkBottleneck.Thresholds) -> bool:
    if one.pressure.starves(limits.time_share, limits.waiting):
        return True
    if one.power is None or one.pressure.share < limits.time_share:
        return False
    shown, power = one.power
    return _both_ways(*_traffic(case, one)) and shown >= limits.time_share and power < limits.low_power


def _advice(case: Case, one: Limited) -> Action:
    """Return what to do about the traffic by the way that it goes."""
    received, sent = _traffic(case, one)
    if not received or not sent:  # one of them was not logged
        return _UNKNOWN
    if _both_ways(received, sent):
        return _EXCHANGE
    return _DATA if received > sent else _OUTPUT


def _traffic(case: Case, one: Limited) -> tuple[float, float]:
    """Return how much a machine received and sent."""
    return feeding.traffic(case, "network/received", one), feeding.traffic(case, "network/sent", one)


def _both_ways(received: float, sent: float) -> bool:
    return min(received, sent) >= _BOTH_WAYS * max(received, sent)


def _speed(rate: float) -> str:
    return f"{words.number(rate * 8 / 1e9, 2)} Gbit/s"


DETECTOR = NetworkBottleneck()
