"""What a detector is: one class in one file, with its explanation, its limits and its check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, State, ThresholdUsed, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case
    from trainreport.model.curve import Curve

__all__ = ["Detector", "threshold"]


def threshold(default: float, *, unit: str, why: str, low: float, high: float, source: str) -> Any:
    """Declare a limit of a detector: a field of its frozen ``Thresholds``.

    Parameters
    ----------
    default : float
        In `unit`.
    unit : str
        ``share``, ``s``, ``evaluations``, …
    why : str
        One sentence: why this value.
    low, high : float
        The plan may move it within these, both included.
    source : str
        Where the value is from: a paper, another tool, or the benchmark that it was fitted on.
    """
    return field(default=default, metadata={"unit": unit, "why": why, "low": low, "high": high, "source": source})


class Detector(ABC):
    """Base of all detectors; the docstring of each is its explanation, in fixed sections.

    The sections are What it checks, Why it matters, How it decides, What to do, Limits, References.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    needs: ClassVar[tuple[str, ...]]
    """What must have been logged, in words."""
    Thresholds: ClassVar[type]
    """A frozen dataclass whose fields are made by `threshold`."""

    @abstractmethod
    def check(self, case: Case, limits: Any) -> Outcome:
        """Judge one run.

        Parameters
        ----------
        case : Case
        limits : Thresholds
            The detector's own, with the plan's changes.

        Returns
        -------
        Outcome
            Made by `found`, `clear` or `not_applicable`.
        """

    def found(self, *findings: Finding) -> Outcome:
        """Return the outcome of having found something."""
        return Outcome(self.code, self.name, State.FOUND, findings[0].message, findings)

    def clear(self, reason: str) -> Outcome:
        """Return the outcome of having looked and found nothing; `reason` has the measured number."""
        return Outcome(self.code, self.name, State.CLEAR, reason)

    def not_applicable(self, reason: str) -> Outcome:
        """Return the outcome of having too little to look at; `reason` says what was missing."""
        return Outcome(self.code, self.name, State.NOT_APPLICABLE, reason)

    def finding(
        self,
        message: str,
        *,
        evidence: tuple[Evidence, ...],
        action: Action,
        confidence: Confidence,
        limits: Any,
        severity: Severity | None = None,
        waste: Waste | None = None,
        curve: Curve | None = None,
    ) -> Finding:
        """Return a finding of this detector, with its limits written beside it."""
        return Finding(
            code=self.code,
            name=self.name,
            severity=self.severity if severity is None else severity,
            confidence=confidence,
            message=message,
            evidence=evidence,
            action=action,
            thresholds=_used(limits),
            waste=waste or Waste(),
            series=curve.series if curve else None,
            phase=curve.phase if curve else None,
            device=curve.device if curve else None,
            node=curve.node if curve else None,
        )


def _used(limits: Any) -> dict[str, ThresholdUsed]:
    return {
        item.name: ThresholdUsed(
            value=getattr(limits, item.name),
            unit=item.metadata["unit"],
            source=item.metadata["source"],
            why=item.metadata["why"],
            changed=getattr(limits, item.name) != item.default,
        )
        for item in fields(limits)
    }
