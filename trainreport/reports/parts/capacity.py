"""Capacity: what the GPUs were held for, what the next run of this kind needs, and what would cost less."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trainreport.business.capacity import BUSY_FROM, NextRun, capacity
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Definitions, Paragraph, Part, Row, Section, Slice, Spread, Table, Term
from trainreport.reports.parts import footprint
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trainreport.business.capacity import Capacity, Use
    from trainreport.business.capacity import Spread as Range
    from trainreport.model.decision import Option
    from trainreport.model.ledger import Taken
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_MOST_ROWS = 40
_KINDS = (("busy_h", "accent"), ("idle_h", "bad"), ("unseen_h", "quiet"))


def build(view: View) -> Part | None:
    """Return hours by day, team and device, the next run, marks of the run, and what-ifs; None where no GPU is known."""
    rest = [run for run in view.assessment.runs if run is not view.run]
    found = capacity([(run.log, run.ledger) for run in (view.run, *rest)], view.plan)
    if not found.uses:
        return None
    blocks: list[Block] = [*_bar(found), _days(found)]
    blocks += [one for one in (_devices(found), _owners(found)) if one is not None]
    blocks += _contention(found)
    blocks += [_next_run(found), *_course(view), *_what_ifs(view), *footprint.sections(view)]
    return Part("capacity", words.label("capacity.short"), _title(found), tuple(blocks), fresh=False)


def _title(found: Capacity) -> str:
    busy, idle, unseen = (found.total(name) for name, _ in _KINDS)
    total = words.hours(busy + idle + unseen)
    if busy + idle <= 0:
        return words.label("capacity.title_unseen", hours=total)
    return words.label("capacity.title", hours=total, share=words.share(idle / (busy + idle)))


def _bar(found: Capacity) -> list[Block]:
    """Return one bar of all hours held, where there is more than one kind."""
    hours = [(words.label(f"capacity.{name}"), found.total(name), tone) for name, tone in _KINDS]
    there = [one for one in hours if one[1] > 0]
    whole = sum(value for _, value, _ in there)
    if len(there) < 2:
        return []
    slices = tuple(Slice(name, words.hours(value), value / whole, tone) for name, value, tone in there)  # type: ignore[arg-type]
    return [Spread(slices, words.label("capacity.bar", parts=words.joined([f"{one.name} {one.amount}" for one in slices])))]


def _hours(found: Capacity, of: Callable[[Use], tuple[str, ...]], heads: tuple[str, ...]) -> Table:
    """Return busy, idle and unseen hours by what `of` says of a use, in the order in which it comes."""
    sums: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for use in found.uses:
        for at, (name, _) in enumerate(_KINDS):
            sums[of(use)][at] += getattr(use, name)
    kinds = [(at, name) for at, (name, _) in enumerate(_KINDS) if found.total(name) > 0]
    columns = [Column(words.label(f"capacity.{head}"), 1.6) for head in heads]
    columns += [Column(words.label(f"capacity.{name}"), 1.0, "right") for _, name in kinds]
    rows = tuple(
        Row(
            (
                *(Cell(text or words.label("capacity.not_recorded")) for text in key),
                *(Cell(words.hours(values[at]) if values[at] else "–") for at, _ in kinds),
            )
        )
        for key, values in list(sums.items())[:_MOST_ROWS]
    )
    more = len(sums) - _MOST_ROWS
    return Table(tuple(columns), rows, words.label("capacity.more", n=words.count(more)) if more > 0 else "", dense=True)


def _days(found: Capacity) -> Table:
    table = _hours(found, lambda use: (use.day.isoformat() if use.day else "",), ("day",))
    note = words.label("capacity.how", share=words.share(BUSY_FROM))
    return Table(table.columns, table.rows, " ".join(part for part in (note, table.note) if part), dense=True)


def _devices(found: Capacity) -> Section | None:
    if len({(use.node, use.device) for use in found.uses}) < 2:
        return None
    table = _hours(found, lambda use: (f"{use.node} {use.device}" if use.node else use.device, use.model or ""), ("device", "model"))
    return Section("capacity-devices", words.label("capacity.by_device"), (table,))


def _owners(found: Capacity) -> Section | None:
    """Return what each team and project took, where any is named."""
    if not any(one.team or one.project for one in found.owned):
        return None
    missing = words.label("capacity.not_recorded")
    rows = tuple(
        Row(
            (
                Cell(one.team or missing),
                Cell(one.project or missing),
                Cell(words.count(one.runs)),
                Cell("–" if one.gpu_hours is None else words.hours(one.gpu_hours)),
                Cell("–" if one.cost is None else words.money(one.cost)),
            )
        )
        for one in found.owned[:_MOST_ROWS]
    )
    heads = (("team", "left"), ("project", "left"), ("runs", "right"), ("gpu_hours", "right"), ("cost", "right"))
    columns = tuple(Column(words.label(f"capacity.{name}"), 1.2, align) for name, align in heads)  # type: ignore[arg-type]
    return Section("capacity-owners", words.label("capacity.by_owner"), (Table(columns, rows, "", dense=True),))


def _contention(found: Capacity) -> list[Block]:
    """Return which devices several runs held at once, and how long jobs waited, as far as the logs say."""
    items = [
        Term(
            f"{one.node} {one.device}" if one.node else one.device,
            (words.label("capacity.shared", hours=words.hours(one.hours), runs=words.joined([words.short(run, 40) for run in one.runs])),),
        )
        for one in found.shared[:_MOST_ROWS]
    ]
    waits = sorted(seconds for _, seconds in found.waits)
    if waits:
        longest = words.label("capacity.waited", runs=words.count(len(waits)), longest=words.duration(waits[-1]))
        items.append(Term(words.label("capacity.queue"), (longest,)))
    if not items:
        return [Paragraph(words.label("capacity.nothing_shared"), "quiet")]
    title = words.label("capacity.contention" if found.shared else "capacity.no_contention")
    return [Section("capacity-contention", title, (Definitions(tuple(items), narrow=True),))]


def _next_run(found: Capacity) -> Section:
    one = found.next_run
    if not isinstance(one, NextRun):
        return Section("next-run", words.label("capacity.next_unknown"), (Paragraph(retold(f"{words.capital(one)}.")),))
    needs = [
        ("gpu_hours", _range(one.gpu_hours, words.hours)),
        ("duration", _range(one.wall_s, words.duration)),
        ("memory", _range(one.memory_bytes, words.memory)),
        ("cost", None if one.cost is None else _said([words.money(money) for money in one.cost])),
        ("disk", None),
    ]
    missing = words.label("capacity.not_logged")
    items = tuple(Term(words.label(f"capacity.{name}"), (text or missing,)) for name, text in needs)
    basis = words.label("capacity.basis_one" if one.runs == 1 else "capacity.basis", n=words.count(one.runs), kind=one.kind)
    inside = "" if one.inside is None else " " + words.label("capacity.inside", share=words.share(one.inside))
    middle = one.gpu_hours.mid if one.gpu_hours is not None else None
    title = words.label("capacity.next", hours="–" if middle is None else words.hours(middle))
    return Section("next-run", title, (Definitions(items, narrow=True), Paragraph(basis + inside, "quiet")))


def _range(found: Range | None, say: Callable[[float], str]) -> str | None:
    return None if found is None else _said([say(found.low), say(found.mid), say(found.high)])


def _said(texts: list[str]) -> str:
    """Return the middle one of three, with the lowest and the highest where they read otherwise."""
    low, mid, high = texts
    return mid if low == high else words.label("capacity.range", mid=mid, low=low, high=high)


def _course(view: View) -> list[Block]:
    """Return what the leading run took up to its marks, and will have taken at its end."""
    course = view.run.course
    marks = [("to_convergence", course.to_convergence), ("to_best", course.to_best)]
    whole = course.at_completion
    rows = [_mark(name, taken, course.why[name]) for name, taken in marks if taken is not None]
    if whole is not None:
        rows.append(_mark("at_completion", whole.mid, course.why["at_completion"], whole.low, whole.high))
    if not rows:
        return []
    heads = (("mark", 1.3, "left"), ("duration", 1.3, "right"), ("gpu_hours", 1.3, "right"), ("cost", 1.4, "right"), ("known", 3.6, "left"))
    columns = tuple(Column(words.label(f"capacity.{name}"), width, align) for name, width, align in heads)  # type: ignore[arg-type]
    title = words.label("capacity.course_ahead" if whole is not None else "capacity.course", run=words.short(view.run.log.run.name, 40))
    return [Section("course", title, (Table(columns, tuple(rows), "", dense=True),))]


def _mark(name: str, taken: Taken, why: str, low: Taken | None = None, high: Taken | None = None) -> Row:
    parts = [taken, low, high]
    cells = [
        Cell(words.label(f"capacity.{name}"), strong=True),
        _amount([None if one is None or one.wall_s is None else words.duration(one.wall_s) for one in parts]),
        _amount([None if one is None or one.gpu_hours is None else words.hours(one.gpu_hours) for one in parts]),
        _amount([None if one is None or one.cost is None else words.money(one.cost) for one in parts]),
        Cell(retold(f"{words.capital(why)}.")),
    ]
    return Row(tuple(cells))


def _amount(texts: list[str | None]) -> Cell:
    """Return the first amount, with the others as the ends of its interval below."""
    mid, low, high = texts
    between = words.label("capacity.between", low=low, high=high) if low is not None and high is not None and low != high else ""
    return Cell(mid or "–", note=between)


def _what_ifs(view: View) -> Iterable[Block]:
    found = view.assessment.decision.what_ifs
    if not found:
        return []
    heads = (("option", 1.6), ("does", 3.4), ("saves", 1.2), ("costs", 1.3), ("chance", 1.3), ("who", 1.1))
    right = ("saves", "costs")
    columns = tuple(
        Column(words.label("capacity.saves" if name == "saves" else f"column.{name}"), width, "right" if name in right else "left")
        for name, width in heads
    )
    rows = tuple(_what_if(one) for one in found)
    return [
        Section("what-ifs", words.label("capacity.what_ifs"), (Table(columns, rows, words.label("capacity.what_ifs_note"), dense=True),))
    ]


def _what_if(one: Option) -> Row:
    saves = "–" if one.saves is None else words.money(one.saves)
    costs = retold(one.cost_note) if one.cost is None else words.money(one.cost)
    return Row(
        (
            Cell(retold(one.title), strong=True),
            Cell(retold(one.does)),
            Cell(saves, note=retold(one.saves_note)),
            Cell(costs or "–", note="" if one.cost is None else retold(one.cost_note)),
            Cell(retold(one.chance)),
            Cell(retold(one.who)),
        )
    )
