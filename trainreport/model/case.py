"""What a detector is given: one run's log, the plan, the ledger, and the other runs beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, overload

from trainreport.model.curve import Curve, curve, curves
from trainreport.model.series import direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from trainreport.model.ledger import Ledger
    from trainreport.model.money import Money
    from trainreport.model.plan import Criterion, Plan
    from trainreport.model.run import RunLog, Status

__all__ = ["Case", "Family", "Sibling"]

HELD_OUT = ("validation", "test")


@dataclass(frozen=True, slots=True)
class Sibling:
    """What a run says to the other runs of the same assessment. None where it is not known."""

    run_id: str
    name: str
    best_value: float | None = None
    """At its best checkpoint, of `series`."""
    gpu_hours: float | None = None
    series: str | None = None
    """What it is judged by: canonical name, of the first criterion where it was logged."""
    phase: str | None = None
    noise: float | None = None
    """Standard deviation of the noise of that curve around its trend."""
    evaluations: int = 0
    """Finite points of that curve."""
    best_step: int | None = None
    last_step: int | None = None
    course: tuple[tuple[int, float], ...] = ()
    """Step and best value so far at each tenth of that curve's steps."""
    cost: Money | None = None
    wall_s: float | None = None
    energy_j: float | None = None
    """Joules, PUE not included."""
    carbon_kg: float | None = None
    flop: float | None = None
    gpus: int | None = None
    throughput: float | None = None
    throughput_unit: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    seed: str | None = None
    status: Status = "unknown"
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent: str | None = None


class Family(Sequence[Sibling]):
    """The runs of one assessment: what each of them asks of all is worked out once, not once a run."""

    def __init__(self, every: Iterable[Sibling] = ()) -> None:
        self._every = tuple(every)

    @overload
    def __getitem__(self, place: int) -> Sibling: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Sibling, ...]: ...
    def __getitem__(self, place: int | slice) -> Sibling | tuple[Sibling, ...]:
        return self._every[place]

    def __len__(self) -> int:
        return len(self._every)

    @cached_property
    def by_id(self) -> dict[str, Sibling]:
        """Run id -> what that run says."""
        return {one.run_id: one for one in self._every}

    @cached_property
    def names(self) -> frozenset[str]:
        """Ids and names of all runs."""
        return frozenset(name for one in self._every for name in (one.run_id, one.name))

    @cached_property
    def in_order(self) -> tuple[Sibling, ...]:
        """The runs in the order in which they began; those without a time come last."""
        return tuple(sorted(self._every, key=lambda one: _order(one.started_at, one.run_id)))

    @cached_property
    def _starts(self) -> list[tuple[bool, datetime | None, str]]:
        return [_order(one.started_at, one.run_id) for one in self.in_order]

    def before(self, started: datetime | None, run_id: str) -> int:
        """Return how many of the runs began before one."""
        return bisect_left(self._starts, _order(started, run_id))


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Case:
    """One run, ready to be judged."""

    log: RunLog
    plan: Plan
    ledger: Ledger
    family: Family = field(default_factory=Family)
    """All runs of the assessment, this one among them."""
    as_of: datetime | None = None
    """What stands for now."""

    @property
    def summary(self) -> Sibling | None:
        """What this run says to the others; None where it is judged alone."""
        return self.family.by_id.get(self.log.run.id)

    @property
    def siblings(self) -> tuple[Sibling, ...]:
        """The other runs."""
        return tuple(one for one in self.family if one.run_id != self.log.run.id)

    def curve(self, series: str, phase: str) -> Curve | None:
        """Return the curve of a series; where several names mean it, the one that the plan names."""
        for name in sorted(one.series for one in self.plan.criteria if one.phase == phase):
            found = curve(self.log, series, phase, name)
            if found is not None and found.logged == name:
                return found
        return curve(self.log, series, phase)

    def devices(self, series: str) -> list[Curve]:
        """Return one curve of a system series for each device."""
        return curves(self.log, series)

    def held_out(self, series: str) -> Curve | None:
        """Return the curve on data not trained on: validation, else test."""
        for phase in HELD_OUT:
            found = self.curve(series, phase)
            if found is not None:
                return found
        return None

    def quality_series(self) -> list[str]:
        """Return the series with a known direction that were logged on held-out data, loss first."""
        return self._directed(HELD_OUT)

    def training_series(self) -> list[str]:
        """Return the series with a known direction that were logged on training data, loss first."""
        return self._directed(("train",))

    def criterion_for(self, series: str, phase: str) -> Criterion | None:
        """Return the plan's first criterion on this series and phase, by canonical or logged name."""
        found = self.curve(series, phase)
        names = {series} if found is None else {series, found.logged}
        return next((c for c in self.plan.criteria if c.series in names and c.phase == phase), None)

    def _directed(self, phases: tuple[str, ...]) -> list[str]:
        names = {series for series, _ in self.log.curves.names(*phases) if direction(series)}
        return sorted(names, key=lambda name: (name != "loss", "/" in name, name))


def _order(started: datetime | None, run_id: str) -> tuple[bool, datetime | None, str]:
    return started is None, started, run_id
