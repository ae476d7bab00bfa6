"""CSV that a panel of Grafana exports: series in columns or in rows, plain numbers or formatted ones."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.gauges.exposition import is_blank
from trainreport.importers.gauges.labels import Numbering, Owner
from trainreport.importers.gauges.legend import amount_of, meaning_of_legend, owner_of_legend
from trainreport.importers.gauges.samples import Samples, recording_of_samples
from trainreport.importers.smi.table import Column, decode, plain
from trainreport.importers.smi.times import times_of
from trainreport.importers.tables.delimited import header_of, once
from trainreport.importers.tables.found import Troubles, content_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_SEP = re.compile(r"\ufeff?sep=(.)\r?\n", re.IGNORECASE)
_FIRST = re.compile(r'(?:"[Tt]ime"|"Series"(?=[,;\t]"Time"))([,;\t])"')
_OTHERS = re.compile(r'"(?:step|epoch|iteration|global_step|_step|batch)"', re.IGNORECASE)
_MOST_COLUMNS = 4096

_Cell = tuple[int, str, str, str]
"""Line, legend, time and value as written."""


class GrafanaCsv:
    """Reads every series; the metric and the GPU are told by its legend, else by the panel's title in the name of the file."""

    name = "grafana-csv"
    title = "CSV of a Grafana panel (series in columns or rows, with or without sep=, formatted or not)"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether all names of columns are in quotation marks as Grafana puts them, the time first, and no step beside it."""
        del path
        text = decode(head).removeprefix("\ufeff")
        told = _SEP.match(text)
        first = _FIRST.match(text[told.end() :] if told else text)
        line = text[told.end() if told else 0 :].split("\n", 1)[0]
        return first is not None and _OTHERS.search(line) is None and header_of(head) is not None

    def read(self, source: Source) -> Recording:
        """Read all cells; null, undefined and empty ones are no number, NaN is one."""
        troubles, samples, numbering = Troubles(source), Samples(), Numbering()
        text = decode(plain(content_of(source))).removeprefix("\ufeff")
        cells = list(_cells(text, troubles))
        if not cells:
            raise InputError("a header of Grafana but no number below it")
        comma, owners = _delimiter(text) == ";", dict[str, Owner]()
        times = times_of(Column.from_cells(when for _, _, when, _ in cells), source.zone)
        for (line, legend, _, written), ns in zip(cells, times.ns.tolist(), strict=True):
            meaning = meaning_of_legend(legend, source.path.stem)
            value = amount_of(written, meaning.written_unit, comma=comma)
            if value is None:
                troubles.add(f"line {line}", f"{legend[:60]}: found {written[:40]!r}; expected a number", kind=f"column {legend[:60]}")
            elif is_blank(legend, value):
                samples.blanks[legend] += 1
            else:
                owner = owners.get(legend) or owners.setdefault(legend, owner_of_legend(legend, numbering))
                samples.add(legend, meaning, value, ns, device=owner.device, node=owner.node)
        if times.problem:
            troubles.add("", times.problem, about="clock")
        return recording_of_samples(
            self.name, source, samples, troubles, clock=times.clock, models=numbering.models, skipped=troubles.count
        )


def _delimiter(text: str) -> str:
    told = _SEP.match(text)
    first = _FIRST.match(text)
    return told[1] if told else first[1] if first else ","


def _cells(text: str, troubles: Troubles) -> Iterator[_Cell]:
    told = _SEP.match(text)
    body = text[told.end() :] if told else text
    delimiter = _delimiter(text)
    reader = csv.reader(body.split("\n"), delimiter=delimiter)
    above = 1 if told else 0
    names: list[str] = []
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            troubles.add(f"line {above + reader.line_num}", str(error), kind="rows")
            continue
        if row is None:
            return
        row = [cell.strip() for cell in row]
        if not any(row):
            continue
        if not names:
            names = list(once(row[:_MOST_COLUMNS]))
        elif len(row) < len(names):
            troubles.add(f"line {above + reader.line_num}", f"{len(row)} cells; expected {len(names)}", kind="rows")
        else:
            yield from _of_row(above + reader.line_num, names, row)


def _of_row(line: int, names: list[str], row: list[str]) -> Iterator[_Cell]:
    """Yield the cells of a row that hold something: one of ``Series, Time, Value``, or each but the time."""
    lower = [name.lower() for name in names]
    if lower[:3] == ["series", "time", "value"]:
        found = [(line, row[0], row[1], row[2])]
    else:
        at = lower.index("time") if "time" in lower else 0
        found = [(line, name, row[at], cell) for place, (name, cell) in enumerate(zip(names, row, strict=False)) if place != at]
    yield from (one for one in found if one[1] and one[3].lower() not in {"", "null", "undefined", "-"})


IMPORTER: Importer = GrafanaCsv()
