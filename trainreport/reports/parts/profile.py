"""What a profiler recorded: each measure of the steps in its window, the worst GPU or process first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.business.profiled import STEP_TIME, profiled
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Row, Section, Table

if TYPE_CHECKING:
    from trainreport.business.profiled import Measure, Profiled, Told
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["section"]

_MOST_NAMED = 3  # owners named below the worst
_NODE_LETTERS = 24
_BUSY, _INPUT_WAIT, _LAUNCH_WAIT = "profile/gpu_busy", "profile/input_wait", "profile/launch_wait"
_HOLDING_UP = (_INPUT_WAIT, _LAUNCH_WAIT, "profile/communication_exposed")
"""Copies are not among them: most of them run beside kernels."""


def section(view: View) -> tuple[Section, ...]:
    """Return the section of profiles of the leading run; nothing where there is none."""
    found = profiled(view.run.log)
    if found is None:
        return ()
    limit = _limit(found)
    blocks: tuple[Block, ...] = (Paragraph(_window(found)), _table(found), *([Paragraph(limit, "quiet")] if limit else []))
    return (Section("profile", _title(found), blocks),)


def _title(found: Profiled) -> str:
    of = words.counted("profile.of", found.steps) if found.steps else words.label("profile.of_part")
    busy, waited, step = found.named(_BUSY), found.named(_INPUT_WAIT), found.named(STEP_TIME)
    said = []
    if busy is not None:
        said.append(words.counted("profile.busy", len(busy.told), share=words.share(busy.told[0].median)))
    if waited is not None:
        said.append(words.label("profile.waited" if said else "profile.waited_alone", share=words.share(waited.told[0].median)))
    elif not said and step is not None:
        said.append(words.label("profile.took", time=_seconds(step.told[0].median)))
    return words.label("profile.title", of=of, said=", ".join(said)) if said else of


def _window(found: Profiled) -> str:
    if not found.steps:
        return words.label("profile.window_unmarked")
    if found.seconds is None:
        return words.counted("profile.window_untimed", found.steps)
    return words.counted("profile.window", found.steps, time=_seconds(found.seconds))


def _table(found: Profiled) -> Table:
    several = any(len(one.told) > 1 for one in found.measures)
    spread = any(one.n > 1 for measure in found.measures for one in measure.told)
    columns = (
        Column(words.label("column.what"), 2.0),
        Column(words.label("profile.median" if spread else "profile.value"), 0.9, "right"),
        *([Column(words.label("profile.range"), 1.5, "right")] if spread else []),
        *([Column(words.label("profile.where"), 2.2)] if several else []),
        Column(words.label("column.known"), 3.6),
    )
    rows = tuple(_row(one, several=several, spread=spread) for one in found.measures)
    return Table(columns, rows, words.label("profile.order") if several else "", dense=True)


def _row(measure: Measure, *, several: bool, spread: bool) -> Row:
    worst, key = measure.told[0], _key(measure.name)
    cells = [Cell(words.label(f"profile_name.{key}"), strong=True), Cell(_said(measure, worst.median))]
    cells += [Cell(_range(measure, worst))] if spread else []
    cells += [_where(measure)] if several else []
    return Row((*cells, Cell(words.label(f"profile_known.{key}"))))


def _key(name: str) -> str:
    return name.partition("/")[2].partition(" ")[0]


def _range(measure: Measure, one: Told) -> str:
    if one.n == 1:
        return words.label("profile.once")
    return words.label("profile.from_to", low=_said(measure, one.low), high=_said(measure, one.high))


def _where(measure: Measure) -> Cell:
    """Return the worst owner and the next ones with their values, how many more there are counted; where all read alike, that."""
    worst, *others = measure.told
    values = [_said(measure, one.median) for one in measure.told]
    if others and len(set(values)) == 1:
        return Cell(words.label("profile.same", n=words.count(len(values))))
    items = [words.label("profile.owner", owner=_owner(one), value=value) for one, value in zip(others, values[1:], strict=True)]
    return Cell(_owner(worst), note=words.label("profile.then", items=words.joined(items, _MOST_NAMED)) if items else "")


def _owner(one: Told) -> str:
    rank = "" if one.rank is None else words.label("profile.rank", n=one.rank)
    named = " ".join(part for part in (words.short(one.node or "", _NODE_LETTERS), one.device, rank) if part)
    return named.replace(" ", words.GAP) or words.label("profile.all")


def _said(measure: Measure, value: float) -> str:
    return words.share(value) if measure.unit == "1" else _seconds(value)


def _seconds(value: float) -> str:
    """Return a time; those of kernels and calls in the unit of their size."""
    if value >= 1 or value <= 0:
        return words.duration(value)
    return words.quantity(value * 1e3, "ms") if value >= 1e-3 else words.quantity(value * 1e6, "µs")


def _limit(found: Profiled) -> str:
    """Return what of the shares told holds a step up most, without a judgement; nothing where none does."""
    shares = {name: measure.told[0].median for name in _HOLDING_UP if (measure := found.named(name)) is not None}
    name = max(shares, key=shares.__getitem__, default="")
    if not name or shares[name] <= 0:
        return ""
    said = [words.label(f"profile.limit_{_key(name)}", share=words.share(shares[name]))]
    short = found.named("profile/short_kernels")
    if name == _LAUNCH_WAIT and short is not None:
        said.append(words.label("profile.short_too", share=words.share(short.told[0].median)))
    return " ".join([*said, words.label("profile.not_judged")])
