"""TR207: a GPU that slows down because it is hot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.clocks import POWER, THERMAL, Clock, Held, clocks, held_down, reasons
from trainreport.detectors.gauges import beside
from trainreport.detectors.waits import power_share
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste
from trainreport.stats.join import at_times

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case

    Mask = npt.NDArray[np.bool_]

_HOT = "highest operating temperature of data-centre cards (83 to 87 degC) and default target of GeForce cards (83 degC)"
_DROP = "clocks move by some per cent with load at any temperature; not validated on labelled runs"
_FEW = 3
"""Samples at work and slowed that a finding needs."""
_AT_LIMIT = 0.95
"""Share of the power limit from which on the limit may be what holds the clock down."""


class _Hot(NamedTuple):
    clock: Clock
    mask: Mask
    share: float
    held: Held | None
    told: bool
    """Whether the driver said so; else it is inferred from temperature and clock."""
    hardware: bool
    """Whether the driver named the hardware's own slowdown, which halves the clock or more."""
    peak: float | None
    """Highest temperature."""


class ThermalThrottling(Detector):
    """A GPU slows down because it is hot.

    What it checks
    --------------
    The driver's reasons for a lowered clock (thermal slowdown by software or hardware) and the clock itself, while the GPU works. Where
    no reasons were logged: temperature and clock.

    Why it matters
    --------------
    The run takes longer at the same price, in a group of GPUs all wait for the hottest, and heat shortens the hardware's life.

    How it decides
    --------------
    A thermal reason stands for more than 5 % of the working time (utilization of 50 % and more), and the clock is more than 10 % below
    the one that the same GPU has when nothing holds it down. Without a logged clock the reason alone counts, from 20 % of the working
    time on, with lower confidence. Without reasons: above 82 degC for more than 5 % of the time, with the clock more than 10 % below that
    of cooler working time and power below its limit; low confidence. Less than 2 % of the work lost is lowered to minor.

    What to do
    ----------
    - Check fans, filters, air flow and the temperature of the room; move the job to another machine meanwhile.
    - Until then a lower power limit gives a steadier clock for the same heat.

    Limits
    ------
    The hot spot and the memory may be hotter than the sensor that is logged. Some boards report no reasons.

    References
    ----------
    - NVIDIA, NVML: clocks event reasons (0x20 software thermal, 0x40 hardware thermal slowdown); nvidia-smi manual.
    """

    code = "TR207"
    name = "thermal-throttling"
    severity = Severity.MAJOR
    needs = ("reasons for a lowered clock; or temperature and clock of a GPU",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR207."""

        time_share: float = threshold(0.05, unit="share", why="Less of the working time is a moment.", low=0, high=1, source="convention")
        alone: float = threshold(
            0.20, unit="share", why="Of the working time, where no clock was logged.", low=0, high=1, source="convention"
        )
        drop: float = threshold(0.10, unit="share", why="Smaller drops are the clock's own movement.", low=0, high=1, source=_DROP)
        hot: float = threshold(82, unit="degC", why="From here on heat may slow a GPU.", low=40, high=120, source=_HOT)
        small: float = threshold(0.02, unit="share", why="Of the work lost: less is minor.", low=0, high=1, source="convention")
        samples: float = threshold(20, unit="samples", why="Fewer at work tell no share.", low=2, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = [one for clock in clocks(case) if (one := _look(case, clock, limits)) is not None]
        if not seen:
            return self.not_applicable(
                f"neither reasons for a lowered clock nor temperature with clock were logged for {limits.samples:g} samples at work"
            )
        found = [one for one in seen if _slowed(one, limits)]
        if found:
            return self.found(*together((self._finding(one, limits) for one in found), len(seen)))
        most = max(seen, key=lambda one: one.share)
        what = "heat was the driver's reason for a lowered clock" if most.told else f"it was above {limits.hot:g} °C with a lowered clock"
        peak = f"; at most {most.peak:.0f} °C" if most.peak is not None else ""
        lost = f", {words.share(most.held.drop)} below its usual clock" if most.held is not None and most.share > 0 else ""
        return self.clear(f"{wording.device(most.clock.gauge.curve)}: {what} for {words.share(most.share)} of its work{lost}{peak}")

    def _finding(self, one: _Hot, limits: Thresholds) -> Finding:
        curve = one.clock.gauge.curve
        drop = one.held.drop if one.held is not None else None
        stated: list[Evidence] = [
            reading.evidence(curve, "share of the work slowed by heat", one.share, "the driver's reasons" if one.told else "hot", unit="1")
        ]
        if one.held is not None:
            stated.append(reading.evidence(curve, "clock while slowed", one.held.clock, "median", unit="Hz"))
            stated.append(reading.evidence(curve, "usual clock", one.held.usual, one.held.against, unit="Hz"))
        if one.peak is not None:
            stated.append(reading.evidence(curve, "highest temperature", one.peak, "largest sample", unit="degC"))
        lost = one.share * drop if drop is not None else None
        return self.finding(
            _message(one),
            evidence=tuple(stated),
            action=Action("Check the cooling of this machine; move the job meanwhile.", owner="Platform team", effort="a day"),
            confidence=_confidence(one),
            severity=Severity.MINOR if lost is not None and lost < limits.small else None,
            limits=limits,
            waste=Waste(gpu_s=lost * one.clock.busy_s if lost is not None and one.clock.gauge.timed else None, share_of_run=lost),
            curve=curve,
        )


def _look(case: Case, one: Clock, limits: ThermalThrottling.Thresholds) -> _Hot | None:
    import numpy as np

    if one.busy.sum() < limits.samples:
        return None
    heat = beside(case, "gpu/temperature", one.gauge)
    peak = None if heat is None or not np.isfinite(heat).any() else float(np.nanmax(heat))
    told = reasons(case, one, THERMAL)
    if told is not None:
        capped = reasons(case, one, POWER)
        held = told if capped is None else told | capped
        hardware = reasons(case, one, {"hw_thermal_slowdown": THERMAL["hw_thermal_slowdown"]})
        strong = hardware is not None and one.share(hardware) > limits.time_share
        return _Hot(one, told, one.share(told), held_down(one, told, held, against_top=False), True, strong, peak)
    if heat is None or one.clock is None:
        return None
    hot = np.nan_to_num(heat) > limits.hot
    power = power_share(case, one.gauge.curve)
    if power is not None and power.timed and one.gauge.timed:
        hot &= ~(at_times(power.time_s, power.curve.value, one.gauge.time_s) >= _AT_LIMIT)
    cool = np.nan_to_num(heat, nan=np.inf) < limits.hot - 4
    return _Hot(one, hot, one.share(hot), held_down(one, hot, ~cool, against_top=False), False, False, peak)


def _slowed(one: _Hot, limits: ThermalThrottling.Thresholds) -> bool:
    if one.share <= limits.time_share or (one.clock.busy & one.mask).sum() < _FEW:
        return False
    return one.told and one.share >= limits.alone if one.held is None else one.held.drop > limits.drop


def _confidence(one: _Hot) -> Confidence:
    """Return high where the driver names heat and the clock fell: both are direct readings."""
    if not one.told or (one.held is None and not one.hardware):
        return Confidence.LOW
    return Confidence.MEDIUM if one.held is None else Confidence.HIGH


def _message(one: _Hot) -> str:
    name, share = wording.device(one.clock.gauge.curve), words.share(one.share)
    peak = f" at up to {one.peak:.0f} °C" if one.peak is not None else ""
    if one.held is None:
        return f"{name} was slowed by heat for {share} of its work{peak}; by how much was not logged."
    fell = f"{words.share(one.held.drop)} below {one.held.against} ({one.held.clock / 1e6:,.0f} of {one.held.usual / 1e6:,.0f} MHz)"
    how = "was slowed by heat" if one.told else "ran hot and slower"
    return f"{name} {how} for {share} of its work{peak}: its clock was {fell}."


DETECTOR = ThermalThrottling()
