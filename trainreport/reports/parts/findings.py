"""Findings as cards: what we saw, why it matters, what it costs, what to do, how we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import Severity
from trainreport.reports import words
from trainreport.reports.blocks import Card, Cell, Column, Link, Paragraph, Part, Row, Section, State, Table, Term
from trainreport.reports.parts import explained
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
        title = "No check found a fault in the leading run" if view.several else "No check found a fault"
        return Part("findings", "Findings", title, (*_before(view, unique), Paragraph("What was checked is listed below.")), fresh=False)
    gaps = [finding for finding in unique if finding.code in _RECORDS and finding.severity <= Severity.MINOR]
    apart = [finding for finding in unique if finding not in gaps]
    blocks: list[Block] = [*_before(view, unique), *(card(view, finding) for finding in apart[:_MOST])]
    if len(apart) > _MOST:
        blocks.append(Paragraph(f"And {len(apart) - _MOST} more of lower severity; “trainreport check --format json” lists all.", "quiet"))
    blocks += [_records(gaps)] if gaps else []
    return Part("findings", "Findings", _title(unique), tuple(blocks), fresh=False)


def _before(view: View, findings: list[Finding]) -> list[Block]:
    """Return what a reader has to know first: that amounts do not add up, and where the findings over all runs stand."""
    priced = sum(finding.impact is not None and finding.impact.money is not None for finding in findings)
    said = ["What two findings cost may be the same hours: the amounts do not add up."] if priced > 1 else []
    n = len(view.over_all)
    if not n:
        return [Paragraph(text, "quiet") for text in said]
    top = view.over_all[0].severity.word
    who = f"One more ({top}) is" if n == 1 else f"{n} more (up to {top}) are"
    said.append(f"{who} about all runs together and {'stands' if n == 1 else 'stand'}")
    return [Paragraph(" ".join(said), "quiet", link=Link("with the runs", "runs"))]


def _records(gaps: list[Finding]) -> Section:
    """Return what the records lack as one table, for each is told in a line."""
    rows = tuple(
        Row(
            (
                Cell("", state=severity_state(finding)),
                Cell(finding.message, note=f"{words.finding_name(finding.name)} · {finding.code} · {finding.confidence.word} confidence"),
                Cell(_action(finding)),
            ),
            id=anchor(finding),
        )
        for finding in gaps
    )
    columns = (Column("Severity", 0.8), Column("What we saw", 3.4), Column("What to do", 2.8))
    title = "One thing is missing from the records" if len(gaps) == 1 else f"{len(gaps)} things are missing from the records"
    return Section("records", title, (Table(columns, rows, words.label("card.records")),))


def _title(findings: list[Finding]) -> str:
    top = findings[0].severity
    n = sum(finding.severity == top for finding in findings)
    if len(findings) == 1:
        return f"One thing deserves attention; it is {'a note' if top.word == 'note' else top.word}"
    total = words.plural(len(findings), "thing").replace(words.GAP, " ")
    which = f"{n} of them" if n < len(findings) else "both" if n == 2 else "all"
    what = {"note": "as a note" if n == 1 else "as notes"}.get(top.word, top.word)
    return f"{total} deserve attention, {which} {what}"


def severity_state(finding: Finding) -> State:
    """Return a severity as sign and word."""
    word = finding.severity.word
    return State(words.label(f"severity_sign.{word}"), words.label(f"severity.{word}"), words.label(f"severity_tone.{word}"))  # type: ignore[arg-type]


def card(view: View, finding: Finding) -> Card:
    """Return the card of a finding."""
    answers = [Term(words.label("card.why"), (explained.why(finding.code),))] if explained.why(finding.code) else []
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
        message=finding.message,
        answers=tuple(answers),
        details=tuple(details),
    )


def anchor(finding: Finding) -> str:
    """Return the place of a finding in the document."""
    return f"f-{finding.fingerprint or finding.code}"


def _where(finding: Finding) -> str:
    named = [finding.phase if finding.phase != "system" else None, words.series_name(finding.series) if finding.series else None]
    return " · ".join(part for part in (" ".join(p for p in named if p), finding.node, finding.device) if part)


def cost_of(finding: Finding) -> str:
    """Return what a finding costs, in words."""
    impact, waste = finding.impact, finding.waste
    if impact is not None and impact.text:
        return impact.text
    parts = [words.money(impact.money)] if impact is not None and impact.money is not None else []
    parts += [f"{words.hours(waste.gpu_s / 3600)} of GPU time"] if waste.gpu_s else []
    parts += [f"{words.count(waste.steps)} steps"] if waste.steps else []
    parts += [words.energy(waste.joules / 3.6e6)] if waste.joules else []
    parts += [f"{words.share(waste.share_of_run)} of the run's time"] if waste.share_of_run and not waste.gpu_s else []
    parts += [f"{words.duration(impact.delay_s)} of delay"] if impact is not None and impact.delay_s else []
    return f"{words.capital(' · '.join(parts))}." if parts else "No direct cost was measured."


def _action(finding: Finding) -> str:
    action = finding.action
    back = "" if action.reversible else " Cannot be undone."
    return f"{action.text.rstrip('.')}. {words.capital(action.owner)}, {action.effort}.{back}"


def _evidence(one: Evidence) -> str:
    value = words.quantity(one.value, one.unit)
    if one.low is not None and one.high is not None:
        value += f" ({words.quantity(one.low, one.unit)} to {words.quantity(one.high, one.unit)})"
    rest = [f"{one.method}", f"n = {words.count(one.n)}"]
    if one.from_step is not None and one.to_step is not None:
        rest.append(f"steps {words.count(one.from_step)} to {words.count(one.to_step)}")
    elif one.from_step is not None:
        rest.append(f"step {words.count(one.from_step)}")
    return f"{words.capital(one.statistic)}: {value}. {words.capital('; '.join(part for part in rest if part))}."


def _known_from(finding: Finding) -> str:
    files = list(dict.fromkeys(words.short(one.file, 70) for one in finding.evidence[:6] if one.file))
    return f"Confidence: {finding.confidence.word}.{f' From {words.joined(files, 3)}.' if files else ''}"


def _limit(name: str, used: ThresholdUsed) -> str:
    changed = ", changed in the plan" if used.changed else ""
    return f"{name} = {words.quantity(used.value, used.unit)}{changed}; {used.source.rstrip('.')}."
