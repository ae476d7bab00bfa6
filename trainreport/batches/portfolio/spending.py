"""Where hours and money went: over the months, by team and project, by cause, and into what goes on without a gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trainreport.batches.portfolio import cells
from trainreport.batches.sums import Month
from trainreport.batches.tally import MOST
from trainreport.model.ledger import BUCKETS
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Figure, Figures, Paragraph, Part, Row, Section, Slice, Spread, Table
from trainreport.reports.spec import Axis, FigureSpec, Line, Panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.batches.sums import Sum
    from trainreport.batches.tally import Tally
    from trainreport.reports.blocks import Block

__all__ = ["dearest", "months", "owners", "series", "waste", "where_it_went"]

_MONTHS = 24  # shown, the last ones
_FEW = 3  # months that a line can be drawn through
_LEAST = 0.0005  # a part below this is no slice
_NAMELESS = "not named"
_WORST = 15  # offenders shown
_GPU_HOURS, _RUNS_UNIT = "GPU-hours", "runs"
_REFUSED = Column("No-go", 0.7, "right")


def where_it_went(tally: Tally) -> list[Block]:
    """Return the bar of what the paid hours went into, of the runs of which it is known."""
    _, unit = _measure(tally)
    sums = tally.buckets.cost.get(unit) or tally.buckets.gpu_hours
    total = sum(sums.values())
    if not total:
        return []
    shares = sorted(((sums[name] / total, name) for name in BUCKETS if name in sums), reverse=True)
    slices = tuple(
        Slice(words.label(f"bucket.{name}"), words.share(share), share, words.label(f"bucket_tone.{name}"))  # type: ignore[arg-type]
        for share, name in shares
        if share >= _LEAST
    )
    said = words.joined([f"{one.name} {one.amount}" for one in slices], len(slices))
    note = Paragraph(f"{said}. Known of {words.plural(tally.buckets.runs, 'run')}.", "quiet")
    return [Section("went", "Where the paid time went", (Spread(slices, f"Bar of the paid time: {said}."), note))]


def months(tally: Tally) -> Part | None:
    """Return how spending and refusals developed, month by month."""
    if not tally.months:
        return None
    every = _without_gaps(min(tally.months), max(tally.months))[-_MONTHS:]
    shown = [tally.months.get(name, Month()) for name in every]
    rows = tuple(Row((Cell(cells.month(name)), *_grouped(one))) for name, one in zip(every, shown, strict=True) if one.all.runs)
    columns = (Column("Month", 1.6), cells.RUNS, _REFUSED, Column("No-go share", 0.9, "right"), cells.HOURS, cells.COST)
    undated = tally.all.runs - sum(one.all.runs for one in tally.months.values())
    note = f"A run counts in the month in which it ended (UTC). {words.plural(undated, 'run')} without a time left out." if undated else ""
    chart = (Figures((_chart(tally, every, shown),)),) if len(every) >= _FEW else ()
    note = note or "A run counts in the month in which it ended (UTC)."
    return Part("months", "Months", _trend(tally, every, shown), (*chart, Table(columns, rows[::-1], note)), fresh=False)


def owners(tally: Tally) -> Part | None:
    """Return what each team and project took."""
    if not any(any(named) for named in tally.owners):
        return None
    ranked = sorted(tally.owners.items(), key=lambda one: one[1].all.rank, reverse=True)
    rows = tuple(
        Row((Cell(words.short(team, 40) or _NAMELESS, strong=bool(team)), Cell(words.short(project, 40) or _NAMELESS), *_grouped(group)))
        for (team, project), group in ranked[:MOST]
    )
    columns = (
        Column("Team", 1.2),
        Column("Project", 1.2),
        cells.RUNS,
        _REFUSED,
        Column("No-go share", 0.9, "right"),
        cells.HOURS,
        cells.COST,
    )
    (team, project), first = ranked[0]
    weigh, unit = _measure(tally)
    part = weigh(first.all) / (sum(weigh(group.all) for group in tally.owners.values()) or 1.0)
    who = " · ".join(name for name in (team, project) if name) or "Runs that name no team"
    of = unit if unit in (_GPU_HOURS, _RUNS_UNIT) else "cost"
    title = f"{words.short(who, 60)}: {words.share(part)} of all {of}" if part else "What each team and project took"
    more = f"The first {MOST} of {words.count(len(ranked))}. " if len(ranked) > MOST else ""
    note = f"{more}Named by the plan's [tags], or else by the tags team and project of a run."
    return Part("owners", "Teams", title, (Table(columns, rows, note),), fresh=False)


def waste(tally: Tally) -> Part | None:
    """Return what was wasted, by cause, and the runs that wasted most."""
    ranked = _causes(tally)
    if not ranked:
        return None
    rows = tuple(
        Row((Cell(cells.name_of(code), note=code, strong=at == 0), Cell(words.count(found.runs)), *cells.took(found)))
        for at, (code, found) in enumerate(ranked)
    )
    columns = (Column("Cause", 2.4), Column("Findings", 0.8, "right"), cells.HOURS, cells.COST)
    note = "What the findings say was wasted. One hour can have several causes, so the rows do not add up."
    worst = tuple(
        Row(
            (
                cells.run(one),
                Cell(cells.name_of(one["findings"][0]["code"]), note=words.short(one["findings"][0]["message"], 160)),
                *cells.of_run(one["findings"][0]),
            )
        )
        for one in tally.offenders.listed()[:_WORST]
    )
    more = f"The first {_WORST}; findings.parquet has all." if len(worst) == _WORST else ""
    offenders = Table((Column("Run", 2.0), Column("Its dearest finding", 2.8), cells.HOURS, cells.COST), worst, more)
    blocks = (Table(columns, rows, note), Section("offenders", "The runs that wasted most", (offenders,)))
    took = cells.money(ranked[0][1]) if ranked[0][1].cost else f"{cells.hours(ranked[0][1])} GPU-hours"
    return Part("waste", "Waste", f"{cells.name_of(ranked[0][0])} wasted most: {took}", blocks if worst else blocks[:1], fresh=False)


def series(tally: Tally) -> Part | None:
    """Return where run follows run without a gain: as TR401 found it, and by no-go after no-go."""
    found, streaks = tally.series.listed(), tally.courses.streaks()
    if not found and not streaks:
        return None
    sunk = tuple(
        Row(
            (
                Cell(words.short(one["path"], 90), strong=True),
                Cell(words.short(_message(one), 200)),
                Cell(words.count(one["series"]["runs"])),
                Cell(cells.price(one["series"]["spent"])),
            )
        )
        for one in found
    )
    refused = tuple(
        Row(
            (
                Cell(words.short(one.where, 90), strong=True),
                Cell(f"{one.since[:10]} to {one.until[:10]}"),
                Cell(words.count(one.took.runs)),
                *cells.took(one.took),
            )
        )
        for one in streaks[:MOST]
    )
    blocks: list[Block] = []
    if sunk:
        seen = (Column("Folder", 1.6), Column("What was seen", 3.0), cells.RUNS, Column("Spent", 1.0, "right"))
        blocks.append(Section("sunk", "Spending that no longer gains anything", (Table(seen, sunk),)))
    if refused:
        columns = (Column("Project or folder", 2.0), Column("When", 1.5), cells.RUNS, cells.HOURS, cells.COST)
        note = f"The first {MOST} of {words.count(len(streaks))}." if len(streaks) > MOST else ""
        blocks.append(Section("streaks", "One no-go after the other, up to the last run", (Table(columns, refused, note),)))
    count = words.plural(len(found) + len(streaks), "series", "series")
    return Part("series", "Sunk cost", f"{count} to pause until the root cause is known", tuple(blocks), fresh=False)


def dearest(tally: Tally) -> str:
    """Return the name of what wasted most, within a sentence; nothing where no waste is known."""
    ranked = _causes(tally)
    return words.within(cells.name_of(ranked[0][0])) if ranked else ""


def _causes(tally: Tally) -> list[tuple[str, Sum]]:
    return sorted(tally.wasted.items(), key=lambda one: one[1].rank, reverse=True)


def _grouped(group: Month) -> tuple[Cell, ...]:
    part = words.share(group.refused.runs / group.all.runs)
    return (Cell(words.count(group.all.runs)), Cell(words.count(group.refused.runs)), Cell(part), *cells.took(group.all))


def _measure(tally: Tally) -> tuple[Callable[[Sum], float], str]:
    """Return what sums are compared by, and its unit: money in one currency, else GPU-hours, else their number."""
    if len(tally.all.cost) == 1:
        [currency] = tally.all.cost
        return lambda found: float(found.cost.get(currency, 0)), currency
    if tally.all.gpu_hours:
        return lambda found: found.gpu_hours, _GPU_HOURS
    return lambda found: float(found.runs), _RUNS_UNIT


def _trend(tally: Tally, every: list[str], shown: list[Month]) -> str:
    weigh, unit = _measure(tally)
    if len(every) < _FEW or not weigh(shown[-2].all):
        return "What was spent, and what came of it, month by month"
    change = weigh(shown[-1].all) / weigh(shown[-2].all) - 1
    way = "more" if change > 0 else "less"
    what = "runs were judged" if unit == _RUNS_UNIT else "was spent"
    return f"{words.share(abs(change))} {way} {what} in {cells.month(every[-1])} than in the month before"


def _chart(tally: Tally, every: list[str], shown: list[Month]) -> Figure:
    import numpy as np

    weigh, unit = _measure(tally)
    x = np.arange(len(every), dtype=np.float64)
    spent = np.array([weigh(one.all) for one in shown])
    refused = np.array([weigh(one.refused) for one in shown])
    step = -(-len(every) // 8)
    places = tuple((float(at), f"{words.month(int(name[5:]))[:3]} {name[2:4]}") for at, name in enumerate(every) if at % step == 0)
    lines = (Line(x, spent, "all runs"), Line(x, refused, "no-go", "bad"))
    money = unit not in (_RUNS_UNIT, _GPU_HOURS)
    panel = Panel(lines, Axis("money" if money else "number", low=0.0, high=1.14 * float(spent.max() or 1.0)), title=f"{unit} a month")
    spec = FigureSpec((panel,), Axis(places=places, low=0.0, high=max(x[-1], 1.0)), 150.0, 52.0)
    alt = f"Line chart of {unit} a month from {cells.month(every[0])} to {cells.month(every[-1])}: all runs, and those with a no-go."
    return Figure("by-month", f"{unit} a month, and what went into runs with a no-go", spec, "By the month in which a run ended.", alt)


def _without_gaps(first: str, last: str) -> list[str]:
    """Return every month from one to another, as ``2026-11``."""
    begin, end = (12 * int(text[:4]) + int(text[5:7]) - 1 for text in (first, last))
    return [f"{at // 12:04}-{at % 12 + 1:02}" for at in range(max(begin, end - _MONTHS + 1), end + 1)]


def _message(entry: dict[str, object]) -> str:
    findings = cast("list[dict[str, str]]", entry["findings"])
    return next((finding["message"] for finding in findings if finding["code"] == "TR401"), "")
