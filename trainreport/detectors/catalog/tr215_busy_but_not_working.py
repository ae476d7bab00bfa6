"""TR215: a GPU that is shown as busy and hardly works."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.hollow import Dead, Hollow, dead_peer, hollow
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case

_BAND = "proposed band 50 to 60 % of the limit; the lower end. Checked on simulated logs only"
_MEMORY = "NVIDIA, DCGM: practical peak of memory activity about 80 %; half of it and more is much"


class BusyButNotWorking(Detector):
    """A GPU is shown as busy all the time and draws little power.

    What it checks
    --------------
    Utilization beside power as a share of its limit, and what the driver says of the clock; and whether one GPU stood still while
    the others were shown as busy.

    Why it matters
    --------------
    Utilization counts the time in which anything ran, not how much of the GPU it used. A GPU at 100 % that draws a third of its power
    does a small part of what it is paid for, and the usual dashboards show it as well used.

    How it decides
    --------------
    For at least half of the time from first to last work the GPU is shown 95 % busy or more at less than 50 % of its power limit, and
    nothing holds its clock down; nine tenths of one third of the time count too, with low confidence. The share of time in which memory
    was read or written tells the likely cause. A second form: a GPU that had worked stands at 0 % for more than five minutes while
    all others are busy at less than 60 % of the limit and clearly less than before: they wait in an exchange for one that has died.

    What to do
    ----------
    - Small kernels: larger batches, fused or compiled operations, CUDA graphs.
    - Memory-bound: half precision, fused attention and optimizer, activation checkpointing only where needed.
    - One GPU died: look at its process first; set a time limit on exchanges so that the run ends instead of waiting.

    Limits
    ------
    Power tells work only roughly: a small model on a large GPU, and work in low precision, draw less by nature. Without the power limit it
    cannot be told.

    References
    ----------
    - NVIDIA, nvidia-smi manual: utilization.gpu; NVIDIA DCGM, profiling metrics (SM active).
    - PyTorch, distributed: time limits and TORCH_NCCL_ASYNC_ERROR_HANDLING.
    """

    code = "TR215"
    name = "busy-but-not-working"
    severity = Severity.MAJOR
    needs = ("utilization and power of a GPU with its power limit, with times",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR215."""

        busy: float = threshold(0.95, unit="share", why="Shown as fully busy.", low=0.5, high=1, source="proposal, with the band of power")
        low_power: float = threshold(0.50, unit="share", why="Of the limit: little work.", low=0.05, high=0.95, source=_BAND)
        wait_power: float = threshold(
            0.60, unit="share", why="Of the limit, while another GPU stands at 0 %.", low=0.05, high=0.95, source=_BAND
        )
        time_share: float = threshold(0.50, unit="share", why="Shorter is a phase.", low=0.05, high=1, source="convention")
        worst_share: float = threshold(0.90, unit="share", why="Of one third of the time.", low=0.05, high=1, source="convention")
        memory_bound: float = threshold(0.50, unit="share", why="Memory is busy from here on.", low=0, high=1, source=_MEMORY)
        seconds: float = threshold(300, unit="s", why="Shorter may be a start.", low=10, high=1e6, source="convention")
        samples: float = threshold(30, unit="samples", why="Fewer tell no share.", low=2, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        every = hollow(case, limits.busy, limits.low_power)
        seen = [one for one in every if one.seconds >= limits.seconds and one.samples >= limits.samples]
        dead = dead_peer(case, limits.busy, limits.wait_power)
        if not seen and dead is None:
            return self.not_applicable("no utilization was logged with power, its limit and times, over a time at work that is long enough")
        found = [one for one in seen if one.share >= limits.time_share or one.worst_share >= limits.worst_share]
        findings = [self._dead(dead, limits)] if dead is not None else []
        told = {(gauge.curve.node, gauge.curve.device) for gauge in dead.waiting} if dead is not None else set()
        left = (self._hollow(one, limits) for one in found if (one.gauge.curve.node, one.gauge.curve.device) not in told)
        findings += together(left, len(every))
        if findings:
            return self.found(*findings)
        most = max(seen, key=lambda one: one.share)
        drew = f"; it drew {words.share(most.power)} of its power limit while busy" if not math.isnan(most.power) else ""
        return self.clear(
            f"{wording.device(most.gauge.curve)} was busy at low power for {words.share(most.share)} of the time, "
            f"the longest of {len(seen)}{drew}"
        )

    def _hollow(self, one: Hollow, limits: Thresholds) -> Finding:
        curve, whole = one.gauge.curve, one.share >= limits.time_share
        span = words.duration(one.seconds) if whole else f"one third of {words.duration(one.seconds)}"
        return self.finding(
            f"{wording.device(curve)} was shown as busy for {words.share(one.share if whole else one.worst_share)} of {span} at less than "
            f"{words.share(limits.low_power)} of its power limit (median {words.share(one.power)}){_cause(one, limits)}.",
            evidence=_evidence(one, limits),
            action=Action(
                "Profile one step; then larger batches, compiled or fused operations, and half precision.",
                owner="ML engineer",
                effort="a day",
            ),
            confidence=Confidence.MEDIUM if whole and one.seconds >= 2 * limits.seconds else Confidence.LOW,
            limits=limits,
            curve=curve,
        )

    def _dead(self, dead: Dead, limits: Thresholds) -> Finding:
        curve = dead.dead[0].curve
        names = words.joined([wording.device(one.curve) for one in dead.dead])
        rest = "the other one was" if len(dead.waiting) == 1 else f"the other {len(dead.waiting)} were"
        count = len(dead.dead) + len(dead.waiting)
        return self.finding(
            f"{names} stood at 0 % for {words.duration(dead.seconds)} while {rest} shown as busy at {words.share(dead.power)} of "
            f"the power limit ({words.share(dead.before)} before): they most likely waited for a process that had died.",
            evidence=(
                reading.evidence(curve, "time that the others waited", dead.seconds, "on end", unit="s"),
                reading.evidence(dead.waiting[0].curve, "power of the others", dead.power, "median meanwhile, of the limit", unit="1"),
                reading.evidence(dead.waiting[0].curve, "power of the others before", dead.before, "median, of the limit", unit="1"),
            ),
            action=Action(
                "Look at the process of that GPU first, and set a time limit on exchanges so that the run ends instead of waiting.",
                owner="ML engineer",
                effort="an hour",
            ),
            confidence=Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=dead.seconds * count),
            curve=curve,
        )


def _cause(one: Hollow, limits: BusyButNotWorking.Thresholds) -> str:
    if one.memory is None:
        return ""
    if one.memory >= limits.memory_bound:
        return f"; its memory was busy for {words.share(one.memory)}, so the work mostly waits for memory"
    return f"; its memory was busy for {words.share(one.memory)} only, as with very small kernels or waiting for other GPUs"


def _evidence(one: Hollow, limits: BusyButNotWorking.Thresholds) -> tuple[Evidence, ...]:
    curve = one.gauge.curve
    method = f"at {words.share(limits.busy)} or above, below {words.share(limits.low_power)} of the power limit"
    return (
        reading.evidence(curve, "share of time busy at low power", one.share, method, unit="1"),
        reading.evidence(curve, "the same in the worst third", one.worst_share, method, unit="1"),
        reading.evidence(curve, "power while busy", one.power, "median, of the limit", unit="1"),
        reading.evidence(curve, "mean utilization", one.utilization, "weighted by time", unit="1"),
    )


DETECTOR = BusyButNotWorking()
