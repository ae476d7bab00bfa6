"""What runs took together, added up from tables of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from trainreport.model.ledger import BUCKETS
from trainreport.model.money import Money

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Month", "Parts", "Sum", "grouped"]

_NONE = Decimal(0)


def grouped(runs: pa.Table, *by: str) -> list[dict[str, Any]]:
    """Return what runs that share some columns, and a currency, took together.

    Parameters
    ----------
    runs : pyarrow.Table
        With gpu_hours, cost, currency and the columns of `by`.
    *by : str

    Returns
    -------
    list of dict
        The columns of `by`, ``currency``, and what `Sum.add` takes.
    """
    took = [([], "count_all"), ("gpu_hours", "sum"), ("gpu_hours", "count"), ("cost", "sum")]
    found: list[dict[str, Any]] = runs.group_by([*by, "currency"], use_threads=False).aggregate(took).to_pylist()
    return found


@dataclass(slots=True)
class Sum:
    """What some runs took together."""

    runs: int = 0
    gpu_hours: float = 0.0
    measured: int = 0
    """Runs whose GPU-hours are known."""
    cost: dict[str, Decimal] = field(default_factory=dict)
    """By currency; nothing is converted."""

    def add(self, group: dict[str, Any]) -> None:
        """Add what `grouped` tells of some runs."""
        self.runs += group["count_all"]
        self.gpu_hours += group["gpu_hours_sum"] or 0.0
        self.measured += group["gpu_hours_count"]
        if group["currency"] is not None:
            self.cost[group["currency"]] = self.cost.get(group["currency"], _NONE) + group["cost_sum"]

    @property
    def money(self) -> tuple[Money, ...]:
        """The cost, an amount a currency."""
        return tuple(Money(amount, currency) for currency, amount in sorted(self.cost.items()))

    @property
    def rank(self) -> tuple[Decimal, float, int]:
        """What it is sorted by: cost, whatever the currency, then GPU-hours, then runs."""
        return sum(self.cost.values(), _NONE), self.gpu_hours, self.runs


@dataclass(slots=True)
class Month:
    """What happened in a month: runs count for the one that they ended in."""

    all: Sum = field(default_factory=Sum)
    refused: Sum = field(default_factory=Sum)

    def add(self, group: dict[str, Any]) -> None:
        """Add what `grouped` tells of some runs that were all refused, or none of them."""
        self.all.add(group)
        if group["refused"]:
            self.refused.add(group)


@dataclass(slots=True)
class Parts:
    """What the paid time of runs went into, of which it is known; for shares, so that amounts need not be exact."""

    runs: int = 0
    gpu_hours: dict[str, float] = field(default_factory=dict)
    """By bucket."""
    cost: dict[str, dict[str, float]] = field(default_factory=dict)
    """By currency and bucket."""

    def add(self, goodput: Any, runs: pa.Table) -> None:
        """Add runs, whose buckets have these shares."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self.runs += pc.sum(pc.is_valid(goodput)).as_py() or 0
        cost = pc.cast(runs["cost"], pa.float64())
        shares = {name: pc.struct_field(goodput, name) for name in BUCKETS}
        _add(self.gpu_hours, {name: pc.sum(pc.multiply(share, runs["gpu_hours"])).as_py() for name, share in shares.items()})
        priced = pa.table({name: pc.multiply(share, cost) for name, share in shares.items()} | {"currency": runs["currency"]})
        for row in priced.group_by("currency", use_threads=False).aggregate([(name, "sum") for name in BUCKETS]).to_pylist():
            if row["currency"] is not None:
                _add(self.cost.setdefault(row["currency"], {}), {name: row[f"{name}_sum"] for name in BUCKETS})


def _add(sums: dict[str, float], more: dict[str, float | None]) -> None:
    for name, value in more.items():
        if value:
            sums[name] = sums.get(name, 0.0) + value
