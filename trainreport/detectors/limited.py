"""What findings on processors, disk and network share: their words, their evidence, what was lost, how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.detectors import instruments, reading
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Outcome, Waste

if TYPE_CHECKING:
    from trainreport.detectors.base import Detector
    from trainreport.detectors.feeding import Limited
    from trainreport.model.case import Case
    from trainreport.model.finding import Evidence

__all__ = ["certainty", "clear", "evidence", "found", "most_limited", "place", "waste", "when", "worked"]

_LONG_S = 600.0
_MANY = 60


def most_limited(found: list[Limited]) -> Limited | None:
    """Return the machine whose GPUs waited at its limit for the largest part of the time."""
    return max(found, key=lambda one: one.pressure.share * (1 - one.pressure.gpu), default=None)


def place(one: Limited) -> str:
    """Return `` of node-a`` where the machine has a name."""
    node = one.both.gauge.curve.node or one.both.gpus[0].curve.node
    return f" of {node}" if node else ""


def clear(judge: Detector, one: Limited, what: str) -> Outcome:
    """Return the outcome of GPUs that did not wait: for how long the machine stood at a limit, and what they did over all."""
    share, worked = words.share(one.pressure.share), words.share(float(one.both.gpu.mean()))
    return judge.clear(f"{what} for {share} of the time; the GPUs worked {worked}")


def found(judge: Detector, case: Case, limits: Any, one: Limited, *, what: str, level: str, method: str, action: Action) -> Outcome:
    """Return the finding of a machine whose GPUs waited at its limit.

    Parameters
    ----------
    judge, case, limits
        As in `Detector.check`.
    one : Limited
    what : str
        That it stood at its limit, in words.
    level, method : str
        As in `evidence`.
    action : Action
    """
    share, waited = limits.time_share, one.pressure.starves(limits.time_share, limits.waiting)
    meanwhile = f"worked {words.share(worked(one, share))} of that time"
    if not waited and one.power is not None:
        shown, power = one.power
        meanwhile = f"drew {words.share(power)} of the power limit while shown as busy for {words.share(shown)} of the time"
    return judge.found(
        judge.finding(
            f"{what} {when(one, share)}, and {_gpus(one)} {meanwhile}.",
            evidence=evidence(one, level, method),
            action=action,
            confidence=certainty(case, one, share),
            limits=limits,
            waste=waste(one) if waited else None,
            curve=one.both.gauge.curve,
        )
    )


def _gpus(one: Limited) -> str:
    """Return ``the GPU`` or ``the 4 GPUs``."""
    count = len(one.both.gpus)
    return "the GPU" if count == 1 else f"the {count} GPUs"


def when(one: Limited, share: float) -> str:
    """Return for how long it stood at its limit: a share of the time, or of the third that alone shows it."""
    pressed = one.pressure
    if pressed.collapsed(share):
        third = ("first", "middle", "last")[pressed.worst]
        return f"for {words.share(pressed.worst_share)} of the {third} third of {words.duration(one.both.total_s)}"
    return f"for {words.share(pressed.share)} of {words.duration(one.both.total_s)}"


def worked(one: Limited, share: float) -> float:
    """Return the GPUs' mean utilization meanwhile."""
    return one.pressure.worst_gpu if one.pressure.collapsed(share) else one.pressure.gpu


def evidence(one: Limited, level: str, method: str) -> tuple[Evidence, ...]:
    """Return the time at the limit, its level, and the GPUs' utilization meanwhile and over all."""
    both, pressed, curve = one.both, one.pressure, one.both.gauge.curve
    return (
        reading.evidence(curve, "share of time at the limit", pressed.share, method, unit="1"),
        reading.evidence(curve, level, pressed.level, "median while at the limit"),
        reading.evidence(both.gpus[0].curve, "GPU utilization meanwhile", pressed.gpu, "mean of the machine's GPUs", unit="1"),
        reading.evidence(both.gpus[0].curve, "GPU utilization", float(both.gpu.mean()), "mean over the time that both cover", unit="1"),
        reading.evidence(curve, "share at the limit in the worst third", pressed.worst_share, method, unit="1"),
    )


def waste(one: Limited) -> Waste:
    """Return the time that the GPUs did not work while it stood at its limit."""
    share = one.pressure.share * (1 - one.pressure.gpu)
    return Waste(gpu_s=share * one.both.total_s * len(one.both.gpus), share_of_run=share)


def certainty(case: Case, one: Limited, share: float) -> Confidence:
    """Return medium; low on little time, on a part only, under a profiler, or where the gauges cover little of the training.

    Never high: what stands at its limit while GPUs wait is nearly always the cause, but only simulated logs were at hand to show it.
    """
    short = one.both.total_s < _LONG_S or len(one.both.gpu) < _MANY
    doubt = short or one.pressure.collapsed(share) or instruments.doubt(case, one.both.gauge) is not None
    return Confidence.LOW if doubt else Confidence.MEDIUM
