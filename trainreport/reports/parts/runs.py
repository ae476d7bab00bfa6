"""Several runs side by side: a table, and small multiples of one scale with the leading one set off."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from trainreport.model.case import Case
from trainreport.reports import curves, words
from trainreport.reports.attached import RUNS_FILE
from trainreport.reports.blocks import Cell, Column, Figure, Paragraph, Part, Row, Section, Table
from trainreport.reports.comparison import compared
from trainreport.reports.parts import parallel, ranking, search
from trainreport.reports.parts.findings import card, severity_state
from trainreport.reports.spec import FigureSpec, Level, Panel
from trainreport.reports.view import by_weight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.model.decision import RunAssessment
    from trainreport.model.finding import Finding
    from trainreport.reports.blocks import Block
    from trainreport.reports.comparison import Comparison, Entry
    from trainreport.reports.view import View

__all__ = ["MOST_ROWS", "build"]

MOST_ROWS = 40
"""Runs of the table; where there are more, all of them are attached to the PDF."""
_MOST_PANELS = 12
_COLUMNS = 3


def build(view: View) -> Part | None:
    """Return the comparison, or None for a single run."""
    if not view.several:
        return None
    found = compared(view.assessment)
    ordered = [entry.run for entry in found.entries]
    figures = (search.build(view), parallel.build(view, found), _multiples(view, ordered))
    blocks: list[Block] = [figure for figure in figures if figure is not None]
    if view.shows("findings"):  # for the others they stand in the register of risks
        blocks += [card(view, finding) for finding in view.over_all]
    blocks.append(Section("all-runs", words.label("runs.rank_head"), (_table(view, found),)))
    blocks.append(Paragraph(ranking.noise_sentence(view, found), strong="How sure is the order?"))
    blocks += [*ranking.seeds(view, found), *ranking.stops(found)]
    blocks += _others(ordered[1:])
    return Part("runs", "Runs", _title(view), tuple(blocks), fresh=False)


def _title(view: View) -> str:
    name, best = words.short(view.run.log.run.name, 40), view.best
    n = words.count(len(view.assessment.runs))
    if best is None:
        return f"{n} runs, none with a checkpoint to judge"
    return f"Of {n} runs, {name} came furthest with {_value(view.run)}"


def _value(run: RunAssessment) -> str:
    best = run.best
    if best is None:
        return "–"
    return words.share(best.value) if words.is_share(best.series, abs(best.value)) else words.number(best.value)


def _multiples(view: View, ordered: list[RunAssessment]) -> Figure | None:
    leading = view.progress
    if leading is None:
        return None
    curves_of = ((run, Case(run.log, view.plan, run.ledger).curve(leading.series, leading.phase)) for run in ordered)
    shown = list(islice(((run, curve) for run, curve in curves_of if curve is not None and len(curve)), _MOST_PANELS))
    if len(shown) < 2:
        return None
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
    left_out = len(ordered) - len(shown) if len(shown) == _MOST_PANELS else 0
    more = f" {words.count(left_out)} more runs are not drawn." if left_out else ""
    how = curves.smoothing_sentence([curve for _, curve in shown])
    caption = f"All charts have the same scale; the leading run comes first. Number: the best checkpoint. {how}{more}"
    title = words.capital(words.label("runs.of_best", series=name, n=len(shown)) if left_out else f"{name} of each run")
    return Figure("multiples", title, spec, caption, f"{len(panels)} small line charts of {name}, one a run.")


def _table(view: View, found: Comparison) -> Table:
    columns = (
        Column("#", 0.55, "right"),
        Column("Run", 2.4),
        Column("Verdict", 1.15),
        Column("Best", 1.0, "right"),
        Column("Against the first", 1.05),
        Column("Time", 0.8, "right"),
        Column("Cost", 1.0, "right"),
        Column("Findings", 2.0),
    )
    names = {entry.run.log.run.id: entry.run.log.run.name for entry in found.entries}
    n = len(found.entries)
    rows = tuple(_row(entry, names, 1 if n > MOST_ROWS else 2) for entry in found.entries[:MOST_ROWS])
    more = (words.label("more.any", n=words.count(n - MOST_ROWS)), words.label("runs.all_in", n=words.count(n), file=RUNS_FILE))
    return Table(columns, rows, " ".join(more) if n > MOST_ROWS else "")


def _row(entry: Entry, names: Mapping[str, str], findings: int) -> Row:
    from trainreport.reports.parts.sponsor import verdict_state

    run, info, best, ledger = entry.run, entry.run.log.run, entry.run.best, entry.run.ledger
    status = words.label(f"status.{info.status}")
    nested = f"in {words.short(names.get(info.parent, info.parent), 30)} · {status}" if info.parent else status
    cost = words.money(ledger.cost) if ledger.cost is not None else words.hours(ledger.gpu_hours) if ledger.gpu_hours is not None else "–"
    settings = ranking.settings_text(entry.settings)
    cells = (
        Cell(str(entry.place or "–")),
        Cell(words.short(info.name, 70), note=f"{settings} · {nested}" if settings else nested, strong=entry.place == 1),
        Cell("", state=verdict_state(run.decision.verdict.value)),
        Cell(_value(run), note=words.label("evidence.step", step=words.count(best.step)) if best is not None else ""),
        Cell(ranking.APART[entry.apart] if entry.place else "–"),
        Cell(words.duration(ledger.wall_s) if ledger.wall_s is not None else "–"),
        Cell(cost),
        Cell(words.joined([words.finding_name(finding.name) for finding in run.findings], findings) or "none"),
    )
    return Row(cells, mark=entry.place == 1)


def _others(runs: list[RunAssessment]) -> list[Block]:
    """Return the findings of the other runs, those of one kind in one line."""
    by_code: dict[str, list[tuple[RunAssessment, Finding]]] = defaultdict(list)
    for run in runs:
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
    where = names[0] if len(names) == 1 else f"{words.count(len(names))} runs: {words.joined(names, 2)}"
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
