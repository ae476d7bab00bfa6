"""TR305: spot suitable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import progress
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.facts_of_run import checkpoints
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case

_ON_SPOT = re.compile(r"(^|[._/-])(spot|use_spot|spot_instances?|preemptible|preemptable|capacity_type|provisioning_model)$", re.IGNORECASE)
_NO = frozenset(("", "false", "no", "0", "none", "null", "on-demand", "on_demand", "ondemand", "standard"))


class SpotSuitable(Detector):
    """The run could have been made on spot capacity, at the plan's lower rate.

    What it checks
    --------------
    The plan's spot rate beside the rate of the GPUs used, the GPU-hours of the run, and whether it could have survived being ended: it
    wrote checkpoints, or it did go on after a restart.

    Why it matters
    --------------
    Spot capacity is the same hardware at a fraction of the price, for work that can be interrupted. Training that writes checkpoints can.

    How it decides
    --------------
    A note when the spot rate is lower, the run held GPUs for at least an hour, and something shows that it can be resumed. The saving is
    the difference of the rates over the hours held.

    What to do
    ----------
    - Run the next one of this kind on spot capacity, with a checkpoint at least every half hour.
    - Keep on-demand capacity for runs with a near deadline.

    Limits
    ------
    What interruptions cost (work lost since the last checkpoint, waiting for capacity) is not taken off the saving. Whether spot capacity
    was to be had is not known. That checkpoints are complete (optimizer, schedule, data order) cannot be seen in logs.

    References
    ----------
    - AWS, Amazon EC2 Spot Instances; Google Cloud, Spot VMs: same machines, may be reclaimed at any time.
    """

    code = "TR305"
    name = "spot-suitable"
    severity = Severity.NOTE
    needs = ("spot_gpu_hour and the rate of the GPUs in the plan", "GPU-hours", "a sign of checkpoints or a restart")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR305."""

        hours: float = threshold(1.0, unit="h", why="Shorter runs are not worth a change.", low=0, high=1e6, source="convention: an hour")

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        if case.plan.rates.spot_gpu_hour is None:
            return self.not_applicable("the plan gives no spot_gpu_hour")
        prices = _prices(case)
        if prices is None:
            return self.not_applicable("no GPU-hours are known at a rate of the plan")
        already = _already(case)
        if already is not None:
            return self.clear(f"it ran on spot capacity: {already}")
        if prices.saving <= 0:
            return self.clear(f"spot is not cheaper: {words.share(1 - prices.saving)} of the rate of these GPUs")
        if prices.hours < limits.hours:
            return self.clear(f"{words.hours(prices.hours)} of GPU time; spot is worth a change from {words.hours(limits.hours)} on")
        sign = _resumable(case)
        if sign is None:
            return self.clear(
                f"{words.hours(prices.hours)} of GPU time, but nothing shows that the run can be resumed after an interruption"
            )
        return self.found(self._finding(prices, sign, limits))

    def _finding(self, prices: _Prices, sign: str, limits: Thresholds) -> Finding:
        return self.finding(
            f"The {words.hours(prices.hours)} of GPU time would have cost {words.share(prices.saving)} less on spot capacity, "
            f"and the run can be resumed ({sign}).",
            evidence=(Evidence("saving on spot", prices.saving, "1", "one less the plan's spot rate over its rate for these GPUs", 1),),
            action=Action("Run the next one of this kind on spot capacity, with frequent checkpoints.", "Platform team", "a day"),
            confidence=Confidence.MEDIUM,
            limits=limits,
            waste=Waste(gpu_s=prices.hours * prices.saving * 3600),
        )


class _Prices(NamedTuple):
    """GPU-hours that have a rate, and the share of their price that spot would save."""

    hours: float
    saving: float


def _prices(case: Case) -> _Prices | None:
    rates, spot = case.plan.rates, case.plan.rates.spot_gpu_hour
    held = [(one.hours, rates.gpu(one.model)) for one in case.ledger.devices if one.kind == "gpu" and one.hours > 0]
    priced = [(hours, rate.price) for hours, rate in held if rate is not None and rate.price.amount > 0]
    if spot is None or not priced:
        return None
    hours = sum(one for one, _ in priced)
    full = sum(one * float(price.amount) for one, price in priced)
    return _Prices(hours, 1 - hours * float(spot.price.amount) / full)


def _already(case: Case) -> str | None:
    """Return the parameter or tag that says that the run was on spot capacity."""
    run = case.log.run
    entries = sorted({**run.params, **run.tags}.items())
    return next((f"{key} = {value}" for key, value in entries if _ON_SPOT.search(key) and value.strip().lower() not in _NO), None)


def _resumable(case: Case) -> str | None:
    """Return what shows that the run can be resumed, None where nothing does."""
    seen = progress(case.log)
    if seen is not None:
        again = int((seen.begins[1:] & (seen.step[1:] > seen.step[0])).sum())  # one that began from nothing was not resumed
        if again:
            return f"it went on after {words.plural(again, 'restart')}"
    signs = checkpoints(case)
    return f"checkpoints: {signs[0]}" if signs else None


DETECTOR = SpotSuitable()
