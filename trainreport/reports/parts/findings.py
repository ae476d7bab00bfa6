"""Findings as cards: what we saw, why it matters, what it costs, what to do, how we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Severity
from trainreport.reports import words
from trainreport.reports.blocks import Card, Cell, Column, Link, Paragraph, Part, Row, Section, State, Table, Term
from trainreport.reports.parts import explained
from trainreport.reports.retold import retold
from trainreport.reports.view import by_weight

if TYPE_CHECKING:
    from trainreport.model.finding import Evidence, Finding, ThresholdUsed
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["anchor", "build", "card", "cost_of", "severity_state"]

_MOST = 40
_RECORDS = tuple(f"TR{number}" for number in range(502, 508))


def build(view: View) -> Part:
    """Return the findings of the leading run; those over all runs stand with the runs."""
    found = {finding.fingerprint or str(id(finding)): finding for finding in by_weight(view.run.findings)}
    unique = list(found.values())
    if not unique:
        title = words.label("findings.none_leading" if view.several else "findings.none")
        blocks: list[Block] = [*_before(view, unique), Paragraph(words.label("findings.listed"))]
        return Part("findings", words.label("short.findings"), title, tuple(blocks), fresh=False)
    gaps = [finding for finding in unique if finding.code in _RECORDS and finding.severity <= Severity.MINOR]
    apart = [finding for finding in unique if finding not in gaps]
    blocks = [*_before(view, unique), *(card(view, finding) for finding in apart[:_MOST])]
    if len(apart) > _MOST:
        blocks.append(Paragraph(words.label("findings.more", n=len(apart) - _MOST), "quiet"))
    blocks += [_records(gaps)] if gaps else []
    return Part("findings", words.label("short.findings"), _title(unique), tuple(blocks), fresh=False)


def _before(view: View, findings: list[Finding]) -> list[Block]:
    """Return what a reader has to know first: that amounts do not add up, and where the findings over all runs stand."""
    priced = sum(finding.impact is not None and finding.impact.money is not None for finding in findings)
    said = [words.label("findings.overlap")] if priced > 1 else []
    n = len(view.over_all)
    if not n:
        return [Paragraph(text, "quiet") for text in said]
    said.append(words.counted("findings.over_all", n, severity=words.label(f"severity_of.{view.over_all[0].severity.word}")))
    return [Paragraph(" ".join(said), "quiet", link=Link(words.label("findings.with_runs"), "runs"))]


def _records(gaps: list[Finding]) -> Section:
    """Return what the records lack as one table, for each is told in a line."""
    rows = tuple(
        Row(
            (
                Cell("", state=severity_state(finding)),
                Cell(retold(finding.message), note=_about(finding)),
                Cell(_action(finding)),
            ),
            id=anchor(finding),
            confidence=finding.confidence,
        )
        for finding in gaps
    )
    columns = (
        Column(words.label("column.severity"), 0.8),
        Column(words.label("column.saw"), 3.4),
        Column(words.label("column.do"), 2.8),
    )
    return Section("records", words.counted("findings.records", len(gaps)), (Table(columns, rows, words.label("card.records")),))


def _about(finding: Finding) -> str:
    sure = words.label(f"confidence_of.{finding.confidence.word}")
    return f"{words.finding_name(finding.name)} · {finding.code} · {sure}"


def _title(findings: list[Finding]) -> str:
    top = findings[0].severity
    n = sum(finding.severity == top for finding in findings)
    if len(findings) == 1:
        return words.label(f"findings_title.single_{top.word}")
    which = "some" if n < len(findings) else "both" if n == 2 else "all"
    what = words.label(f"findings_title.{top.word}_{'one' if n == 1 else 'many'}")
    return words.label(f"findings_title.{which}", total=len(findings), n=n, what=what)


def severity_state(finding: Finding) -> State:
    """Return a severity as sign and word."""
    word = finding.severity.word
    return State(words.label(f"severity_sign.{word}"), words.label(f"severity.{word}"), words.label(f"severity_tone.{word}"))  # type: ignore[arg-type]


def card(view: View, finding: Finding) -> Card:
    """Return the card of a finding."""
    answers = [Term(words.label("card.why"), (retold(explained.why(finding.code)),))] if explained.why(finding.code) else []
    answers.append(Term(words.label("card.cost"), (cost_of(finding),)))
    answers.append(Term(words.label("card.do"), (_action(finding),)))
    details = [
        Term(
            words.label("card.how"),
            (*(_evidence(one) for one in finding.evidence[:6]), _known_from(finding)),
        )
    ]
    if finding.thresholds:
        details.append(Term(words.label("card.limits"), tuple(_limit(name, used) for name, used in finding.thresholds.items())))
    details.append(Term(words.label("card.wrong"), (words.label("card.dismiss", code=finding.code),)))
    return Card(
        id=anchor(finding),
        state=severity_state(finding),
        code=finding.code,
        name=words.finding_name(finding.name),
        where=_where(finding),
        message=retold(finding.message),
        confidence=finding.confidence,
        answers=tuple(answers),
        details=tuple(details),
    )


def anchor(finding: Finding) -> str:
    """Return the place of a finding in the document."""
    return f"f-{finding.fingerprint or finding.code}"


def _where(finding: Finding) -> str:
    phase = finding.phase if finding.phase and finding.phase != "system" else ""
    named = words.phase_series(finding.series, phase) if finding.series else phase
    return " · ".join(part for part in (named, finding.node, finding.device) if part)


def cost_of(finding: Finding) -> str:
    """Return what a finding costs, in words."""
    impact, waste = finding.impact, finding.waste
    if impact is not None and impact.text:
        return retold(impact.text)
    parts = [words.money(impact.money)] if impact is not None and impact.money is not None else []
    parts += [words.label("cost.gpu_time", hours=words.hours(waste.gpu_s / 3600))] if waste.gpu_s else []
    parts += [words.label("cost.steps", n=words.count(waste.steps))] if waste.steps else []
    parts += [words.energy(waste.joules / 3.6e6)] if waste.joules else []
    parts += [words.label("cost.share", share=words.share(waste.share_of_run))] if waste.share_of_run and not waste.gpu_s else []
    parts += [words.label("cost.delay", time=words.duration(impact.delay_s))] if impact is not None and impact.delay_s else []
    return f"{words.capital(' · '.join(parts))}." if parts else words.label("cost.none")


def _action(finding: Finding) -> str:
    action = finding.action
    back = "" if action.reversible else f" {words.label('findings.for_good')}"
    return f"{retold(action.text.rstrip('.') + '.')} {retold(words.capital(action.owner))}, {retold(action.effort)}.{back}"


def _evidence(one: Evidence) -> str:
    value = words.quantity(one.value, one.unit)
    if one.low is not None and one.high is not None:
        low, high = words.quantity(one.low, one.unit), words.quantity(one.high, one.unit)
        value += f" ({words.label('evidence.range', low=low, high=high)})"
    rest = [retold(words.capital(one.method)), f"n = {words.count(one.n)}"]
    if one.from_step is not None and one.to_step is not None:
        rest.append(words.label("evidence.steps", first=words.count(one.from_step), last=words.count(one.to_step)))
    elif one.from_step is not None:
        rest.append(words.label("evidence.step", step=words.count(one.from_step)))
    return f"{retold(words.capital(one.statistic))}: {value}. {words.capital('; '.join(part for part in rest if part))}."


def _known_from(finding: Finding) -> str:
    files = list(dict.fromkeys(words.short(one.file, 70) for one in finding.evidence[:6] if one.file))
    sure = words.label("evidence.confidence", word=words.label(f"confidence.{finding.confidence.word}"))
    return f"{sure} {words.label('evidence.files', files=words.joined(files, 3))}" if files else sure


def _limit(name: str, used: ThresholdUsed) -> str:
    changed = words.label("evidence.changed") if used.changed else ""
    return f"{name} = {words.quantity(used.value, used.unit)}{changed}; {retold(used.source.rstrip('.') + '.')}"
