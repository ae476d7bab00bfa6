"""How often the judgements are right: the figures that the benchmark measured, and what has none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport import detectors
from trainreport.detectors import accuracy
from trainreport.reports import words
from trainreport.reports.blocks import Cell, Column, Paragraph, Part, Row, State, Table
from trainreport.reports.retold import retold

if TYPE_CHECKING:
    from trainreport.detectors.accuracy import Measured
    from trainreport.reports.blocks import Block
    from trainreport.reports.view import View

__all__ = ["build"]

_CODE = re.compile(r"TR\d{3}")
_SIMULATED = "simulated"
_SMALL = 0.01  # below, two digits tell as much as three above
_RANGE = 2  # codes; more stand as first and last


def build(view: View) -> Part:
    """Return the measured figures, alike ones in one row, and the checks that have none."""
    figures = _figures()
    if not figures:
        text = Paragraph(words.label("accuracy.none_text"))
        return Part("accuracy", words.label("short.accuracy"), words.label("accuracy.none"), (text,), fresh=False)
    blocks: list[Block] = [_table(figures), Paragraph(words.label("accuracy.how"), "quiet")]
    without = _without(figures)
    if without:
        blocks.append(Paragraph(f"{words.joined(without, len(without))}.", "quiet", strong=words.label("accuracy.without")))
    return Part("accuracy", words.label("short.accuracy"), _title(figures), tuple(blocks), fresh=False)


def _figures() -> tuple[Measured, ...]:
    try:
        return accuracy.measured()
    except FileNotFoundError:
        return ()


def _title(figures: tuple[Measured, ...]) -> str:
    held = [one for one in figures if one.met is not None]
    met = sum(one.met is True for one in held)
    return words.label("accuracy.title", met=met, n=len(held))


def _table(figures: tuple[Measured, ...]) -> Table:
    benches: dict[str, dict[tuple[str, float | None, bool], list[Measured]]] = {}
    for one in figures:
        benches.setdefault(one.bench, {}).setdefault((_kind(one.measure), one.bar, one.at_least), []).append(one)
    rows = []
    for bench, kinds in benches.items():
        said: set[str] = set()
        for i, same in enumerate(kinds.values()):
            rows.append(Row((Cell("" if i else _data(bench, same)), *_cells(same, said))))
            said |= set(_worst(same).note.split("; "))
    columns = (
        Column(words.label("column.bench"), 1.9),
        Column(words.label("column.measure"), 2.9),
        Column(words.label("column.value"), 0.85, "right"),
        Column(words.label("column.bar"), 1.35),
        Column(words.label("column.behind"), 3.8),
    )
    return Table(columns, tuple(rows), dense=True)


def _kind(measure: str) -> str:
    """Return what alike figures have in common: the words between a colon and a comma, numbers left out."""
    return re.sub(r"\d+(\.\d+)?", "#", measure.rpartition(": ")[2].partition(",")[0])


def _data(bench: str, same: list[Measured]) -> str:
    simulated = any(_SIMULATED in text.lower() for one in same for text in (one.measure, one.note)) and _SIMULATED not in bench.lower()
    return retold(f"{words.capital(bench)}, {_SIMULATED}" if simulated else words.capital(bench))


def _worst(same: list[Measured]) -> Measured:
    return min(same, key=lambda one: one.value if one.at_least else -one.value)


def _cells(same: list[Measured], said: set[str]) -> tuple[Cell, ...]:
    """Return one figure, or the worst of several alike ones; what is `said` above of the same bench is not said again."""
    worst = _worst(same)
    among = "" if len(same) == 1 else words.label(f"accuracy.{'lowest' if worst.at_least else 'highest'}", n=len(same))
    note = "; ".join(clause for clause in worst.note.split("; ") if clause not in said)
    value = words.number(worst.value, 3 if worst.value >= _SMALL else 2)
    return Cell(f"{retold(words.capital(worst.measure))}{among}"), Cell(value), _bar(worst, same), Cell(retold(words.capital(note)))


def _bar(worst: Measured, same: list[Measured]) -> Cell:
    if worst.bar is None:
        return Cell(words.label("accuracy.no_bar"))
    missed = sum(one.met is False for one in same)
    limit = f"{'≥' if worst.at_least else '≤'}{words.GAP}{words.number(worst.bar)}"
    if not missed:
        return Cell("", state=State("✓", words.label("accuracy.met", limit=limit), "good"))
    return Cell("", state=State("✕", words.label("accuracy.missed", n=missed if len(same) > 1 else "", limit=limit).strip(), "bad"))


def _without(figures: tuple[Measured, ...]) -> list[str]:
    """Return the codes of the catalogue that no figure names, those in a row as ``TR001 to TR006``."""
    named = {code for one in figures for code in _CODE.findall(f"{one.bench} {one.measure}")}
    ranges: list[list[str]] = []
    before = ""
    for code in detectors.codes():
        if code not in named:
            if before and ranges and ranges[-1][-1] == before:
                ranges[-1].append(code)
            else:
                ranges.append([code])
        before = code
    return [
        text
        for codes in ranges
        for text in ([words.label("evidence.range", low=codes[0], high=codes[-1])] if len(codes) > _RANGE else codes)
    ]
