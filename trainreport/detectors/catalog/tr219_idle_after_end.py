"""TR219: idle after the end."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pauses import training_end
from trainreport.detectors import wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import IDLE_SHARE, utilization
from trainreport.detectors.timing import during
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity, Waste
from trainreport.stats.held import low_stretches

if TYPE_CHECKING:
    from trainreport.detectors.gauges import Gauge
    from trainreport.model.case import Case

_BLINK_S = 60.0
"""Idle stretches that are shorter lie between bursts of work."""
_WORK_S = 300.0
"""Work that lasts longer after an idle stretch is that of somebody else."""


class _Idle(NamedTuple):
    """A GPU that stood idle after the end."""

    gauge: Gauge
    seconds: float
    to_s: float


class IdleAfterEnd(Detector):
    """The GPUs were held after training had ended, and did nothing.

    What it checks
    --------------
    The utilization of each GPU after the last value that training or evaluation logged, or after the recorded end of a run that failed.

    Why it matters
    --------------
    A machine that is not given back costs as much as one that trains, and nobody looks at a job that is done.

    How it decides
    --------------
    Stretches of at least a minute at 2 % or less after the last logged value are added up, until the GPU works for more than five minutes
    again, which is somebody else's work. It is a finding from five minutes and 1 % of the GPU log on. A GPU that never worked at
    all is left to TR202.

    What to do
    ----------
    - End the job with the training script, also when it fails, and shut machines down when they are idle.
    - Move what comes after training (export, upload, reports) to a machine without GPUs.

    Limits
    ------
    The log does not say who held the GPU: on a machine of one's own, idle time costs nothing more. A run that trains on without
    logging is not idle and not counted.

    References
    ----------
    - NVIDIA, nvidia-smi manual: utilization.gpu; Princeton University, Job Defense Shield (ends jobs whose GPUs stay at 0 %).
    """

    code = "TR219"
    name = "idle-after-end"
    severity = Severity.MINOR
    needs = ("utilization of a GPU, with times, beyond the end of training", "anything logged by training, with times")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR219."""

        seconds: float = threshold(300, unit="s", why="Saving and evaluating take some minutes.", low=1, high=86400, source="convention")
        share: float = threshold(0.01, unit="share", why="Less of the log is little.", low=0, high=1, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        gauges = [gauge for gauge in utilization(case) if gauge.timed]
        end = training_end(case.log)
        if not gauges:
            return self.not_applicable("no GPU utilization was logged with times")
        if end is None:
            return self.not_applicable("training logged nothing with a time, so its end is not known")
        after = max(float(gauge.time_s[-1]) for gauge in gauges) - end
        if after < limits.seconds:
            lasts = f"ends {words.duration(after)} after training" if after > 0 else "ends before training does"
            return self.not_applicable(f"the GPU log {lasts}; idle is more than {words.duration(limits.seconds)}")
        idle = [one for gauge in gauges if (one := _after(gauge, end)) is not None]
        long = [one for one in idle if one.seconds >= max(limits.seconds, limits.share * one.gauge.total_s)]
        if long:
            return self.found(self._finding(case, long, end, limits))
        most = max((one.seconds for one in idle), default=0.0)
        return self.clear(f"the GPUs stood idle for {words.duration(most)} after the last logged value")

    def _finding(self, case: Case, idle: list[_Idle], end: float, limits: Thresholds) -> Finding:
        worst = max(idle, key=lambda one: one.seconds)
        total = sum(one.seconds for one in idle)
        hours = case.ledger.gpu_hours
        share = min(1.0, total / (hours * 3600)) if hours else total / sum(one.gauge.total_s for one in idle)
        if len(idle) == 1:
            text = f"{wording.device(worst.gauge.curve)} stood idle for {words.duration(worst.seconds)} after training had ended"
        else:
            text = f"{len(idle)} GPUs stood idle for up to {words.duration(worst.seconds)} after training had ended"
        return self.finding(
            f"{text}, {words.share(share)} of the GPU time.",
            evidence=tuple(
                during(
                    f"time idle of {wording.device(one.gauge.curve)}", one.seconds, "s", "stretches at 2 % or less", 1, span=(end, one.to_s)
                )
                for one in idle
            ),
            action=Action("End the job together with the training script, also when it fails.", owner="Platform team", effort="an hour"),
            confidence=Confidence.HIGH if len(worst.gauge.curve) >= 30 else Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=total, share_of_run=share),
        )


def _after(gauge: Gauge, end: float) -> _Idle | None:
    """Return how long a GPU that had worked stood idle after the end; None where it never worked, or has no samples then."""
    values, later = gauge.curve.value, gauge.time_s > end
    if not later.any() or not (values > IDLE_SHARE).any():
        return None
    values, seconds, times = values[later], gauge.seconds[later], gauge.time_s[later]
    found = [one for one in low_stretches(values, seconds, times, IDLE_SHARE) if one.seconds >= _BLINK_S]
    total, until = 0.0, end
    for one, following in itertools.zip_longest(found, found[1:]):
        total += one.seconds
        until = float(times[one.last] + seconds[one.last])
        if following is not None and seconds[one.last + 1 : following.first].sum() > _WORK_S:
            break
    return _Idle(gauge, total, until)


DETECTOR = IdleAfterEnd()
