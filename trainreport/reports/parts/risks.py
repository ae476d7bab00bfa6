"""The register of risks for those who manage: what was found, what it costs, what to do, who, how much work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Severity
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Table
from trainreport.reports.exports.gate import accepted
from trainreport.reports.parts.findings import anchor, cost_of, severity_state
from trainreport.reports.view import by_weight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.model.finding import Finding
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST = 40


def build(view: View) -> Part:
    """Return the findings of major severity and above as one table; those of other runs once a kind."""
    own = _grave((*view.run.findings, *view.over_all))
    known = {finding.code for finding in own}
    others: dict[str, list[tuple[str, Finding]]] = {}
    for run in view.assessment.runs:
        for finding in _grave(run.findings) if run is not view.run else ():
            if finding.code not in known:
                others.setdefault(finding.code, []).append((run.log.run.name, finding))
    rows = [_row(view, finding, "") for finding in own]
    rows += [_row(view, by_weight(one for _, one in same)[0], _where(same)) for _, same in sorted(others.items())]
    if not rows:
        text = "No finding is major or critical. What was checked, and what could not be, stands under Coverage in the full report."
        return Part("risks", "Risks", "Risks and who acts: none of weight was found", (Paragraph(text),), fresh=False)
    columns = (
        Column("Severity", 0.95),
        Column("Risk", 3.0),
        Column("What it costs", 1.6),
        Column("What to do", 2.3),
        Column("Who, effort", 1.25),
    )
    note = "What two findings cost may be the same hours: the amounts do not add up."
    note += f" And {len(rows) - _MOST} more." if len(rows) > _MOST else ""
    table = Table(columns, tuple(rows[:_MOST]), note if len(rows) > 1 else "")
    return Part("risks", "Risks", _title([*own, *(one for same in others.values() for _, one in same[:1])]), (table,), fresh=False)


def _grave(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    found = {finding.fingerprint or str(id(finding)): finding for finding in by_weight(findings) if finding.severity >= Severity.MAJOR}
    return tuple(found.values())


def _title(findings: list[Finding]) -> str:
    counts = [(level, sum(one.severity is level for one in findings)) for level in (Severity.CRITICAL, Severity.MAJOR)]
    said = [f"{n} {level.word}" for level, n in counts if n]
    return f"Risks and who acts: {words.joined(said)}"


def _where(same: list[tuple[str, Finding]]) -> str:
    names = list(dict.fromkeys(words.short(name, 40) for name, _ in same))
    return f" · in {names[0]}" if len(names) == 1 else f" · in {len(names)} other runs: {words.joined(names, 2)}"


def _row(view: View, finding: Finding, where: str) -> Row:
    action = finding.action
    agreed = accepted(view.assessment, finding.code)
    until = f"Accepted by {agreed.who} until {agreed.until.isoformat()}: {agreed.why}" if agreed else ""
    back = "" if action.reversible else " Cannot be undone."
    return Row(
        (
            Cell("", state=severity_state(finding)),
            Cell(finding.message, note=f"{words.finding_name(finding.name)} · {finding.code}{where}", link=anchor(finding)),
            Cell(cost_of(finding)),
            Cell(f"{action.text.rstrip('.')}.{back}", note=until),
            Cell(words.capital(action.owner), note=action.effort),
        )
    )
