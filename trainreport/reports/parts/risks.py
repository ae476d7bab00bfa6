"""The register of risks for those who manage: what was found, what it costs, what to do, who, how much work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Severity
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Table
from trainreport.reports.exports.gate import accepted
from trainreport.reports.parts.findings import anchor, cost_of, severity_state
from trainreport.reports.retold import retold
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
        text = Paragraph(words.label("risks.none_text"))
        return Part("risks", words.label("short.risks"), words.label("risks.none"), (text,), fresh=False)
    columns = (
        Column(words.label("column.severity"), 0.95),
        Column(words.label("column.risk"), 3.0),
        Column(words.label("column.costs_it"), 1.6),
        Column(words.label("column.do"), 2.3),
        Column(words.label("column.who_effort"), 1.25),
    )
    note = words.label("findings.overlap")
    note += f" {words.label('more.any', n=len(rows) - _MOST)}" if len(rows) > _MOST else ""
    table = Table(columns, tuple(rows[:_MOST]), note if len(rows) > 1 else "")
    return Part(
        "risks",
        words.label("short.risks"),
        _title([*own, *(one for same in others.values() for _, one in same[:1])]),
        (table,),
        fresh=False,
    )


def _grave(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    found = {finding.fingerprint or str(id(finding)): finding for finding in by_weight(findings) if finding.severity >= Severity.MAJOR}
    return tuple(found.values())


def _title(findings: list[Finding]) -> str:
    counts = [(level, sum(one.severity is level for one in findings)) for level in (Severity.CRITICAL, Severity.MAJOR)]
    said = [f"{n} {words.label(f'severity_of.{level.word}')}" for level, n in counts if n]
    return words.label("risks.title", counts=words.joined(said))


def _where(same: list[tuple[str, Finding]]) -> str:
    names = list(dict.fromkeys(words.short(name, 40) for name, _ in same))
    where = words.label("risks.in_one", name=names[0])
    return f" · {where if len(names) == 1 else words.label('risks.in_many', n=len(names), names=words.joined(names, 2))}"


def _row(view: View, finding: Finding, where: str) -> Row:
    action = finding.action
    agreed = accepted(view.assessment, finding.code)
    until = words.label("risks.accepted", who=agreed.who, until=agreed.until.isoformat(), why=agreed.why) if agreed else ""
    back = "" if action.reversible else f" {words.label('findings.for_good')}"
    return Row(
        (
            Cell("", state=severity_state(finding)),
            Cell(retold(finding.message), note=f"{words.finding_name(finding.name)} · {finding.code}{where}", link=anchor(finding)),
            Cell(cost_of(finding)),
            Cell(f"{retold(action.text.rstrip('.') + '.')}{back}", note=until),
            Cell(retold(words.capital(action.owner)), note=retold(action.effort)),
        )
    )
