"""What was checked: what found something, what was in order, and what could not be judged and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.model.finding import Outcome
from trainreport.model.finding import State as Ended
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Section, Table
from trainreport.reports.parts import forecast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build", "on_page_1"]

_MOST = 80
_FEW = 3


def build(view: View) -> Part:
    """Return how every check ended, by family of checks."""
    outcomes = list(view.run.outcomes) + list(view.assessment.portfolio.outcomes if view.assessment.portfolio else ())
    unique = sorted({outcome.code: outcome for outcome in outcomes}.values(), key=lambda one: one.code)
    open_ones = [outcome for outcome in unique if outcome.state in (Ended.NOT_APPLICABLE, Ended.FAILED)]
    clear = [outcome for outcome in unique if outcome.state is Ended.CLEAR]
    blocks: list[Block] = [_counts(unique)] if unique else []
    not_judged = [*open_ones, *_not_foretold(view)]
    if not_judged:
        blocks.append(Section("not-judged", "Not judged, and why", (_reasons(not_judged),)))
    else:
        blocks.append(Paragraph("Every check had what it needs."))
    if clear:
        blocks.append(Section("clear", "Checked, nothing found", (_clear(clear),), folded=True))
    return Part("coverage", "Coverage", _title(unique, open_ones, clear), tuple(blocks), fresh=False)


def _family(code: str) -> str:
    """Return the family of a code in words; codes of outside detectors are ``Others``."""
    digit = code[2:3] if code.startswith("TR") else ""
    return words.labels("family").get(digit, "Others")


def on_page_1(view: View) -> str:
    """Return in one sentence how much could not be judged; few checks by name, many by family."""
    open_ones = [outcome for outcome in view.run.outcomes if outcome.state in (Ended.NOT_APPLICABLE, Ended.FAILED)]
    if not open_ones:
        return ""
    if len(open_ones) <= _FEW:
        return f"Not judged: {words.joined([words.finding_name(one.name) for one in open_ones])}."
    by_family = _by_family(sorted(open_ones, key=lambda one: one.code))
    groups = sorted(by_family.items(), key=lambda entry: -len(entry[1]))
    said = [f"{len(group)} on {name.lower()}" for name, group in groups]
    where = "" if view.shows("coverage") else " in the full report"
    how_many = f"{len(open_ones)} of {len(view.run.outcomes)} checks, {words.joined(said, len(said))}"
    return f"Not judged: {how_many}; why stands under Coverage{where}."


def _title(every: list[Outcome], open_ones: list[Outcome], clear: list[Outcome]) -> str:
    if not every:
        return "No check was made"
    found = len(every) - len(open_ones) - len(clear)
    said = [f"{found or 'none'} found something"]
    said += [f"{len(open_ones)} could not be made"] if open_ones else []
    return f"Of {words.plural(len(every), 'check').replace(words.GAP, ' ')}, {words.joined(said)}"


def _not_foretold(view: View) -> list[Outcome]:
    """Return the forecast as something that was not judged, where there is none."""
    why = forecast.why_none(view)
    return [Outcome("", forecast.NAME, Ended.NOT_APPLICABLE, why)] if why else []


def _counts(outcomes: list[Outcome]) -> Table:
    """Return how many checks of each family ended how, those that found something by code."""
    rows = []
    for name, group in _by_family(outcomes).items():
        found = [one.code for one in group if one.state is Ended.FOUND]
        clear = sum(one.state is Ended.CLEAR for one in group)
        numbers = [str(n) if n else "–" for n in (len(found), clear, len(group) - len(found) - clear)]
        rows.append(Row((Cell(name), *(Cell(number) for number in numbers), Cell(", ".join(found)))))
    columns = (
        Column("Family", 1.3),
        Column("Found", 0.7, "right"),
        Column("In order", 0.7, "right"),
        Column("Not judged", 0.9, "right"),
        Column("What was found", 4.4),
    )
    return Table(columns, tuple(rows), dense=True)


def _by_family(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[_family(outcome.code) if outcome.code else "Cost"].append(outcome)
    return groups


def _reasons(outcomes: list[Outcome]) -> Table:
    """Return one row for each reason, with all checks that it kept from judging; the family stands where it begins."""
    rows = []
    for name, group in _by_family(outcomes).items():
        by_reason: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in group:
            by_reason[words.capital(outcome.reason)].append(outcome)
        rows += [
            Row((Cell("" if i else name), Cell(reason), Cell(", ".join(_named(one) for one in same))))
            for i, (reason, same) in enumerate(by_reason.items())
        ]
    columns = (Column("Family", 0.9), Column("Because", 3.6), Column("Not judged", 2.6))
    return Table(columns, tuple(rows[:_MOST]), _more(len(rows)), dense=True)


def _named(outcome: Outcome) -> str:
    code = f" ({outcome.code})" if outcome.code else ""
    return f"{words.finding_name(outcome.name)}{code}"


def _clear(outcomes: list[Outcome]) -> Table:
    rows = [
        Row((Cell("" if i else name), Cell(one.code), Cell(words.finding_name(one.name)), Cell(words.capital(one.reason))))
        for name, group in _by_family(outcomes).items()
        for i, one in enumerate(group)
    ]
    columns = (Column("Family", 0.9), Column("Code", 0.5), Column("Check", 1.6), Column("What was seen", 4.1))
    return Table(columns, tuple(rows[:_MOST]), _more(len(rows)), dense=True)


def _more(n: int) -> str:
    return f"And {n - _MOST} more." if n > _MOST else ""
