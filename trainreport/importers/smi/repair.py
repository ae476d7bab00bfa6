"""Finds columns that do not hold what their heading says, by the range of their numbers, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.smi.devices import repeats
from trainreport.importers.smi.fields import FIELDS, SHARES, TEXTS, Heading, meaning_of
from trainreport.importers.smi.numbers import GIVEN
from trainreport.model.run import Problem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.smi.log import Log, Measure
    from trainreport.importers.smi.table import Column

__all__ = ["LARGEST_BOARD_W", "checked", "named_by_rows"]

LARGEST_BOARD_W = 1500.0
"""No GPU takes as much (a B300 1,400 W): a median above it is in mW, as NVML and Jetson count."""
_MOST = 0.9
"""Share of rows that must contradict a heading before it is not believed; a few are damage."""


def named_by_rows(log: Log, ns: npt.NDArray[np.int64]) -> tuple[Log, list[Problem]]:
    """Return the log with ``gpu,index`` renamed where they are an index and a utilization: the query asked for another thing."""
    fields = [heading.field for heading in log.headings]
    if "index" not in fields or not repeats(log.table.columns[fields.index("index")], ns):
        return log, []
    unknown = [place for place, field in enumerate(fields) if field not in FIELDS and field not in TEXTS]
    numbering = [place for place in unknown if _numbers_gpus(log.table.columns[place], ns)]
    if len(numbering) != 1:
        return log, []
    headings = list(log.headings)
    place, wrong = numbering[0], fields.index("index")
    index, other = headings[place], headings[wrong]
    headings[place] = index._replace(field="index", why=f"column {index.logged!r} numbers the rows of each sample")
    told = f"column {other.logged!r} does not number the rows of a sample, column {index.logged!r} does"
    if "utilization.gpu" not in fields and _whole_shares(log.table.columns[wrong]):
        why = f"column {other.logged!r} numbers no GPUs and holds whole numbers from 0 to 100, as utilization.gpu does"
        headings[wrong] = other._replace(field="utilization.gpu", unit="%", why=why)
        told = f"{told}; read as utilization.gpu and index: the header is not that of the query"
    else:
        headings[wrong] = other._replace(field="misnamed.index")
        told = f"{told}; the first is kept as a number of unknown meaning"
    return log._replace(headings=headings), [Problem(log.name, f"line {log.header_line}", told, about="meaning")]


def _numbers_gpus(column: Column, ns: npt.NDArray[np.int64]) -> bool:
    return all(text.isascii() and text.isdigit() and int(text) < 1000 for text in column.texts) and not repeats(column, ns)


def _whole_shares(column: Column) -> bool:
    return all(text.isascii() and text.isdigit() and int(text) <= 100 for text in column.texts)


def checked(log: Log, measures: list[Measure]) -> tuple[list[Measure], list[Problem]]:
    """Return measures with the meaning that their numbers allow, and a problem for each that has another than its heading."""
    told: list[str] = []
    found = [_in_milliwatts(_too_large(one, told), told) for one in measures]
    found = _exchanged(found, told)
    place = f"line {log.header_line}" if log.header_line else ""
    return found, [Problem(log.name, place, what, about="meaning") for what in told]


def _renamed(one: Measure, heading: Heading) -> Measure:
    return one._replace(heading=heading, meaning=meaning_of(heading, one.numbers.unit))


def _too_large(one: Measure, told: list[str]) -> Measure:
    """Take the meaning from a column of shares that are nearly all above 100 %."""
    if one.heading.field not in SHARES or one.meaning.written_unit != "%":
        return one
    above = (one.numbers.states == GIVEN) & ((one.numbers.values > 100) | (one.numbers.values < 0))
    if not above.any() or above[one.codes].mean() < _MOST:
        return one
    largest = one.numbers.values[one.numbers.states == GIVEN].max()
    told.append(f"column {one.heading.logged!r} goes to {largest:g}, which no share in % does; kept as a number of unknown meaning")
    heading = one.heading._replace(field=f"misnamed.{one.heading.field}", unit="", why=told[-1])
    return one._replace(heading=heading, meaning=meaning_of(heading, ""))


def _in_milliwatts(one: Measure, told: list[str]) -> Measure:
    """Read power above what any board takes as mW."""
    import numpy as np

    given = one.numbers.states == GIVEN
    if one.meaning.written_unit != "W" or not given.any() or one.numbers.values[given].max() <= LARGEST_BOARD_W:
        return one
    median = float(np.median(one.numbers.values[one.codes[given[one.codes]]]))
    if not LARGEST_BOARD_W < median < LARGEST_BOARD_W * 1000:
        return one
    told.append(f"{one.heading.logged} has a median of {median:.10g} W; no GPU takes {LARGEST_BOARD_W:g} W, so it was read as mW")
    meaning = one.meaning._replace(written_unit="mW", why=f"{one.meaning.why}; {told[-1]}")
    return one._replace(meaning=meaning, repaired=True)


def _exchanged(measures: list[Measure], told: list[str]) -> list[Measure]:
    """Exchange memory.used and memory.total where nearly all rows use more than there is."""
    places = {one.heading.field: place for place, one in enumerate(measures) if one.heading.device is None and one.column.rows is None}
    if not {"memory.used", "memory.total"} <= places.keys():
        return measures
    used, total = measures[places["memory.used"]], measures[places["memory.total"]]
    if any((one.numbers.states != GIVEN).any() for one in (used, total)) or used.numbers.values.max() <= total.numbers.values.min():
        return measures
    if (used.numbers.values[used.codes] > total.numbers.values[total.codes]).mean() < _MOST:
        return measures
    told.append("memory.used is above memory.total; the two headings were taken as exchanged")
    swapped = list(measures)
    swapped[places["memory.used"]] = _renamed(used, used.heading._replace(field="memory.total", why=told[-1]))
    swapped[places["memory.total"]] = _renamed(total, total.heading._replace(field="memory.used", why=told[-1]))
    return swapped
