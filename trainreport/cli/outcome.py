"""The exit code of a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.decision import Verdict
from trainreport.model.finding import Severity
from trainreport.reports.exports.gate import accepted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.model.decision import Assessment
    from trainreport.model.finding import Finding

__all__ = ["exit_code"]


def exit_code(assessment: Assessment, fail_on: str | None) -> int:
    """Return 1 on no-go, not-yet or a finding at `fail_on` that nobody accepted; 3 on cannot-tell with a plan; else 0."""
    verdict = assessment.decision.verdict
    if verdict in (Verdict.NO_GO, Verdict.NOT_YET):
        return 1
    if fail_on is not None and any(
        finding.severity >= Severity[fail_on.upper()] and accepted(assessment, finding.code) is None for finding in _findings(assessment)
    ):
        return 1
    return 3 if verdict is Verdict.CANNOT_TELL and assessment.plan.given else 0


def _findings(assessment: Assessment) -> Iterator[Finding]:
    """Yield the findings of each run, and those of all runs together."""
    for run in assessment.runs:
        yield from run.findings
    if assessment.portfolio is not None:
        for outcome in assessment.portfolio.outcomes:
            yield from outcome.findings
