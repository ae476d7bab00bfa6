"""Adds up lines of results, one at a time; what it holds does not grow with their number."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import heappush, heappushpop
from typing import Any

from trainreport.model.money import Money

__all__ = ["MOST", "OUTSIDE", "Sum", "Tally", "amount_of"]

MOST = 50
"""How many runs a list shows."""
OUTSIDE = "TR507"


@dataclass(slots=True)
class Sum:
    """What some runs took together."""

    runs: int = 0
    gpu_hours: float = 0.0
    measured: int = 0
    """Runs whose GPU-hours are known."""
    cost: dict[str, Decimal] = field(default_factory=dict)
    """By currency; nothing is converted."""

    def add(self, gpu_hours: float | None, cost: Money | None) -> None:
        """Add a run."""
        self.runs += 1
        if gpu_hours is not None:
            self.gpu_hours += gpu_hours
            self.measured += 1
        if cost is not None:
            self.cost[cost.currency] = self.cost.get(cost.currency, Decimal(0)) + cost.amount

    @property
    def money(self) -> tuple[Money, ...]:
        """The cost, an amount a currency."""
        return tuple(Money(amount, currency) for currency, amount in sorted(self.cost.items()))


def amount_of(told: dict[str, str]) -> Money:
    """Return the cost that a line tells."""
    return Money(Decimal(told["amount"]), told["currency"])


class _Dearest:
    """The runs of a kind that took most: by cost, then GPU-hours, then the first in the file."""

    def __init__(self) -> None:
        self._heap: list[tuple[Decimal, float, int, dict[str, Any]]] = []
        self._seen = 0

    def add(self, entry: dict[str, Any], cost: Money | None) -> None:
        self._seen += 1
        ranked = (cost.amount if cost else Decimal(0), entry["gpu_hours"] or 0.0, -self._seen, entry)  # no two are equal before the entry
        if len(self._heap) < MOST:
            heappush(self._heap, ranked)
        else:
            heappushpop(self._heap, ranked)

    def listed(self) -> list[dict[str, Any]]:
        return [entry for *_, entry in sorted(self._heap, key=lambda one: one[:3], reverse=True)]


@dataclass(slots=True)
class Tally:
    """What a portfolio says."""

    all: Sum = field(default_factory=Sum)
    verdicts: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    steps: Counter[str] = field(default_factory=Counter)
    codes: dict[str, Sum] = field(default_factory=lambda: defaultdict(Sum))
    refused: _Dearest = field(default_factory=_Dearest)
    """Runs with a no-go."""
    outside: _Dearest = field(default_factory=_Dearest)
    """Runs that no plan covers."""
    failed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Path and reason of the first of them."""
    versions: set[str] = field(default_factory=set)

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
        self.all.add(hours, cost)
        self.verdicts[entry["verdict"]].add(hours, cost)
        self.steps[entry["next_step"]] += 1
        for code in entry["codes"]:
            self.codes[code].add(hours, cost)
        if entry["verdict"] == "no-go":
            self.refused.add(entry, cost)
        if OUTSIDE in entry["codes"]:
            self.outside.add(entry, cost)
