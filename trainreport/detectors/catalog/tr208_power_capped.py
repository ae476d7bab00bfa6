"""TR208: a GPU whose power limit slows it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import reading, wording
from trainreport.detectors.alike import together
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.clocks import POWER, THERMAL, Clock, Held, clocks, held_down, reasons
from trainreport.detectors.gauges import of_same_device
from trainreport.detectors.waits import power_share
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Finding, Outcome, Severity
from trainreport.stats.join import at_times

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.model.case import Case

    Mask = npt.NDArray[np.bool_]

_NORMAL = "at full load the reason alone is normal: a clock some per cent below its top draws the whole limit"
_NEAR = "power is averaged over up to a second and swings by some per cent around the limit"


class _Capped(NamedTuple):
    clock: Clock
    share: float
    held: Held
    told: bool
    """Whether the driver said so; else it is inferred from power and clock."""


class PowerCapped(Detector):
    """A GPU's power limit holds its clock down.

    What it checks
    --------------
    The driver's reason "power cap" (or the board's power brake) and the clock while the GPU works. Where no reasons were logged: power
    beside its limit, and the clock.

    Why it matters
    --------------
    The run takes longer than the hardware allows. A limit may be set on purpose, for it saves more energy than it costs time.

    How it decides
    --------------
    The reason stands for more than 10 % of the working time, and the clock is meanwhile more than 10 % below the highest clock of the GPU
    (below the highest at free work where that was not logged). The reason without such a drop is normal at full load and no finding.
    Without reasons: power at 97 % of its limit or above stands for the reason, with lower confidence.

    What to do
    ----------
    - Compare the limit with the board's default, and ask the platform team whether it is meant.
    - Where it is meant, plan with the longer time: energy a step falls.

    Limits
    ------
    How much slower the work is, the clock does not tell: work that waits for memory hardly slows down. A clock that was set lower on
    purpose counts as a drop when the cap stands at the same time.

    References
    ----------
    - NVIDIA, NVML: clocks event reasons (0x4 software power cap, 0x80 hardware power brake); nvidia-smi manual: power.limit.
    """

    code = "TR208"
    name = "power-capped"
    severity = Severity.MINOR
    needs = ("reasons for a lowered clock, or power with its limit; and the clock of a GPU",)

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR208."""

        time_share: float = threshold(0.10, unit="share", why="Less of the working time is a peak.", low=0, high=1, source="convention")
        drop: float = threshold(0.10, unit="share", why="Smaller drops are normal at full load.", low=0, high=1, source=_NORMAL)
        near: float = threshold(0.97, unit="share", why="Of the limit: this near is at it.", low=0.5, high=1.2, source=_NEAR)
        samples: float = threshold(20, unit="samples", why="Fewer at work tell no share.", low=2, high=1e6, source="convention")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = [one for clock in clocks(case) if (one := _look(case, clock, limits)) is not None]
        if not seen:
            return self.not_applicable(f"no clock with reasons or power limit was logged for {limits.samples:g} samples at work")
        found = [one for one in seen if one.share > limits.time_share and one.held.drop > limits.drop]
        if found:
            return self.found(*together((self._finding(case, one, limits) for one in found), len(seen)))
        most = max(seen, key=lambda one: one.share)
        return self.clear(
            f"{wording.device(most.clock.gauge.curve)} was at its power limit for {words.share(most.share)} of its work"
            + (f", {words.share(most.held.drop)} below {most.held.against}" if most.share > 0 else "")
        )

    def _finding(self, case: Case, one: _Capped, limits: Thresholds) -> Finding:
        curve, held = one.clock.gauge.curve, one.held
        return self.finding(
            f"{wording.device(curve)} was held down by its power limit{_limit(case, one)} for {words.share(one.share)} of its work: "
            f"its clock was {words.share(held.drop)} below {held.against} ({held.clock / 1e6:,.0f} of {held.usual / 1e6:,.0f} MHz).",
            evidence=(
                reading.evidence(
                    curve, "share of the work at the limit", one.share, "the driver's reasons" if one.told else "power", unit="1"
                ),
                reading.evidence(curve, "clock meanwhile", held.clock, "median", unit="Hz"),
                reading.evidence(curve, "clock that it is compared with", held.usual, held.against, unit="Hz"),
            ),
            action=Action("Ask whether the power limit is meant; if it is not, set it back to the default.", "Platform team", "an hour"),
            confidence=Confidence.MEDIUM if one.told else Confidence.LOW,
            limits=limits,
            curve=curve,
        )


def _look(case: Case, one: Clock, limits: PowerCapped.Thresholds) -> _Capped | None:
    import numpy as np

    if one.busy.sum() < limits.samples or one.clock is None:
        return None
    told = reasons(case, one, POWER)
    mask = _at_limit(case, one, limits.near) if told is None else told
    if mask is None:
        return None
    hot = reasons(case, one, THERMAL)
    mask = mask if hot is None else mask & ~hot  # heat is TR207's
    if not (mask & one.busy & np.isfinite(one.clock)).any():
        return _Capped(one, 0.0, Held(0.0, 1.0, 1.0, "its clock"), told is not None)
    held = held_down(one, mask, mask if hot is None else mask | hot, against_top=True)
    return None if held is None else _Capped(one, held.share, held, told is not None)


def _at_limit(case: Case, one: Clock, near: float) -> Mask | None:
    power = power_share(case, one.gauge.curve)
    if power is None or not (power.timed and one.gauge.timed):
        return None
    return at_times(power.time_s, power.curve.value, one.gauge.time_s) >= near


def _limit(case: Case, one: _Capped) -> str:
    """Return `` of 250 W (default 400 W)`` as far as it was logged."""
    import numpy as np

    found = [of_same_device(case, name, one.clock.gauge.curve) for name in ("gpu/power_limit", "gpu/power_limit_default")]
    now, default = (None if gauge is None else float(np.median(gauge.curve.value)) for gauge in found)
    if now is None:
        return ""
    return f" of {now:,.0f} W" + (f" (default {default:,.0f} W)" if default is not None and default > now else "")


DETECTOR = PowerCapped()
