"""What every part of a report asks of an assessment, worked out once."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from trainreport.model.case import HELD_OUT, Case
from trainreport.reports import words
from trainreport.reports.audience import AUDIENCES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from trainreport.model.curve import Curve
    from trainreport.model.decision import Assessment, Checkpoint, CriterionResult, RunAssessment
    from trainreport.model.finding import Finding
    from trainreport.model.ledger import Forecast, Ledger
    from trainreport.model.money import Money
    from trainreport.model.plan import Criterion, Plan

__all__ = ["Goal", "View", "by_weight"]

_STOPPED_BEFORE = 0.95  # a best checkpoint later than this is the end of the run, for the reader


@dataclass(frozen=True, slots=True)
class Goal:
    """A criterion with how it ended."""

    criterion: Criterion
    result: CriterionResult

    @property
    def shares(self) -> bool:
        """Whether its numbers are shares of 1, to be read as percent."""
        named = self.criterion.unit == "share"
        return named or (self.criterion.unit == "as logged" and words.is_share(self.criterion.series, abs(self.criterion.threshold)))

    @property
    def percent(self) -> bool:
        """Whether its numbers are written in percent."""
        return self.shares or self.criterion.unit == "percent"

    def texts(self) -> tuple[str, str]:
        """Return value and threshold in words, told apart by their digits."""
        scale = 0.01 if self.criterion.unit == "percent" else 1.0
        limit = self.result.threshold * scale
        if self.result.value is None:
            return words.label("criterion.not-measured"), self._one(limit)
        return words.pair(self.result.value * scale, limit, shares=self.percent)

    def drawn(self, value: float) -> float:
        """Return a value of the criterion as it stands in a curve of shares."""
        return value / 100 if self.criterion.unit == "percent" else value

    def said(self, value: float) -> str:
        """Return another value of the same measure in words, such as its baseline."""
        return self._one(self.drawn(value))

    def _one(self, value: float) -> str:
        return words.share(value) if self.percent else words.number(value)


def by_weight(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity, then by what they cost, then by code."""

    def cost(finding: Finding) -> Decimal:
        money = finding.impact.money if finding.impact is not None else None
        return Decimal(0) if money is None else money.amount

    return tuple(sorted(findings, key=lambda one: (-one.severity, -cost(one), one.code, one.node or "", one.device or "")))


@dataclass(frozen=True, eq=False)
class View:
    """An assessment, seen from the run that leads it."""

    assessment: Assessment
    audience: str = "all"
    """One of `AUDIENCES`."""
    run: RunAssessment = field(init=False)
    case: Case = field(init=False)

    def __post_init__(self) -> None:
        run = self.assessment.leading
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "case", Case(run.log, self.assessment.plan, run.ledger))

    def shows(self, part: str) -> bool:
        """Return whether a part stands in the report for this audience."""
        return part in AUDIENCES[self.audience]

    @property
    def plan(self) -> Plan:
        """The plan; an empty one where none was given."""
        return self.assessment.plan

    @property
    def ledger(self) -> Ledger:
        """What the leading run took."""
        return self.run.ledger

    @property
    def best(self) -> Checkpoint | None:
        """The checkpoint that the leading run is judged at."""
        return self.run.best

    @property
    def several(self) -> bool:
        """Whether there are several runs."""
        return len(self.assessment.runs) > 1

    @cached_property
    def ended_at(self) -> datetime | None:
        """The last sign of life of any run."""
        ends = [one.log.run.ended_at or one.log.run.started_at for one in self.assessment.runs]
        known = [end for end in ends if end is not None]
        return max(known) if known else None

    @property
    def total(self) -> Ledger:
        """What all runs took together, which is what the budget covers."""
        return self.ledger if self.assessment.portfolio is None else self.assessment.portfolio.total

    @property
    def spent(self) -> Money | None:
        """What all runs cost together."""
        return self.total.cost

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """The criteria of the plan with their results, in the plan's order."""
        results = {result.id: result for result in self.run.criteria}
        return tuple(Goal(criterion, results[criterion.id]) for criterion in self.plan.criteria if criterion.id in results)

    @cached_property
    def deciding(self) -> Goal | None:
        """The criterion that decides: the first mandatory one missed, else not measured, else the first."""
        order = {"missed": 0, "not-measured": 1, "met": 2}
        ranked = sorted(self.goals, key=lambda goal: (not goal.criterion.mandatory, order[goal.result.state]))
        return ranked[0] if ranked else None

    @cached_property
    def foretold(self) -> tuple[Goal, Forecast] | None:
        """The forecast of the leading run, and the criterion that it is of; None where nothing is foretold."""
        forecast = self.ledger.forecast
        goal = next((goal for goal in self.goals if forecast is not None and goal.criterion.id == forecast.criterion), None)
        return None if forecast is None or goal is None else (goal, forecast)

    @cached_property
    def over_all(self) -> tuple[Finding, ...]:
        """What several runs show together, gravest and dearest first."""
        portfolio = self.assessment.portfolio
        return by_weight(finding for outcome in (portfolio.outcomes if portfolio else ()) for finding in outcome.findings)

    @cached_property
    def progress(self) -> Curve | None:
        """The curve that the decision rests on: of the deciding criterion, the best checkpoint, or any held-out one."""
        named = [(self.deciding.criterion.series, self.deciding.criterion.phase)] if self.deciding else []
        named += [(self.best.series, self.best.phase)] if self.best else []
        named += [(series, phase) for series in self.case.quality_series()[::-1] for phase in HELD_OUT]
        named += [(series, "train") for series in self.case.training_series()]
        found = (self.case.curve(series, phase) for series, phase in named)
        return next((curve for curve in found if curve is not None and len(curve)), None)

    @cached_property
    def best_share(self) -> float | None:
        """Share of the run's time, else of its steps, at which the best checkpoint stands."""
        if self.best is None:
            return None
        start, wall = self.run.log.run.started_at, self.ledger.wall_s
        if self.best.time_s is not None and start is not None and wall:
            return min(max((self.best.time_s - start.timestamp()) / wall, 0.0), 1.0)
        return self.best.share

    @property
    def stopped_improving(self) -> bool:
        """Whether the best checkpoint lies clearly before the end."""
        return self.best is not None and self.best.share < _STOPPED_BEFORE

    @cached_property
    def after_best(self) -> Money | None:
        """What the leading run cost after its best checkpoint, its cost spread evenly over its time."""
        if self.ledger.cost is None or self.best_share is None or not self.stopped_improving:
            return None
        return self.ledger.cost.times(round(1.0 - self.best_share, 6))

    def when(self, moment: datetime | None) -> str:
        """Return a moment in words, in the plan's zone."""
        return words.label("status.unknown") if moment is None else words.moment(moment, self.plan.display_zone)
