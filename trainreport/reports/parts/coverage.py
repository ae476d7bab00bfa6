"""What could not be judged and why, and what was checked and found to be in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.model.finding import State as Ended
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Section, Table

if TYPE_CHECKING:
    from trainreport.model.finding import Outcome
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST = 80


def build(view: View) -> Part:
    """Return the outcomes that are not findings."""
    outcomes = list(view.run.outcomes) + list(view.assessment.portfolio.outcomes if view.assessment.portfolio else ())
    unique = list({outcome.code: outcome for outcome in outcomes}.values())
    open_ones = [outcome for outcome in unique if outcome.state in (Ended.NOT_APPLICABLE, Ended.FAILED)]
    clear = [outcome for outcome in unique if outcome.state is Ended.CLEAR]
    blocks: list[Block] = []
    if open_ones:
        blocks.append(Section("not-judged", "Not judged, and why", (_grouped(open_ones),)))
    else:
        blocks.append(Paragraph("Every check had what it needs."))
    if clear:
        blocks.append(Section("clear", "Checked, nothing found", (_table(clear),), folded=True))
    return Part("coverage", "Coverage", _title(open_ones, clear), tuple(blocks), fresh=False)


def _title(open_ones: list[Outcome], clear: list[Outcome]) -> str:
    first = (
        f"{words.plural(len(open_ones), 'check').replace(words.GAP, ' ')} could not be made" if open_ones else "Every check could be made"
    )
    return f"{first}, {len(clear)} found nothing"


def _grouped(outcomes: list[Outcome]) -> Table:
    """Return one row for each reason, with all checks that it kept from judging."""
    by_reason: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        prefix = "Broke off. " if outcome.state is Ended.FAILED else ""
        by_reason.setdefault(prefix + words.capital(outcome.reason), []).append(outcome)
    rows = [
        Row((Cell(reason), Cell(", ".join(f"{words.finding_name(one.name)} ({one.code})" for one in group))))
        for reason, group in by_reason.items()
    ]
    return Table((Column("Because", 1.2), Column("Not judged", 1.0)), tuple(rows[:_MOST]), _more(len(rows)))


def _table(outcomes: list[Outcome]) -> Table:
    rows = tuple(Row((Cell(one.code), Cell(words.finding_name(one.name)), Cell(words.capital(one.reason)))) for one in outcomes[:_MOST])
    return Table((Column("Code", 0.6), Column("Check", 1.6), Column("What was seen", 4.0)), rows, _more(len(outcomes)))


def _more(n: int) -> str:
    return f"And {n - _MOST} more." if n > _MOST else ""
