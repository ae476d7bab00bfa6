"""What was agreed before training: criteria, budget, rates, deadline. Read by ``plan_reader``."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from trainreport.model.series import PERCENT_FROM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from trainreport.model.curve import Curve
    from trainreport.model.money import Money

__all__ = ["Accepted", "Ancestor", "Budget", "Criterion", "LockFile", "Plan", "PlanSource", "Rate", "Rates", "Training"]

Statistic = Literal["best", "final", "mean_last"]
Comparator = Literal[">=", "<="]
CriterionUnit = Literal["share", "percent", "as logged"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """An acceptance criterion."""

    id: str
    series: str
    """Canonical name, or as logged."""
    threshold: float
    phase: str = "validation"
    statistic: Statistic = "best"
    comparator: Comparator = ">="
    tolerance: float = 0.0
    """Met if value >= threshold - tolerance; mirrored for ``<=``."""
    unit: CriterionUnit = "as logged"
    chance: float | None = None
    """What guessing gives."""
    mandatory: bool = True
    baseline: float | None = None
    """The simple model to beat."""
    worth: str | None = None

    @property
    def sign(self) -> int:
        """+1 where higher is better, -1 where lower is."""
        return 1 if self.comparator == ">=" else -1

    def factor(self, curve: Curve) -> float | None:
        """Return what logged values are multiplied by to be in the unit of the threshold.

        None where the curve and the threshold look different and the plan does not say which of them is in percent.
        """
        if not curve.is_share:
            return 1.0
        if self.unit == "share":
            return 0.01 if curve.is_percent else 1.0
        if self.unit == "percent":
            return 1.0 if curve.is_percent else 100.0
        return 1.0 if self.threshold == 0 or curve.is_percent == (abs(self.threshold) > PERCENT_FROM) else None

    def met_by(self, value: float) -> bool:
        """Return whether `value`, in the unit of the threshold, meets the criterion."""
        return self.sign * (value - self.threshold) >= -self.tolerance - 1e-12 * max(1.0, abs(self.threshold))


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits agreed on; None where none was."""

    money: Money | None = None
    gpu_hours: float | None = None
    wall_time_s: float | None = None
    deadline: datetime | None = None
    energy_kwh: float | None = None
    carbon_kg: float | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """A price of one hour or one kWh, with where it is from."""

    price: Money
    source: str | None = None
    date: date | None = None


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices and factors; None where not given."""

    gpu_hour: Rate | None = None
    cpu_hour: Rate | None = None
    tpu_hour: Rate | None = None
    reserved_gpu_hour: Rate | None = None
    spot_gpu_hour: Rate | None = None
    by_model: tuple[tuple[str, Rate], ...] = ()
    """(pattern on the GPU's name, rate of an hour), in the order of the plan."""
    kwh: Rate | None = None
    carbon_g_per_kwh: float | None = None
    grid_region: str | None = None
    """Region of the data centre, as the file of the grid's factors names it."""
    pue: float = 1.0
    """Power usage effectiveness of the data centre, at least 1."""

    def gpu(self, model: str | None) -> Rate | None:
        """Return the hourly rate of a GPU model: the first pattern that matches, else the general one."""
        for pattern, rate in self.by_model:
            if model is not None and fnmatchcase(model, pattern):
                return rate
        return self.gpu_hour


@dataclass(frozen=True, slots=True)
class Training:
    """What was planned to be done."""

    steps: int | None = None
    epochs: float | None = None
    model_parameters: float | None = None
    tokens: float | None = None
    gpus: int | None = None


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A run that the model comes from and whose logs are not given: its compute counts in the lineage."""

    name: str
    """Id or name of the run; where its logs are given after all, it counts once."""
    flop: float
    source: str
    """Where the figure is from: a report, a model card, the digest of an audit pack."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding that the owner accepts until a date."""

    code: str
    until: date
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class LockFile:
    """What stands beside a plan to show when it was agreed; read by ``model.lock``."""

    file: str
    content: bytes = field(repr=False)
    signature: bytes | None = field(default=None, repr=False)
    """Raw ed25519 signature over `content`, where there is one."""


@dataclass(frozen=True, slots=True)
class PlanSource:
    """The file that a plan was read from."""

    file: str
    sha256: str
    bytes: int
    text: str = field(repr=False)
    lock: LockFile | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What was agreed. Every part is optional; an empty plan is no plan."""

    title: str | None = None
    owner: str | None = None
    objective: str | None = None
    registered: datetime | None = None
    display_zone: str = "UTC"
    criteria: tuple[Criterion, ...] = ()
    budget: Budget = field(default_factory=Budget)
    rates: Rates = field(default_factory=Rates)
    training: Training = field(default_factory=Training)
    lineage: tuple[Ancestor, ...] = ()
    model: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    data_revisited: bool = False
    thresholds: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """(code, name of the threshold) -> value."""
    accepted: tuple[Accepted, ...] = ()
    source: PlanSource | None = None

    def amounts(self) -> list[tuple[str, str, Money]]:
        """Return (table, key, amount) of the budget and of all rates."""
        rates = self.rates
        hourly = [(key, getattr(rates, key)) for key in ("gpu_hour", "cpu_hour", "tpu_hour", "reserved_gpu_hour", "spot_gpu_hour", "kwh")]
        every = [*hourly, *(("by_model", rate) for _, rate in rates.by_model)]
        budget = [] if self.budget.money is None else [("budget", "money", self.budget.money)]
        return budget + [("rates", key, rate.price) for key, rate in every if rate is not None]

    @property
    def currency(self) -> str | None:
        """The one currency of all amounts, None where there are none."""
        return next((money.currency for _, _, money in self.amounts()), None)

    @property
    def given(self) -> bool:
        """Whether a plan was given at all."""
        return self.source is not None
