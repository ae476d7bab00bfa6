"""Runs side by side: who leads and by how much beyond chance, what settings give over seeds, which runs to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Badge, Cell, Column, Headline, Masthead, Paragraph, Part, Row, Section, State, Table
from trainreport.reports.parts.findings import severity_state
from trainreport.reports.parts.sponsor import verdict_state

if TYPE_CHECKING:
    from trainreport.model.decision import RunAssessment
    from trainreport.reports.blocks import Block
    from trainreport.reports.comparison import Advice, Comparison, Entry, Group
    from trainreport.reports.view import View

__all__ = [
    "APART",
    "build",
    "data_sentence",
    "noise_sentence",
    "said",
    "seeds",
    "settings_text",
    "spending_sentence",
    "spread_said",
    "stops",
    "title",
]

_MOST_ROWS = 100
_MOST_GROUPS = 40
_MOST_SETTINGS = 6
APART = {"leads": "leads", "yes": "more than chance", "no": "within chance", "not known": "not known"}
"""Whether a run differs from the leading one, in words."""


def build(view: View, found: Comparison) -> Part:
    """Return the comparison as a part that stands by itself."""
    decision = view.assessment.decision
    label = words.label("masthead.with_plan" if view.plan.owner else "masthead.without")
    who = view.plan.owner or f"{len(found.entries)} runs"
    blocks: list[Block] = [
        Masthead(label, who, view.when(view.ended_at) if view.ended_at else "end of training not recorded"),
        Badge(verdict_state(decision.verdict.value)),
        Headline(title(view, found)),
        Paragraph(f"{decision.headline.rstrip('.')}. {decision.lead}", "lead"),
        Paragraph(f"{noise_sentence(view, found)} {data_sentence(found)}".strip(), strong="How sure is the order?"),
        Paragraph(spending_sentence(view)),
        Section("ranking", "All runs, the best first", (_table(view, found),)),
        *seeds(view, found),
        *stops(found),
        *_together(view),
    ]
    return Part("comparison", "Comparison", title(view, found), tuple(blocks), fresh=False)


def title(view: View, found: Comparison) -> str:
    """Return who leads, in a sentence."""
    n, first = len(found.entries), found.entries[0]
    if first.place is None:
        return f"{n} runs, none with a checkpoint to judge"
    near = sum(entry.apart == "no" for entry in found.entries)
    tail = f", {near} within chance of it" if near else ""
    return f"Of {n} runs, {words.short(first.run.log.run.name, 40)} leads with {said(view, _value(first))}{tail}"


def said(view: View, value: float | None) -> str:
    """Return a value of what the runs are judged by, with digits that tell runs apart."""
    if value is None:
        return "–"
    best = view.best
    return words.share(value, 1) if best is not None and words.is_share(best.series, abs(best.value)) else words.number(value, 4)


def settings_text(settings: tuple[tuple[str, str], ...]) -> str:
    """Return ``width 32, decay 0.001``; what is beyond a few is counted."""
    shown = [f"{words.short(name, 24)}{words.GAP}{words.short(value, 24)}" for name, value in settings[:_MOST_SETTINGS]]
    more = f" and {len(settings) - _MOST_SETTINGS} more" if len(settings) > _MOST_SETTINGS else ""
    return f"{', '.join(shown)}{more}"


def noise_sentence(view: View, found: Comparison) -> str:
    """Return how much runs differ by chance, how that is known, and what follows for the order."""
    if found.noise is None:
        return f"Not known: {found.basis}. The order is of single values; repeat the best settings with other seeds before relying on it."
    size = f"Chance moves the best value by about {_spread(view, found.noise)} from run to run ({found.basis})."
    if not found.repeated:
        return f"{size} That is a lower limit, so a difference can be called chance here, but none can be called more than chance."
    return (
        f"{size} Each run is compared with the leading one by itself, at 95 % (Student’s t); as the leading one was picked as the best, "
        "another may stand apart from it by luck alone."
    )


def data_sentence(found: Comparison) -> str:
    """Return whether the values compare: measured on the same data, as far as the runs say."""
    versions = {entry.run.log.run.data_version for entry in found.entries if entry.place}
    if len(versions - {None}) > 1:
        return "The runs name different versions of the data: their values may not compare."
    if None in versions:
        return "Not every run names the version of its data: that all were measured on the same data is taken for granted."
    return ""


def spending_sentence(view: View) -> str:
    """Return what all runs took together."""
    total, limit = view.total, view.plan.budget.money
    cost = total.cost
    parts = []
    if cost is not None:
        agreed = f" of {words.money(limit)} agreed" if limit is not None and limit.currency == cost.currency else ""
        parts.append(f"{words.money(cost)}{agreed}")
    parts += [f"{words.hours(total.gpu_hours)} of GPU time"] if total.gpu_hours is not None else []
    parts += [f"{words.duration(total.wall_s)} from first to last"] if total.wall_s is not None and not parts else []
    return f"All runs together took {words.joined(parts)}." if parts else "What the runs took is not known."


def spread_said(view: View, value: float | None) -> str:
    """Return a difference or a spread of what the runs are judged by: shares in points."""
    return "–" if value is None else _spread(view, value)


def _spread(view: View, value: float) -> str:
    best = view.best
    if best is not None and words.is_share(best.series, abs(best.value)):
        return words.points(100 * value)
    return words.number(value, 2)


def _value(entry: Entry) -> float | None:
    return entry.run.best.value if entry.run.best is not None else None


def _table(view: View, found: Comparison) -> Table:
    measured = words.measure(view.best.series, view.best.phase) if view.best is not None else "Best"
    columns = (
        Column("#", 0.35, "right"),
        Column("Run", 2.6),
        Column(measured, 1.3, "right"),
        Column("Against the first", 1.5),
        Column("Criteria", 1.25),
        Column("Cost", 1.0, "right"),
        Column("GPU-hours", 0.95, "right"),
        Column("Status", 1.0),
    )
    rows = tuple(_row(view, entry) for entry in found.entries[:_MOST_ROWS])
    more = [f"And {len(found.entries) - _MOST_ROWS} more runs; “--format json” lists all."] if len(found.entries) > _MOST_ROWS else []
    if any(entry.place is None for entry in found.entries):
        more.append("Runs without a place are not judged by what the leading run is judged by.")
    return Table(columns, rows, " ".join(more))


def _row(view: View, entry: Entry) -> Row:
    run, info, best = entry.run, entry.run.log.run, entry.run.best
    seed = [f"seed {info.seed}"] if info.seed else []
    note = " · ".join([text for text in (settings_text(entry.settings), *seed) if text])
    cost = run.ledger.cost
    return Row(
        (
            Cell(str(entry.place or "–")),
            Cell(words.short(info.name, 60), note=note, strong=entry.place == 1),
            Cell(said(view, _value(entry)) if entry.place else "–", note=f"step {words.count(best.step)}" if best and entry.place else ""),
            Cell(APART[entry.apart] if entry.place else "–"),
            _criteria(run),
            Cell(words.money(cost) if cost is not None else "–"),
            Cell(words.hours(run.ledger.gpu_hours) if run.ledger.gpu_hours is not None else "–"),
            Cell(words.label(f"status.{info.status}"), note=_advised(entry.advice)),
        ),
        mark=entry.place == 1,
    )


def _criteria(run: RunAssessment) -> Cell:
    if not run.criteria:
        return Cell("none agreed")
    met = sum(one.state == "met" for one in run.criteria)
    every = met == len(run.criteria)
    lacking = [one.id for one in run.criteria if one.state != "met"]
    return Cell(
        "",
        note="" if every or len(run.criteria) == 1 else words.short(f"not met: {words.joined(lacking, 3)}", 60),
        state=State("✓" if every else "✕", f"{met} of {len(run.criteria)} met", "good" if every else "bad"),
    )


def _advised(advice: Advice) -> str:
    return "" if advice.word == "ended" else advice.word


def seeds(view: View, found: Comparison) -> list[Block]:
    """Return what each configuration gives over its repeats, nothing where no run names its settings."""
    if not found.groups:
        return []
    columns = (
        Column("Settings", 3.4),
        Column("Runs", 0.6, "right"),
        Column("Mean", 0.9, "right"),
        Column("± SD", 0.9, "right"),
        Column("Against the first", 1.3),
    )
    rows = tuple(_group(view, group) for group in found.groups[:_MOST_GROUPS])
    more = f"And {len(found.groups) - _MOST_GROUPS} more. " if len(found.groups) > _MOST_GROUPS else ""
    note = f"{more}SD: standard deviation of the best values of runs that differ in nothing but their seed; one run has none."
    return [Section("seeds", _seeds_title(found), (Table(columns, rows, note),))]


def _seeds_title(found: Comparison) -> str:
    repeated = sum(len(group.values) > 1 for group in found.groups)
    if not repeated:
        return "No settings were repeated, so none can be told from luck"
    if len(found.groups) == 1:
        return f"{len(found.groups[0].values)} runs of the same settings"
    near, others = sum(group.apart == "no" for group in found.groups), len(found.groups) - 1
    if near == others:
        return (
            f"None of the other {others} settings can be told apart from the first"
            if others > 1
            else "The two settings cannot be told apart"
        )
    if near:
        return f"{near} of the other {others} settings cannot be told apart from the first"
    return f"Over seeds, the first of {len(found.groups)} settings leads"


def _group(view: View, group: Group) -> Row:
    names = words.joined([words.short(name, 30) for name in group.names], 3)
    return Row(
        (
            Cell(settings_text(group.settings) or "the same for all", note=names),
            Cell(words.count(len(group.values))),
            Cell(said(view, group.mean)),
            Cell(spread_said(view, group.sd)),
            Cell(APART[group.apart]),
        )
    )


def stops(found: Comparison) -> list[Block]:
    """Return which runs to stop, and why; nothing where all have ended."""
    if all(entry.advice.word == "ended" for entry in found.entries):
        return []
    if not found.to_stop:
        return [Section("stop", "No run to stop", (Paragraph("No run that may still be running shows a reason to stop it."),))]
    rows = tuple(
        Row((Cell(words.joined([words.short(name, 40) for name in names], 6)), Cell(f"{why.rstrip('.')}.")))
        for why, names in found.stops_by_reason().items()
    )
    n = len(found.to_stop)
    note = f"And {len(rows) - _MOST_GROUPS} more reasons." if len(rows) > _MOST_GROUPS else ""
    table = Table((Column("Run", 2.4), Column("Why", 4.0)), rows[:_MOST_GROUPS], note)
    return [Section("stop", "One run to stop" if n == 1 else f"{n} runs to stop", (table,))]


def _together(view: View) -> list[Block]:
    """Return what the runs show together, one line a finding."""
    if not view.over_all:
        return []
    rows = tuple(
        Row(
            (
                Cell("", state=severity_state(finding)),
                Cell(finding.message, note=f"{words.finding_name(finding.name)} · {finding.code} · {finding.confidence.word} confidence"),
                Cell(f"{finding.action.text.rstrip('.')}.", note=f"{words.capital(finding.action.owner)}, {finding.action.effort}"),
            )
        )
        for finding in view.over_all
    )
    columns = (Column("Severity", 0.9), Column("What they show together", 3.6), Column("What to do", 2.4))
    return [Section("together", "What the runs show together", (Table(columns, rows),))]
