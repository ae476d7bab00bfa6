"""What was checked: what found something, what was in order, and what could not be judged and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.model.finding import Outcome
from trainreport.model.finding import State as Ended
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, Section, Table
from trainreport.reports.parts import forecast
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build", "on_page_1"]

_FORECAST = "forecast-of-the-target"
_MOST = 80
_FEW = 3
_COST = "3"
"""The family of what has no code: the forecast."""


def build(view: View) -> Part:
    """Return how every check ended, by family of checks."""
    outcomes = list(view.run.outcomes) + list(view.assessment.portfolio.outcomes if view.assessment.portfolio else ())
    unique = sorted({outcome.code: outcome for outcome in outcomes}.values(), key=lambda one: one.code)
    open_ones = [outcome for outcome in unique if outcome.state in (Ended.NOT_APPLICABLE, Ended.FAILED)]
    clear = [outcome for outcome in unique if outcome.state is Ended.CLEAR]
    blocks: list[Block] = [_counts(unique)] if unique else []
    not_judged = [*open_ones, *_not_foretold(view)]
    if not_judged:
        blocks.append(Section("not-judged", words.label("coverage.open"), (_reasons(not_judged),)))
    else:
        blocks.append(Paragraph(words.label("coverage.every")))
    if clear:
        blocks.append(Section("clear", words.label("coverage.clear"), (_clear(clear),), folded=True))
    return Part("coverage", words.label("short.coverage"), _title(unique, open_ones, clear), tuple(blocks), fresh=False)


def on_page_1(view: View) -> str:
    """Return in one sentence how much could not be judged; few checks by name, many by family."""
    open_ones = [outcome for outcome in view.run.outcomes if outcome.state in (Ended.NOT_APPLICABLE, Ended.FAILED)]
    if not open_ones:
        return ""
    if len(open_ones) <= _FEW:
        return words.label("coverage.page_1_few", names=words.joined([words.finding_name(one.name) for one in open_ones]))
    by_family = _by_digit(sorted(open_ones, key=lambda one: one.code))
    groups = sorted(by_family.items(), key=lambda entry: -len(entry[1]))
    said = [words.label("coverage.on", n=len(group), family=words.label("family_of." + code)) for code, group in groups]
    key = "coverage.page_1" if view.shows("coverage") else "coverage.page_1_alone"
    return words.label(key, n=len(open_ones), all=len(view.run.outcomes), families=words.joined(said, len(said)))


def _title(every: list[Outcome], open_ones: list[Outcome], clear: list[Outcome]) -> str:
    if not every:
        return words.label("coverage.none")
    found = len(every) - len(open_ones) - len(clear)
    said = [words.label("coverage.found", n=found) if found else words.label("coverage.none_found")]
    said += [words.label("coverage.not_made", n=len(open_ones))] if open_ones else []
    return words.counted("coverage.of", len(every), said=words.joined(said))


def _not_foretold(view: View) -> list[Outcome]:
    """Return the forecast as something that was not judged, where there is none."""
    why = forecast.why_none(view)
    return [Outcome("", _FORECAST, Ended.NOT_APPLICABLE, why)] if why else []


def _counts(outcomes: list[Outcome]) -> Table:
    """Return how many checks of each family ended how, those that found something by code."""
    rows = []
    for name, group in _by_family(outcomes).items():
        found = [one.code for one in group if one.state is Ended.FOUND]
        clear = sum(one.state is Ended.CLEAR for one in group)
        numbers = [str(n) if n else "–" for n in (len(found), clear, len(group) - len(found) - clear)]
        rows.append(Row((Cell(name), *(Cell(number) for number in numbers), Cell(", ".join(found)))))
    columns = (
        Column(words.label("column.family"), 1.3),
        Column(words.label("column.found"), 0.7, "right"),
        Column(words.label("column.in_order"), 0.7, "right"),
        Column(words.label("column.not_judged"), 0.9, "right"),
        Column(words.label("column.what_found"), 4.4),
    )
    return Table(columns, tuple(rows), dense=True)


def _by_family(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    return {words.label(f"family.{digit}"): group for digit, group in _by_digit(outcomes).items()}


def _by_digit(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return outcomes by the first digit of their code; those of outside detectors are others."""
    families, groups = words.labels("family"), defaultdict(list)
    for outcome in outcomes:
        digit = outcome.code[2:3] if outcome.code.startswith("TR") else ""
        groups[_COST if not outcome.code else digit if digit in families else "other"].append(outcome)
    return groups


def _reasons(outcomes: list[Outcome]) -> Table:
    """Return one row for each reason, with all checks that it kept from judging; the family stands where it begins."""
    rows = []
    for name, group in _by_family(outcomes).items():
        by_reason: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in group:
            by_reason[retold(words.capital(outcome.reason))].append(outcome)
        rows += [
            Row((Cell("" if i else name), Cell(reason), Cell(", ".join(_named(one) for one in same))))
            for i, (reason, same) in enumerate(by_reason.items())
        ]
    columns = (
        Column(words.label("column.family"), 0.9),
        Column(words.label("column.because"), 3.6),
        Column(words.label("column.not_judged"), 2.6),
    )
    return Table(columns, tuple(rows[:_MOST]), _more(len(rows)), dense=True)


def _named(outcome: Outcome) -> str:
    code = f" ({outcome.code})" if outcome.code else ""
    return f"{words.finding_name(outcome.name)}{code}"


def _clear(outcomes: list[Outcome]) -> Table:
    rows = [
        Row((Cell("" if i else name), Cell(one.code), Cell(words.finding_name(one.name)), Cell(retold(words.capital(one.reason)))))
        for name, group in _by_family(outcomes).items()
        for i, one in enumerate(group)
    ]
    columns = (
        Column(words.label("column.family"), 0.9),
        Column(words.label("column.code"), 0.5),
        Column(words.label("column.check"), 1.6),
        Column(words.label("column.seen"), 4.1),
    )
    return Table(columns, tuple(rows[:_MOST]), _more(len(rows)), dense=True)


def _more(n: int) -> str:
    return words.label("more.any", n=n - _MOST) if n > _MOST else ""
