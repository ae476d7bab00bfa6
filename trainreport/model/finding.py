"""What a detector says: findings with their evidence, and one outcome for every code."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.money import Money

__all__ = ["Action", "Confidence", "Evidence", "Finding", "Impact", "Outcome", "Severity", "State", "ThresholdUsed", "Waste"]


class Severity(IntEnum):
    """How much it matters if it is true."""

    NOTE = 1
    MINOR = 2
    MAJOR = 3
    CRITICAL = 4

    @property
    def word(self) -> str:
        """The name in lower case, as the contracts have it."""
        return self.name.lower()


class Confidence(IntEnum):
    """How sure the finding is."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def word(self) -> str:
        """The name in lower case, as the contracts have it."""
        return self.name.lower()


class State(StrEnum):
    """How a detector ended."""

    FOUND = "found"
    CLEAR = "clear"
    NOT_APPLICABLE = "not-applicable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One measured number: what, how, from how many points, and where they stand."""

    statistic: str
    """What was measured, in words: ``rise of validation loss above its minimum``."""
    value: float
    unit: str
    """Canonical unit; ``1`` for a share or a plain number."""
    method: str
    """How: ``median of the last 5 % over the smoothed minimum``."""
    n: int
    """Number of points that the value rests on."""
    low: float | None = None
    """Lower end of the interval, in `unit`."""
    high: float | None = None
    from_step: int | None = None
    to_step: int | None = None
    from_time_s: float | None = None
    """Seconds since 1970 UTC."""
    to_time_s: float | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ThresholdUsed:
    """A limit as it was used for a finding."""

    value: float
    unit: str
    source: str
    why: str
    changed: bool = False
    """True where the plan moved it."""


@dataclass(frozen=True, slots=True)
class Waste:
    """What was spent for nothing, in physical units; money is put on it by ``decisions.impact``."""

    gpu_s: float | None = None
    """GPU-seconds."""
    steps: int | None = None
    joules: float | None = None
    share_of_run: float | None = None
    """Share (0..1) of the run's time that was spent for nothing, where GPU-seconds are not known."""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a finding costs."""

    money: Money | None
    delay_s: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """What to do about it, as an imperative sentence."""

    text: str
    owner: str
    """A role: ``ML engineer``."""
    effort: str
    """``an hour``, ``a day``."""
    reversible: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a detector saw."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    """One plain sentence with the measured number, for a person who has not seen the curve."""
    evidence: tuple[Evidence, ...]
    action: Action
    thresholds: Mapping[str, ThresholdUsed] = field(default_factory=dict)
    waste: Waste = field(default_factory=Waste)
    impact: Impact | None = None
    series: str | None = None
    phase: str | None = None
    device: str | None = None
    node: str | None = None
    fingerprint: str = ""
    """Stable over re-runs on the same evidence; set by ``detectors.run``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one detector ended on one run. Every code has one in every report."""

    code: str
    name: str
    state: State
    reason: str
    """One sentence: why it is clear, or what was missing."""
    findings: tuple[Finding, ...] = ()
