"""Page 1: the sponsor's page, alone printable, understood in a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Badge, Cell, Column, Figures, Headline, Link, Masthead, Paragraph, Part, Row, Section, State, Table
from trainreport.reports.parts import charts, coverage, forecast, key_figures
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.model.decision import Option
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build", "verdict_state"]

_UNKNOWN = "not known:"
"""What the basis of a figure begins with that the ledger could not find; written by ``business``."""


def build(view: View) -> Part:
    """Return the sponsor's page."""
    decision = view.assessment.decision
    blocks: list[Block] = [
        _masthead(view),
        Badge(verdict_state(decision.verdict.value)),
        Headline(retold(decision.headline)),
        Paragraph(retold(decision.lead), "lead"),
        key_figures.build(view),
    ]
    drawn = charts.build(view)
    blocks += [Figures(drawn)] if drawn else [Paragraph(words.label("page_1.no_chart"), "quiet")]
    blocks += _options(view)
    blocks.append(_how_sure(view))
    return Part("decision", words.label("short.decision"), retold(decision.headline), tuple(blocks), fresh=False)


def verdict_state(verdict: str) -> State:
    """Return a verdict as sign and word."""
    tone = words.label(f"verdict_tone.{verdict}")
    return State(words.label(f"verdict_sign.{verdict}"), words.label(f"verdict.{verdict}"), tone)  # type: ignore[arg-type]


def _masthead(view: View) -> Masthead:
    when = view.when(view.ended_at) if view.ended_at else words.label("masthead.no_end")
    if view.plan.owner:
        return Masthead(words.label("masthead.with_plan"), view.plan.owner, when)
    name = words.label("masthead.runs", n=len(view.assessment.runs)) if view.several else words.short(view.run.log.run.name, 70)
    return Masthead(words.label("masthead.without"), name, when)


def _options(view: View) -> list[Block]:
    options = view.assessment.decision.options
    if not options:
        step = words.label(f"next_step.{view.assessment.decision.next_step.value}")
        return [Paragraph(f"{words.capital(step)}.", strong=words.label("page_1.next_step"))]
    goal = view.deciding
    chance = words.label("column.chance_of", limit=goal.texts()[1]) if goal else words.label("column.chance")
    columns = (
        Column(words.label("column.option"), 1.7),
        Column(words.label("column.does"), 3.1),
        Column(words.label("column.costs"), 1.35, "right"),
        Column(chance, 1.25, "right"),
        Column(words.label("column.who"), 1.3),
    )
    return [Section("options", words.label("page_1.decide"), (Table(columns, tuple(_option(option) for option in options)),))]


def _option(option: Option) -> Row:
    note = words.label("page_1.recommended") if option.recommended else "" if option.advised else words.label("page_1.not_advised")
    cost = words.money(option.cost) if option.cost is not None else retold(option.cost_note) or words.label("state.not_known")
    extra = retold(option.cost_note) if option.cost is not None else ""
    cells = (
        Cell(retold(option.title), note=note, strong=option.recommended),
        Cell(retold(option.does)),
        Cell(cost, note=extra),
        Cell(retold(option.chance)),
        Cell(retold(option.who) or "–"),
    )
    return Row(cells, mark=option.recommended)


def _how_sure(view: View) -> Paragraph:
    parts = [_confidence(view), forecast.sentence(view), _basis(view), coverage.on_page_1(view)]
    several = len([part for part in parts if part])
    tail = _tail(view)
    return Paragraph(
        " ".join([part for part in parts if part] + [tail]) if several else tail,
        "quiet",
        words.label("page_1.how_sure"),
        Link(words.label("page_1.at_end"), "sign"),
    )


def _tail(view: View) -> str:
    """Return where the evidence stands, and who decides."""
    if view.audience == "sponsor":
        return words.label("page_1.tail_alone")
    return words.label("page_1.tail" if view.shows("findings") else "page_1.tail_part")


def _confidence(view: View) -> str:
    refs = {reason.ref for reason in view.assessment.decision.reasons}
    named = [finding for finding in view.run.findings if finding.code in refs] or list(view.run.findings[:1])
    if not named:
        return words.label("page_1.no_fault")
    said = [
        words.label("page_1.with", finding=words.finding_name(finding.name), sure=words.label(f"confidence_with.{finding.confidence.word}"))
        for finding in named[:3]
    ]
    return words.label("page_1.found", findings=words.joined(said))


def _basis(view: View) -> str:
    basis = view.ledger.basis.get("cost", "").rstrip(".")
    if basis.startswith(_UNKNOWN):
        return words.label("page_1.no_cost", why=retold(basis.removeprefix(_UNKNOWN).strip()))
    return words.label("page_1.cost", basis=retold(basis)) if basis else ""
