"""Adds up lines of results, one at a time; what it holds grows with the number of teams and months, hardly with that of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import heappush, heappushpop
from typing import Any

from trainreport.model.money import Money

__all__ = ["MOST", "OUTSIDE", "Streak", "Sum", "Tally", "amount_of"]

MOST = 50
"""How many runs a list shows."""
OUTSIDE = "TR507"
_COMMON = "4"  # first digit of codes that only several runs show: what they wasted is no single run's
_STREAK = 4  # no-go runs in a row, from which on they are a series
_NONE = Decimal(0)


@dataclass(slots=True)
class Sum:
    """What some runs took together."""

    runs: int = 0
    gpu_hours: float = 0.0
    measured: int = 0
    """Runs whose GPU-hours are known."""
    cost: dict[str, Decimal] = field(default_factory=dict)
    """By currency; nothing is converted."""

    def add(self, gpu_hours: float | None, cost: Money | None, runs: int = 1) -> None:
        """Add a run, or several."""
        self.runs += runs
        if gpu_hours is not None:
            self.gpu_hours += gpu_hours
            self.measured += 1
        if cost is not None:
            self.cost[cost.currency] = self.cost.get(cost.currency, _NONE) + cost.amount

    @property
    def money(self) -> tuple[Money, ...]:
        """The cost, an amount a currency."""
        return tuple(Money(amount, currency) for currency, amount in sorted(self.cost.items()))

    @property
    def rank(self) -> tuple[Decimal, float, int]:
        """What it is sorted by: cost, whatever the currency, then GPU-hours, then runs."""
        return sum(self.cost.values(), _NONE), self.gpu_hours, self.runs


def amount_of(told: dict[str, str]) -> Money:
    """Return the cost that a line tells."""
    return Money(Decimal(told["amount"]), told["currency"])


class _Dearest:
    """The runs of a kind that took most: by cost, then GPU-hours, then the first in the file."""

    def __init__(self) -> None:
        self._heap: list[tuple[Decimal, float, int, dict[str, Any]]] = []
        self._seen = 0

    def add(self, entry: dict[str, Any], gpu_hours: float | None, cost: Money | None, finding: dict[str, Any] | None = None) -> None:
        """Add a run, or what one finding says of it."""
        self._seen += 1
        rank = (cost.amount if cost else _NONE, gpu_hours or 0.0, -self._seen)
        if len(self._heap) == MOST and rank < self._heap[0][:3]:
            return
        ranked = (*rank, entry if finding is None else {**entry, "findings": [finding]})  # no two are equal before the entry
        if len(self._heap) < MOST:
            heappush(self._heap, ranked)
        else:
            heappushpop(self._heap, ranked)

    def listed(self) -> list[dict[str, Any]]:
        return [entry for *_, entry in sorted(self._heap, key=lambda one: one[:3], reverse=True)]


@dataclass(slots=True)
class Parts:
    """What the paid time of runs went into, of which it is known; for shares, so that amounts need not be exact."""

    runs: int = 0
    gpu_hours: dict[str, float] = field(default_factory=dict)
    """By bucket."""
    cost: dict[str, dict[str, float]] = field(default_factory=dict)
    """By currency and bucket."""

    def add(self, shares: dict[str, float | None], gpu_hours: float | None, cost: Money | None) -> None:
        """Add a run, whose buckets have these shares."""
        self.runs += 1
        weighed = [] if gpu_hours is None else [(self.gpu_hours, gpu_hours)]
        if cost is not None:
            weighed.append((self.cost.setdefault(cost.currency, {}), float(cost.amount)))
        for sums, weight in weighed:
            for name, share in shares.items():
                if share:
                    sums[name] = sums.get(name, 0.0) + share * weight


@dataclass(slots=True)
class Month:
    """What happened in a month: runs count for the one that they ended in."""

    all: Sum = field(default_factory=Sum)
    refused: Sum = field(default_factory=Sum)


@dataclass(frozen=True, slots=True)
class Streak:
    """The last runs of a project, or of a folder where no project is named: all ended in a no-go."""

    where: str
    since: str
    until: str
    took: Sum


@dataclass(slots=True)
class Tally:
    """What a portfolio says."""

    all: Sum = field(default_factory=Sum)
    verdicts: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    steps: Counter[str] = field(default_factory=Counter)
    codes: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    """What the runs with a finding took."""
    wasted: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    """What a finding says was wasted; only where it says so."""
    buckets: Parts = field(default_factory=Parts)
    """Where the paid time went."""
    months: dict[str, Month] = field(default_factory=lambda: defaultdict(Month))
    """By ``2026-11``."""
    owners: dict[tuple[str, str], Month] = field(default_factory=lambda: defaultdict(Month))
    """By team and project; empty texts where none is named."""
    series: _Dearest = field(default_factory=_Dearest)
    """The runs that lead a series in which the last runs gained nothing."""
    offenders: _Dearest = field(default_factory=_Dearest)
    """Runs with what their dearest finding says was wasted."""
    refused: _Dearest = field(default_factory=_Dearest)
    """Runs with a no-go."""
    outside: _Dearest = field(default_factory=_Dearest)
    """Runs that no plan covers."""
    failed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Path and reason of the first of them."""
    versions: set[str] = field(default_factory=set)
    _courses: dict[str, list[tuple[str, bool, float | None, Money | None]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, entry: dict[str, Any]) -> None:
        """Add a line."""
        self.versions.add(entry["version"])
        if entry["error"] is not None:
            self.failed += 1
            if len(self.failures) < MOST:
                self.failures.append((entry["path"], entry["error"]))
            return
        hours, told = entry["gpu_hours"], entry["cost"]
        cost = None if told is None else amount_of(told)
        is_refused = entry["verdict"] == "no-go"
        self.all.add(hours, cost)
        self.verdicts[entry["verdict"]].add(hours, cost)
        self.steps[entry["next_step"]] += 1
        for code in entry["codes"]:
            self.codes[code].add(hours, cost)
        if is_refused:
            self.refused.add(entry, hours, cost)
        if OUTSIDE in entry["codes"]:
            self.outside.add(entry, hours, cost)
        self._add_course(entry, hours, cost, is_refused=is_refused)
        if (parts := entry.get("goodput")) is not None:
            self.buckets.add(parts, hours, cost)
        self._add_waste(entry)

    @property
    def streaks(self) -> list[Streak]:
        """Series whose last runs all ended in a no-go, the dearest first."""
        found = [streak for where, course in self._courses.items() if (streak := _streak(where, course)) is not None]
        return sorted(found, key=lambda one: one.took.rank, reverse=True)

    def _add_course(self, entry: dict[str, Any], hours: float | None, cost: Money | None, *, is_refused: bool) -> None:
        """Put the run in its month, with its team and project, and in the course of its series."""
        ended, project = entry.get("ended_at") or "", entry.get("project") or ""
        groups = [self.owners[entry.get("team") or "", project]]
        if ended:
            groups.append(self.months[ended[:7]])
            self._courses[project or entry["path"].rpartition("/")[0] or "."].append((ended, is_refused, hours, cost))
        for group in groups:
            group.all.add(hours, cost)
            if is_refused:
                group.refused.add(hours, cost)

    def _add_waste(self, entry: dict[str, Any]) -> None:
        dearest: tuple[Decimal, float] = (_NONE, 0.0)
        worst, price = None, None
        for finding in entry.get("findings") or ():
            hours, told = finding["gpu_hours"], finding["cost"]
            if not hours and told is None:
                continue
            cost = None if told is None else amount_of(told)
            self.wasted[finding["code"]].add(hours, cost)
            weight = (cost.amount if cost else _NONE, hours or 0.0)
            if finding["code"][2] != _COMMON and weight > dearest:
                dearest, worst, price = weight, finding, cost
        if worst is not None:
            self.offenders.add(entry, worst["gpu_hours"], price, worst)
        if (led := entry.get("series")) is not None:
            self.series.add(entry, None, None if led["spent"] is None else amount_of(led["spent"]))


def _streak(where: str, course: list[tuple[str, bool, float | None, Money | None]]) -> Streak | None:
    """Return the no-go runs at the end of a course, where there are enough of them."""
    took, since, until = Sum(), "", ""
    for ended, is_refused, hours, cost in sorted(course, key=lambda one: one[0], reverse=True):
        if not is_refused:
            break
        took.add(hours, cost)
        since, until = ended, until or ended
    return Streak(where, since, until, took) if took.runs >= _STREAK else None
