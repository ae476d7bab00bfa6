"""What a chart shows, as a table: each line read at round places of the x axis and at its end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trainreport.reports import ticks, words
from trainreport.reports.blocks import Cell, Column, Row, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainreport.reports.spec import FigureSpec, Line, Panel

__all__ = ["marked", "readings"]

_MOST_PLACES = 6
_NARROW_MM, _FEW_PLACES = 100.0, 3  # of a chart beside another, whose table has no room for more
_NAMES = 2.4  # width of the column of names, in columns of numbers
_NONE = "–"
_SAID: dict[str, Callable[[float], str]] = {
    "share": words.share,
    "count": words.count,
    "bytes": words.memory,
    "number": words.number,
    "money": words.number,
}


def readings(spec: FigureSpec) -> Table | None:
    """Return one row for each line that is not faint, one column for each place; None where there is nothing to read."""
    places = _places(spec)
    if not places:
        return None
    reach = (places[1][0] - places[0][0]) / 2 if len(places) > 1 else math.inf
    rows = tuple(
        Row((Cell(_name(panel, line)), *(Cell(_said(panel, _at(line, x, reach))) for x, _ in places)))
        for panel in spec.panels
        for line in _shown(panel)
    )
    return Table((Column(spec.x.unit, _NAMES), *(Column(text, align="right") for _, text in places)), rows)


def marked(spec: FigureSpec) -> str:
    """Return what is marked in a chart: levels, points, moments, bands and forecasts, each once."""
    labels = [label.replace("\n", " ") for panel in spec.panels for label in _labels(panel) if label]
    return " · ".join(dict.fromkeys(labels))


def _labels(panel: Panel) -> list[str]:
    return [
        *(level.label for level in panel.levels),
        *(mark.label for mark in panel.marks),
        *(moment.label for moment in panel.moments),
        *(band.label for band in panel.bands),
        *(fan.label for fan in panel.fans),
    ]


def _shown(panel: Panel) -> list[Line]:
    return [line for line in panel.lines if line.weight != "faint"]


def _places(spec: FigureSpec) -> list[tuple[float, str]]:
    import numpy as np

    xs = [line.x[np.isfinite(line.x)] for panel in spec.panels for line in _shown(panel)]
    if not any(len(x) for x in xs):
        return []
    known = np.concatenate(xs)
    low = float(known.min()) if spec.x.low is None else spec.x.low
    high = float(known.max()) if spec.x.high is None else spec.x.high
    most = _FEW_PLACES if spec.width_mm < _NARROW_MM else _MOST_PLACES
    if spec.x.places:
        return ticks.places(spec.x, low, high, most)
    round_ones = [place for place, _ in ticks.places(spec.x, low, high, most)]
    return [(place, _SAID[spec.x.form](place)) for place in dict.fromkeys((*round_ones, high))]


def _name(panel: Panel, line: Line) -> str:
    title = ", ".join(part for part in (panel.title, panel.y.unit) if part)
    name = line.label.split("\n")[0]  # what stands below it is the value at the end, which the last column has
    return f"{title}: {name}" if len(_shown(panel)) > 1 else title


def _at(line: Line, x: float, reach: float) -> float:
    """Return the line's height at `x`; that of its end where `x` lies less than `reach` beyond, else NaN."""
    import numpy as np

    known = np.isfinite(line.x)
    order = np.argsort(line.x[known], kind="stable")
    xs, ys = line.x[known][order], line.y[known][order]
    if not len(xs) or not xs[0] - reach <= x <= xs[-1] + reach:
        return math.nan
    return float(np.interp(x, xs, ys))


def _said(panel: Panel, value: float) -> str:
    return _SAID[panel.y.form](value) if math.isfinite(value) else _NONE
