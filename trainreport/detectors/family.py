"""What detectors of several runs read: the runs that can be compared, in the order of time, and the noise between runs."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from functools import lru_cache
from statistics import NormalDist, fmean, median
from typing import TYPE_CHECKING, NamedTuple

from trainreport.detectors import wording
from trainreport.model import words
from trainreport.model.series import direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trainreport.model.case import Case, Sibling

__all__ = ["Runs", "luck_of_the_best", "runs_of", "settings", "spend", "varied"]

_NOT_SETTINGS = re.compile(
    r"(.*[./])?((.*_)?(seed|random_state|run_?name|run_?id|(output|log|logging|save|work)_?dir|timestamp)|name|date|time|host|user|device)",
    re.IGNORECASE,
)
"""Parameters that tell runs apart without changing what is trained."""


class Runs(NamedTuple):
    """Runs judged by the same series, in the order in which they began."""

    every: tuple[Sibling, ...]
    sign: int
    """+1 where higher is better, -1 where lower is."""
    noise: float | None
    """Standard deviation of the best value from run to run, None where nothing tells it."""
    noise_basis: str
    repeated: bool
    """Whether the noise is from repeated runs, not from within their curves, which is less."""

    @property
    def values(self) -> list[float]:
        """Best value of each run."""
        return [one.best_value for one in self.every if one.best_value is not None]

    @property
    def best(self) -> float:
        """The best value of all."""
        return max(self.values) if self.sign > 0 else min(self.values)

    @property
    def series(self) -> str:
        """What they are judged by."""
        return self.every[0].series or ""

    def said(self, difference: float) -> str:
        """Return a difference of two best values in words: points for shares."""
        return wording.points(self.series, difference, percent=max(self.values) > 1.5)

    def gain(self, to: float, over: float) -> float:
        """Return by how much a value is better than another."""
        return self.sign * (to - over)


def runs_of(case: Case) -> Runs | None:
    """Return the runs that are judged by the same series as this one, None where it is judged by nothing."""
    own = case.summary
    if own is None or own.series is None or own.best_value is None:
        return None
    alike = [
        one
        for one in case.family
        if (one.series, one.phase) == (own.series, own.phase) and one.best_value is not None and math.isfinite(one.best_value)
    ]
    alike.sort(key=lambda one: (one.started_at is None, one.started_at, one.run_id))
    noise, basis, repeated = _noise(alike)
    return Runs(tuple(alike), direction(own.series) or 1, noise, basis, repeated)


def spend(one: Sibling) -> float | None:
    """Return what a run took: GPU-hours where they are known, else hours of wall time."""
    if one.gpu_hours is not None:
        return one.gpu_hours
    return None if one.wall_s is None else one.wall_s / 3600


def varied(runs: Iterable[Sibling]) -> dict[str, set[str]]:
    """Return the settings that differ between runs, with their values."""
    values: dict[str, set[str]] = defaultdict(set)
    for one in runs:
        for name, value in settings(one.params).items():
            values[name].add(value)
    return {name: found for name, found in sorted(values.items()) if len(found) > 1}


def luck_of_the_best(runs: int) -> float:
    """Return by how many standard deviations the best of alike runs lies above their median by luck alone.

    Blom's approximation of the expected largest of n normal values.

    References
    ----------
    Blom, Statistical Estimates and Transformed Beta-Variables (1958).
    """
    return NormalDist().inv_cdf((runs - 0.375) / (runs + 0.25))


def _noise(runs: list[Sibling]) -> tuple[float | None, str, bool]:
    """Return the standard deviation between runs, how it is known, and whether from repeated runs."""
    groups: dict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
    for one in runs:
        if one.params and one.best_value is not None:
            groups[tuple(sorted(settings(one.params).items()))].append(one.best_value)
    again = [values for values in groups.values() if len(values) > 1]
    freedom = sum(len(values) - 1 for values in again)
    if freedom >= 2:
        squares = sum((value - fmean(values)) ** 2 for values in again for value in values)
        return math.sqrt(squares / freedom), f"{sum(map(len, again))} runs that repeat {words.plural(len(again), 'configuration')}", True
    within = [one.noise for one in runs if one.noise is not None and one.evaluations >= 10]
    if within:
        return median(within), "noise within the curves, which is less than from run to run", False
    return None, "no configuration was repeated, and curves are too short to show their noise", False


def settings(params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that change what is trained, those that only tell runs apart left out."""
    return {name: value for name, value in params.items() if _is_setting(name)}


@lru_cache(maxsize=4096)  # a search names the same parameters in each of its runs
def _is_setting(name: str) -> bool:
    return not _NOT_SETTINGS.fullmatch(name)
