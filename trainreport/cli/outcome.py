"""The exit code of a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.decision import Verdict
from trainreport.model.finding import Severity

if TYPE_CHECKING:
    from trainreport.model.decision import Assessment

__all__ = ["exit_code"]


def exit_code(assessment: Assessment, fail_on: str | None) -> int:
    """Return 1 on no-go, not-yet or a finding at `fail_on` that nobody accepted; 3 on cannot-tell with a plan; else 0."""
    verdict = assessment.decision.verdict
    if verdict in (Verdict.NO_GO, Verdict.NOT_YET):
        return 1
    if fail_on is not None and any(
        finding.severity >= Severity[fail_on.upper()] and not _accepted(assessment, finding.code)
        for run in assessment.runs
        for finding in run.findings
    ):
        return 1
    return 3 if verdict is Verdict.CANNOT_TELL and assessment.plan.given else 0


def _accepted(assessment: Assessment, code: str) -> bool:
    return any(one.code == code and (assessment.as_of is None or assessment.as_of.date() <= one.until) for one in assessment.plan.accepted)
