"""Several runs side by side: a table, and small multiples of one scale with the leading one set off."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.model.case import Case
from trainreport.reports import curves, words
from trainreport.reports.blocks import Cell, Column, Figure, Paragraph, Part, Row, Section, Table
from trainreport.reports.comparison import compared
from trainreport.reports.parts import ranking, search
from trainreport.reports.parts.findings import card, severity_state
from trainreport.reports.spec import FigureSpec, Level, Panel
from trainreport.reports.view import by_weight

if TYPE_CHECKING:
    from trainreport.model.curve import Curve
    from trainreport.model.decision import RunAssessment
    from trainreport.model.finding import Finding
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST_ROWS = 60
_MOST_PANELS = 12
_COLUMNS = 3


def build(view: View) -> Part | None:
    """Return the comparison, or None for a single run."""
    if not view.several:
        return None
    blocks: list[Block] = [figure for figure in (search.build(view), _multiples(view)) if figure is not None]
    if view.shows("findings"):  # for the others they stand in the register of risks
        blocks += [card(view, finding) for finding in view.over_all]
    blocks.append(Section("all-runs", "All runs", (_table(view),)))
    found = compared(view.assessment)
    blocks.append(Paragraph(ranking.noise_sentence(view, found), strong="How sure is the order?"))
    blocks += [*ranking.seeds(view, found), *ranking.stops(found)]
    blocks += _others(view)
    return Part("runs", "Runs", _title(view), tuple(blocks), fresh=False)


def _title(view: View) -> str:
    name, best = words.short(view.run.log.run.name, 40), view.best
    n = len(view.assessment.runs)
    if best is None:
        return f"{n} runs, none with a checkpoint to judge"
    return f"Of {n} runs, {name} came furthest with {_value(view.run)}"


def _value(run: RunAssessment) -> str:
    best = run.best
    if best is None:
        return "–"
    return words.share(best.value) if words.is_share(best.series, abs(best.value)) else words.number(best.value)


def _ordered(view: View) -> list[RunAssessment]:
    """Return the leading run first, then each run with those nested in it."""
    rest = [run for run in view.assessment.runs if run is not view.run]
    ids = {run.log.run.id for run in rest}
    nested: dict[str | None, list[RunAssessment]] = defaultdict(list)
    for run in rest:
        nested[run.log.run.parent].append(run)
    heads = [run for run in rest if run.log.run.parent not in ids or run.log.run.parent == run.log.run.id]
    ordered = {view.run.log.run.id: view.run}
    for head in heads:
        for run in (head, *nested[head.log.run.id]):
            ordered.setdefault(run.log.run.id, run)
    for run in rest:
        ordered.setdefault(run.log.run.id, run)
    return list(ordered.values())


def _multiples(view: View) -> Figure | None:
    leading = view.progress
    if leading is None:
        return None
    drawn: list[tuple[RunAssessment, Curve]] = []
    for run in _ordered(view):
        curve = Case(run.log, view.plan, run.ledger).curve(leading.series, leading.phase)
        if curve is not None and len(curve):
            drawn.append((run, curve))
    if len(drawn) < 2:
        return None
    shown = drawn[:_MOST_PANELS]
    goal = view.deciding
    fits = goal is not None and goal.criterion.series in (leading.series, leading.logged)
    levels = (Level(goal.drawn(goal.criterion.threshold), f"target {goal.said(goal.criterion.threshold)}"),) if goal and fits else ()
    shape = curves.shape([curve for _, curve in shown], [level.value for level in levels])
    panels = tuple(
        Panel(
            lines=curves.lines(curve, "", "accent" if run is view.run else "second"),
            y=shape.axis,
            title=f"{words.short(run.log.run.name, 24)}  {_value(run)}",
            levels=levels if i == 0 else tuple(Level(level.value, "") for level in levels),
            highlight=run is view.run,
        )
        for i, (run, curve) in enumerate(shown)
    )
    rows = -(-len(panels) // _COLUMNS)
    axis = curves.x_axis(max((curve for _, curve in shown), key=lambda curve: float(curve.step[-1])))
    spec = FigureSpec(panels, axis, 172.0, 34.0 * rows + 6.0, columns=_COLUMNS)
    name = f"{leading.phase} {words.series_name(leading.series)}"
    more = f" {len(drawn) - _MOST_PANELS} more runs are not drawn." if len(drawn) > _MOST_PANELS else ""
    how = curves.smoothing_sentence([curve for _, curve in shown])
    caption = f"All charts have the same scale; the leading run comes first. Number: the best checkpoint. {how}{more}"
    return Figure(
        "multiples", f"{words.capital(name)} of each run", spec, caption, f"{len(panels)} small line charts of {name}, one a run."
    )


def _table(view: View) -> Table:
    columns = (
        Column("Run", 2.6),
        Column("Verdict", 1.3),
        Column("Best", 0.9, "right"),
        Column("At step", 1.0, "right"),
        Column("Time", 0.9, "right"),
        Column("Cost", 1.1, "right"),
        Column("Findings", 2.4),
    )
    runs = _ordered(view)
    note = f"And {len(runs) - _MOST_ROWS} more runs." if len(runs) > _MOST_ROWS else ""
    return Table(columns, tuple(_row(view, run) for run in runs[:_MOST_ROWS]), note)


def _row(view: View, run: RunAssessment) -> Row:
    from trainreport.reports.parts.sponsor import verdict_state

    info, best, ledger = run.log.run, run.best, run.ledger
    status = words.label(f"status.{info.status}")
    names = {run.log.run.id: run.log.run.name for run in view.assessment.runs}
    nested = f"in {words.short(names.get(info.parent, info.parent), 30)} · {status}" if info.parent else status
    cost = words.money(ledger.cost) if ledger.cost is not None else words.hours(ledger.gpu_hours) if ledger.gpu_hours is not None else "–"
    cells = (
        Cell(f"{3 * words.GAP if info.parent else ''}{words.short(info.name, 70)}", note=nested, strong=run is view.run),
        Cell("", state=verdict_state(run.decision.verdict.value)),
        Cell(_value(run)),
        Cell(words.count(best.step) if best is not None else "–"),
        Cell(words.duration(ledger.wall_s) if ledger.wall_s is not None else "–"),
        Cell(cost),
        Cell(words.joined([words.finding_name(finding.name) for finding in run.findings], 2) or "none"),
    )
    return Row(cells, mark=run is view.run)


def _others(view: View) -> list[Block]:
    """Return the findings of the other runs, those of one kind in one line."""
    by_code: dict[str, list[tuple[RunAssessment, Finding]]] = defaultdict(list)
    for run in _ordered(view)[1:]:
        for finding in run.findings:
            by_code[finding.code].append((run, finding))
    if not by_code:
        return [Paragraph("No check found a fault in the other runs.", "quiet")]
    rank = {finding.code: i for i, finding in enumerate(by_weight(max(_findings(same), key=_severity) for same in by_code.values()))}
    rows = tuple(_alike(same) for _, same in sorted(by_code.items(), key=lambda entry: rank[entry[0]]))
    table = Table((Column("Severity", 0.9), Column("What we saw", 4.2), Column("In which runs", 2.8)), rows, dense=True)
    return [Section("other-findings", "Findings of the other runs", (table,), folded=True)]


def _alike(same: list[tuple[RunAssessment, Finding]]) -> Row:
    """Return the findings of one code in one row, told by the gravest of them."""
    worst = max(_findings(same), key=_severity)
    names = list(dict.fromkeys(words.short(run.log.run.name, 40) for run, _ in same))
    example = "" if len({finding.message for finding in _findings(same)}) == 1 else "One of them: "
    where = names[0] if len(names) == 1 else f"{len(names)} runs: {words.joined(names, 2)}"
    cells = (
        Cell("", state=severity_state(worst)),
        Cell(f"{example}{worst.message}", note=f"{words.finding_name(worst.name)} · {worst.code}"),
        Cell(where),
    )
    return Row(cells)


def _findings(same: list[tuple[RunAssessment, Finding]]) -> list[Finding]:
    return [finding for _, finding in same]


def _severity(finding: Finding) -> int:
    return finding.severity
