"""Page 1: the sponsor's page, alone printable, understood in a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Badge, Cell, Column, Figures, Headline, Link, Masthead, Paragraph, Part, Row, Section, State, Table
from trainreport.reports.parts import charts, coverage, forecast, key_figures

if TYPE_CHECKING:
    from trainreport.model.decision import Option
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build", "verdict_state"]


def build(view: View) -> Part:
    """Return the sponsor's page."""
    decision = view.assessment.decision
    blocks: list[Block] = [
        _masthead(view),
        Badge(verdict_state(decision.verdict.value)),
        Headline(decision.headline),
        Paragraph(decision.lead, "lead"),
        key_figures.build(view),
    ]
    drawn = charts.build(view)
    blocks += [Figures(drawn)] if drawn else [Paragraph("No chart: the logs hold no curve of the model's quality and no cost.", "quiet")]
    blocks += _options(view)
    blocks.append(_how_sure(view))
    return Part("decision", "Decision", decision.headline, tuple(blocks), fresh=False)


def verdict_state(verdict: str) -> State:
    """Return a verdict as sign and word."""
    tone = words.label(f"verdict_tone.{verdict}")
    return State(words.label(f"verdict_sign.{verdict}"), words.label(f"verdict.{verdict}"), tone)  # type: ignore[arg-type]


def _masthead(view: View) -> Masthead:
    when = view.when(view.ended_at) if view.ended_at else "end of training not recorded"
    if view.plan.owner:
        return Masthead(words.label("masthead.with_plan"), view.plan.owner, when)
    name = f"{len(view.assessment.runs)} runs" if view.several else words.short(view.run.log.run.name, 70)
    return Masthead(words.label("masthead.without"), name, when)


def _options(view: View) -> list[Block]:
    options = view.assessment.decision.options
    if not options:
        step = words.label(f"next_step.{view.assessment.decision.next_step.value}")
        return [Paragraph(f"{words.capital(step)}.", strong="Next step:")]
    goal = view.deciding
    chance = f"Chance of {goal.texts()[1]}" if goal else "Chance"
    columns = (
        Column("Option", 1.7),
        Column("What it does", 3.1),
        Column("Costs", 1.35, "right"),
        Column(chance, 1.25, "right"),
        Column("Who", 1.3),
    )
    return [Section("options", "What we ask you to decide", (Table(columns, tuple(_option(option) for option in options)),))]


def _option(option: Option) -> Row:
    note = "recommended" if option.recommended else "" if option.advised else "not advised"
    cost = words.money(option.cost) if option.cost is not None else option.cost_note or "not known"
    extra = option.cost_note if option.cost is not None else ""
    cells = (
        Cell(option.title, note=note, strong=option.recommended),
        Cell(option.does),
        Cell(cost, note=extra),
        Cell(option.chance),
        Cell(option.who or "–"),
    )
    return Row(cells, mark=option.recommended)


def _how_sure(view: View) -> Paragraph:
    parts = [_confidence(view), forecast.sentence(view), _basis(view), coverage.on_page_1(view)]
    several = len([part for part in parts if part])
    tail = _tail(view)
    return Paragraph(
        " ".join([part for part in parts if part] + [tail]) if several else tail, "quiet", "How sure is this?", Link("at the end", "sign")
    )


def _tail(view: View) -> str:
    """Return where the evidence stands, and who decides."""
    if view.audience == "sponsor":
        return "This is a recommendation; its evidence, and the line to sign, stand in the full report. A person decides"
    where = "the pages that follow" if view.shows("findings") else "the pages that follow and in the full report"
    return f"This is a recommendation with its evidence on {where}; a person decides and signs"


def _confidence(view: View) -> str:
    refs = {reason.ref for reason in view.assessment.decision.reasons}
    named = [finding for finding in view.run.findings if finding.code in refs] or list(view.run.findings[:1])
    if not named:
        return "No check found a fault."
    said = [f"{words.finding_name(finding.name)} with {finding.confidence.word} confidence" for finding in named[:3]]
    return f"Found: {words.joined(said)}."


def _basis(view: View) -> str:
    basis = view.ledger.basis.get("cost", "")
    if basis.startswith("not known"):
        return f"Cost {basis.rstrip('.')}."
    return f"Cost: {basis.rstrip('.')}." if basis else ""
