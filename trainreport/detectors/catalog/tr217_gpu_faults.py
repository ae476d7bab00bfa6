"""TR217: a GPU with a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import messages, reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.gauges import NO_CONTEXT, Gauge, gauges, memory_used, utilization
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity

if TYPE_CHECKING:
    from trainreport.detectors.messages import Told
    from trainreport.model.case import Case

_COUNTERS = {
    "uncorrect": "Uncorrected memory errors",
    "double_bit": "Uncorrected memory errors",
    "pending": "Memory pages that wait to be retired",
    "remapped_rows_failure": "Memory rows that could not be remapped",
}
"""Part of a series' name -> what it counts."""
_CONTAINED = frozenset({63, 92, 94})
"""Xid errors of memory that the GPU dealt with itself: a row remapped, many corrected errors, an error contained."""
_ECC = "an uncorrected error is one whose data are lost; NVIDIA, GPU memory error management"


class _Rise(NamedTuple):
    gauge: Gauge
    before: float
    after: float
    at: int
    """Position of the first reading above the first."""


class GpuFaults(Detector):
    """A GPU, its memory or its link reported a fault.

    What it checks
    --------------
    Messages of Xid errors and lost GPUs, cells of the GPU log that say ERR!, lost or requires reset, and counters of uncorrected memory
    errors and of memory pages or rows that could not be repaired.

    Why it matters
    --------------
    A fault ends the run, or, worse, lets it go on with wrong numbers. The same machine will do it again to the next run.

    How it decides
    --------------
    Any such message or cell is a finding, and any uncorrected counter that rises during the run. Lowered to major are Xid errors that
    programs cause, mostly (13, 31, 43, 45 and others), those that the GPU dealt with itself (63, 92, 94), and cells with ERR!, unless the
    same GPU claims to work without memory in use. Corrected errors, and counters that stood above zero before the run and did not
    move, are no finding.

    What to do
    ----------
    - Take the machine out of use, reset the GPU, run NVIDIA's diagnostics (dcgmi diag) and look up the Xid.
    - Restart from the last checkpoint before the fault, on another machine, and compare the loss with what it was.

    Limits
    ------
    Messages of the driver stand in the system's log, which is not always among the files given. ERR! in one cell may be a broken
    sensor alone.

    References
    ----------
    - NVIDIA, XID Errors; NVIDIA, GPU memory error management and dynamic page retirement; nvidia-smi manual.
    """

    code = "TR217"
    name = "gpu-faults"
    severity = Severity.CRITICAL
    needs = ("messages of the run, or a GPU log",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR217."""

        rise: float = threshold(1, unit="errors", why="One uncorrected error is one too many.", low=1, high=1e6, source=_ECC)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        told, counters = messages.gpu_faults(case), _counters(case)
        risen = [one for gauge in counters if (one := _rise(gauge)) is not None and one.after - one.before >= limits.rise]
        findings = [self._told(case, one, limits) for one in told]
        findings += together((self._risen(one, limits) for one in risen), len({(one.curve.node, one.curve.device) for one in counters}))
        if findings:
            return self.found(*sorted(findings, key=lambda one: -one.severity))
        if not counters and not messages.has_messages(case) and not utilization(case):
            return self.not_applicable("neither messages of the run nor a GPU log were given")
        before = max((float(one.curve.value.max()) for one in counters), default=0.0)
        stood = f"; a counter of uncorrected errors stood at {before:g} and did not rise" if before else ""
        return self.clear(f"no message and no reading speaks of a fault{stood}")

    def _told(self, case: Case, one: Told, limits: Thresholds) -> Finding:
        xid = messages.xid_of(one.message)
        frozen = _frozen(case, one)
        cell = " is ERR! in" in one.message and not frozen
        mild = cell or (xid is not None and xid in messages.APPLICATION_XIDS | _CONTAINED)
        often = f", {one.number:,} times" if one.number > 1 else ""
        subject = f"A GPU reported Xid {xid}" if xid is not None else "A GPU reported a fault"
        return self.finding(
            f"{subject}{often}: {_said(one.message, frozen)}",
            evidence=(_evidence(one),),
            action=Action(
                "Look at the program first: such errors come from it, mostly; then run NVIDIA's diagnostics.",
                owner="ML engineer",
                effort="a day",
            )
            if xid in messages.APPLICATION_XIDS
            else Action(
                "Take the machine out of use, reset the GPU and run NVIDIA's diagnostics; restart elsewhere from the last checkpoint.",
                owner="Platform team",
                effort="a day",
            ),
            confidence=Confidence.MEDIUM if mild else Confidence.HIGH,
            severity=Severity.MAJOR if mild else None,
            limits=limits,
        )

    def _risen(self, one: _Rise, limits: Thresholds) -> Finding:
        curve = one.gauge.curve
        what = next(words_for for part, words_for in _COUNTERS.items() if part in curve.series)
        return self.finding(
            f"{what} on {wording.device(curve)} rose from {one.before:,.0f} to {one.after:,.0f} during the run.",
            evidence=(
                reading.evidence(
                    curve, "rise of the counter", one.after - one.before, "last over first reading", unit="1", first=one.at, last=one.at
                ),
            ),
            action=Action(
                "Take the machine out of use, reset the GPU and run NVIDIA's diagnostics; restart elsewhere from the last checkpoint.",
                owner="Platform team",
                effort="a day",
            ),
            confidence=Confidence.HIGH,
            limits=limits,
            curve=curve,
        )


def _frozen(case: Case, one: Told) -> str:
    """Return in words that a GPU of which a reading failed claims to work without any memory in use; else nothing."""
    named = [gauge for gauge in utilization(case) if gauge.curve.device and one.message.endswith(f"on {gauge.curve.device}")]
    for gauge in named:
        used, busy = memory_used(case, gauge.curve), float(gauge.curve.value[-1])
        if used is not None and used < NO_CONTEXT and busy >= 0.5:
            return f"; it shows {words.share(busy)} utilization with {words.memory(used)} of memory in use, which cannot be"
    return ""


def _counters(case: Case) -> list[Gauge]:
    frame = case.log.frame
    names = [str(name) for name in frame["series"].cat.categories if str(name).startswith("gpu/")]
    return [gauge for name in sorted(names) if any(word in name for word in _COUNTERS) for gauge in gauges(case, name)]


def _rise(gauge: Gauge) -> _Rise | None:
    """Return how far a counter rose; None where it did not, or fell too, which no counter does."""
    import numpy as np

    values = gauge.curve.value
    if (np.diff(values) < 0).any() or values[-1] <= values[0]:
        return None
    return _Rise(gauge, float(values[0]), float(values[-1]), int(np.argmax(values > values[0])))


def _said(message: str, frozen: str) -> str:
    said = messages.quoted(message, 140)
    return f"{said.rstrip('.')}{frozen}." if frozen else said


def _evidence(one: Told) -> Evidence:
    return Evidence(
        statistic="messages",
        value=float(one.number),
        unit="1",
        method="count" + (f"; first in line {one.line}" if one.line is not None else ""),
        n=one.number,
        from_step=one.step,
        from_time_s=one.time_s,
        file=one.file,
    )


DETECTOR = GpuFaults()
