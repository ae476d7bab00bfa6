"""What was judged and recommended, and the assessment that every output is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from trainreport.model.case import Family
from trainreport.model.ledger import Course

if TYPE_CHECKING:
    from datetime import datetime

    from trainreport.model.finding import Finding, Outcome
    from trainreport.model.ledger import Ledger
    from trainreport.model.money import Money
    from trainreport.model.plan import Plan
    from trainreport.model.redaction import Redaction
    from trainreport.model.run import RunLog

__all__ = [
    "Assessment",
    "Checkpoint",
    "CriterionResult",
    "CriterionState",
    "Decision",
    "NextStep",
    "Option",
    "Portfolio",
    "Reason",
    "RunAssessment",
    "Skipped",
    "Verdict",
]


class Verdict(StrEnum):
    """Answers: may this model go to evaluation."""

    GO = "go"
    GO_WITH_CONDITIONS = "go-with-conditions"
    NOT_YET = "not-yet"
    NO_GO = "no-go"
    CANNOT_TELL = "cannot-tell"


class NextStep(StrEnum):
    """What to do next."""

    PROCEED = "proceed-to-evaluation"
    CONTINUE = "continue-training"
    TUNE = "tune"
    DATA = "return-to-data-preparation"
    BUSINESS = "revisit-business-requirements"
    PAUSE = "pause"
    STOP = "stop"
    COLLECT = "collect-evidence"


CriterionState = Literal["met", "missed", "not-measured"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The point of training at which a run is judged."""

    step: int
    epoch: float | None
    time_s: float | None
    """Seconds since 1970 UTC."""
    series: str
    phase: str
    value: float
    last_step: int
    """Last step of the same series, so that it is known how much came after."""
    evaluations: int
    """Number of evaluations that it is the best of."""

    @property
    def share(self) -> float:
        """Share (0..1) of the run's steps at which it stands."""
        return self.step / self.last_step if self.last_step > 0 else 1.0


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion of the plan, judged."""

    id: str
    state: CriterionState
    value: float | None
    """In the unit of the threshold."""
    threshold: float
    comparator: str
    step: int | None
    reason: str
    mandatory: bool
    confirmed: bool = True
    """False where a single evaluation meets it and the median of it and its neighbours does not."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for or against, with the code or criterion it rests on."""

    ref: str
    supports: bool
    """True where it speaks for going on to evaluation."""
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """One of the courses that the sponsor is asked to choose from."""

    title: str
    """``Return to data preparation``."""
    does: str
    """What it does, in a few words."""
    cost: Money | None
    cost_note: str
    """What comes on top, or why the price is not known; may be empty."""
    chance: str
    """Chance of reaching the target: ``not known yet``, ``low``, ``< 1 %``."""
    who: str
    recommended: bool = False
    advised: bool = True
    """False for a course that is listed to say that it is not advised."""
    saves: Money | None = None
    """What it saves of the cost of this run; None where it is not known, or saves none."""
    saves_note: str = ""
    """Between what and what that lies; may be empty."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A recommendation; a person signs."""

    verdict: Verdict
    next_step: NextStep
    headline: str
    """What to do, as an imperative sentence."""
    lead: str
    """What happened, why, what next: at most four plain sentences."""
    reasons: tuple[Reason, ...]
    conditions: tuple[str, ...]
    what_would_change_it: str
    rule: int
    options: tuple[Option, ...] = ()
    what_ifs: tuple[Option, ...] = ()
    """What would cost less, each with its price, where the evidence supports it."""


@dataclass(frozen=True, slots=True, eq=False)
class RunAssessment:
    """One run, judged."""

    log: RunLog
    ledger: Ledger
    outcomes: tuple[Outcome, ...]
    criteria: tuple[CriterionResult, ...]
    best: Checkpoint | None
    decision: Decision
    course: Course = field(default_factory=Course)
    """What it took up to its marks, and will have taken at its end."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, gravest first, then by code."""
        found = [finding for outcome in self.outcomes for finding in outcome.findings]
        return tuple(sorted(found, key=lambda f: (-f.severity, f.code, f.node or "", f.device or "")))


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Portfolio:
    """What several runs say together."""

    runs: int
    best_run: str | None
    total: Ledger
    """What all runs took together: hours and money added up, time in which runs overlapped counted once."""
    outcomes: tuple[Outcome, ...] = ()
    family: Family = field(default_factory=Family)
    """What each run says to the others."""

    @property
    def spent(self) -> Money | None:
        """What all runs cost together."""
        return self.total.cost


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """Everything that was found and decided: what every output is made from."""

    runs: tuple[RunAssessment, ...]
    decision: Decision
    portfolio: Portfolio | None
    plan: Plan
    inputs_digest: str
    version: str
    skipped: tuple[Skipped, ...] = ()
    as_of: datetime | None = None
    """What stands for now: given by the user, else the last time in the logs."""
    redaction: Redaction | None = None
    """What was removed from the logs before they were judged; None where nothing was asked to be."""

    @property
    def leading(self) -> RunAssessment:
        """The run that the decision is about: the one with the best checkpoint."""
        if self.portfolio is not None and self.portfolio.best_run is not None:
            return next(run for run in self.runs if run.log.run.id == self.portfolio.best_run)
        return self.runs[0]
