"""Findings and decision for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model import words
from trainreport.model.decision import Verdict
from trainreport.model.finding import Severity, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.model.decision import Assessment, CriterionResult, Decision, RunAssessment
    from trainreport.model.finding import Finding

__all__ = ["SIGNS", "render"]

_WIDTH = 96
_LISTED = 20
"""Runs beside the leading one that are listed."""
SIGNS = {
    Verdict.GO: "✓ Go",
    Verdict.GO_WITH_CONDITIONS: "✓ Go, with conditions",
    Verdict.NOT_YET: "… Not yet",
    Verdict.NO_GO: "■ No-go",
    Verdict.CANNOT_TELL: "? Cannot tell",
}
_STATES = {"met": "✓ met", "missed": "✕ missed", "not-measured": "? not measured"}


def render(assessment: Assessment) -> str:
    """Return the text, with a line end: the decision, all runs together, the leading run in full, the others in short."""
    blocks = [_decision(assessment.decision)]
    if assessment.portfolio is not None:
        together = [finding for outcome in assessment.portfolio.outcomes for finding in outcome.findings]
        if together:
            blocks.append("\n".join(["All runs together", *_findings(together)]))
    several = len(assessment.runs) > 1
    blocks.append(_run(assessment.leading, leads=several))
    if several:
        blocks.append(_others([run for run in assessment.runs if run is not assessment.leading]))
    if assessment.skipped:
        blocks.append(_skipped(assessment))
    return "\n\n".join(blocks) + "\n"


def _others(runs: list[RunAssessment]) -> str:
    lines = ["The other runs (all of them: --format json)"]
    for one in runs[:_LISTED]:
        criteria = [f"{result.id} {words.number(result.value)}" for result in one.criteria if result.value is not None]
        grave = [f"{finding.code} {finding.name}" for finding in one.findings if finding.severity >= Severity.MAJOR]
        minor = len({finding.code for finding in one.findings if finding.severity < Severity.MAJOR})
        rest = [f"{words.plural(minor, 'smaller finding')}"] if minor else []
        told = [_head(one), f"{SIGNS[one.decision.verdict]} (rule {one.decision.rule})", *criteria, *dict.fromkeys(grave), *rest]
        lines += _wrapped(" · ".join(told), indent=2, hang=2)
    return "\n".join(lines + ([f"  … and {len(runs) - _LISTED:,} more"] if len(runs) > _LISTED else []))


def _head(one: RunAssessment) -> str:
    """Return name, id where it is another, and what the run took."""
    run = one.log.run
    took = (
        words.duration(one.ledger.wall_s) if one.ledger.wall_s is not None else "",
        f"{words.hours(one.ledger.gpu_hours)} of GPU" if one.ledger.gpu_hours is not None else "",
        words.money(one.ledger.cost) if one.ledger.cost is not None else "",
    )
    name = run.name + (f" [{run.id}]" if run.id != run.name else "")
    return " · ".join([name, *(text for text in took if text)])


def _decision(decision: Decision) -> str:
    lines = [
        f"{SIGNS[decision.verdict]} · next: {decision.next_step.value.replace('-', ' ')} (rule {decision.rule})",
        decision.headline,
        "",
        *_wrapped(decision.lead),
    ]
    if decision.conditions:
        lines += ["", *(line for condition in decision.conditions for line in _wrapped(f"- {condition}", hang=2))]
    lines += ["", *_wrapped(f"What would change it: {decision.what_would_change_it}")]
    return "\n".join(lines)


def _run(one: RunAssessment, *, leads: bool) -> str:
    lines = [f"{'Leading run' if leads else 'Run'} {_head(one)}"]
    lines += [f"  {_criterion(result)}" for result in one.criteria]
    lines += _findings(one.findings)
    if one.ledger.forecast is not None and one.ledger.forecast.probability is not None:
        lines += _wrapped(
            f"forecast: {words.share(one.ledger.forecast.probability)} chance of the target; {one.ledger.basis['forecast']}", indent=2
        )
    not_judged = [outcome.code for outcome in one.outcomes if outcome.state in (State.NOT_APPLICABLE, State.FAILED)]
    clear = [outcome.code for outcome in one.outcomes if outcome.state is State.CLEAR]
    if clear:
        lines += _wrapped(f"clear: {', '.join(clear)}", indent=2, hang=2)
    if not_judged:
        lines += _wrapped(f"not judged: {', '.join(not_judged)} (why: --format json)", indent=2, hang=2)
    lines += [f"  could not read: {problem.file} {problem.place}: {problem.what}" for problem in one.log.problems[:5]]
    if len(one.log.problems) > 5:
        lines.append(f"  … and {len(one.log.problems) - 5:,} more")
    return "\n".join(lines)


def _criterion(result: CriterionResult) -> str:
    value = "" if result.value is None else f" {words.number(result.value)},"
    return f"{_STATES[result.state]}: {result.id}{value} agreed {result.comparator} {words.number(result.threshold)} · {result.reason}"


def _findings(findings: Iterable[Finding]) -> list[str]:
    """Return the lines of grave findings, each with what to do, then one line for each of the others."""
    every = sorted(findings, key=lambda one: -one.severity)
    grave = [line for one in every if one.severity >= Severity.MAJOR for line in _finding(one)]
    return grave + [line for one in every if one.severity < Severity.MAJOR for line in _in_short(one)]


def _in_short(finding: Finding) -> list[str]:
    where = f" on {finding.device}" if finding.device else ""
    cost = finding.impact.money if finding.impact is not None else None
    price = f" ({words.money(cost)})" if cost is not None else ""
    return _wrapped(f"{finding.code} {finding.name}{where} · {finding.severity.word}: {finding.message}{price}", indent=2, hang=2)


def _finding(finding: Finding) -> list[str]:
    where = f" on {finding.device}" if finding.device else ""
    head = f"  {finding.code} {finding.name}{where} · {finding.severity.word}, {finding.confidence.word} confidence"
    lines = [head, *_wrapped(finding.message, indent=4)]
    if finding.impact is not None and finding.impact.text:
        lines.append(f"    costs: {finding.impact.text}")
    return [*lines, *_wrapped(f"do: {finding.action.text} ({finding.action.owner}, {finding.action.effort})", indent=4)]


def _skipped(assessment: Assessment) -> str:
    shown = [f"  {one.path}: {one.reason}" for one in assessment.skipped[:8]]
    more = len(assessment.skipped) - len(shown)
    return "\n".join(["Not read", *shown, *([f"  … and {more:,} more"] if more > 0 else [])])


def _wrapped(text: str, *, indent: int = 0, hang: int = 0) -> list[str]:
    return words.wrapped(text, _WIDTH, " " * indent, " " * (indent + hang))
