"""Where the panels of a chart stand, in millimetres, and how their numbers become places."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.reports import ticks
from trainreport.reports.pen import text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.reports.spec import Axis, FigureSpec, Panel

__all__ = ["LABEL_PT", "Box", "Placed", "place"]

LABEL_PT = 7.8
_TITLE_MM, _GAP_MM, _FOOT_MM = 5.2, 2.6, 5.0
_ROW_MM = 9.0  # one tick label each so many millimetres


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in millimetres from the lower left."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.left + self.width

    @property
    def top(self) -> float:
        """Upper edge."""
        return self.bottom + self.height

    def overlap(self, other: Box) -> float:
        """Return the area that both cover."""
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(across, 0.0) * max(up, 0.0)


@dataclass(frozen=True, slots=True)
class Placed:
    """A panel with its box, its limits and its ticks."""

    panel: Panel
    box: Box
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    x_labels: bool
    y_labels: bool
    label_room: float

    def x(self, value: Any) -> Any:
        """Return the place of an x value (number or array)."""
        low, high = self.x_range
        return self.box.left + (value - low) / (high - low) * self.box.width

    def y(self, value: Any) -> Any:
        """Return the place of a y value (number or array)."""
        low, high = self.y_range
        if self.panel.y.log:
            import numpy as np

            value = np.log10(np.maximum(value, low * 1e-3))
            low, high = math.log10(low), math.log10(high)
        return self.box.bottom + (value - low) / (high - low) * self.box.height


def place(spec: FigureSpec) -> Iterator[Placed]:
    """Yield each panel in its place: stacked over one x axis, or in a grid of one scale."""
    x_range = _x_range(spec)
    columns = max(1, spec.columns)
    rows = -(-len(spec.panels) // columns)
    right = max((_end_width(panel) for panel in spec.panels), default=0.0)
    y_ranges = [_y_range(panel.y) for panel in spec.panels]
    heights = _heights(spec, rows)
    y_ticks = [
        ticks.places(panel.y, *limits, max(3, int(heights[i // columns] / _ROW_MM)))
        for i, (panel, limits) in enumerate(zip(spec.panels, y_ranges, strict=True))
    ]
    left = max((text_width(text, LABEL_PT) for found in y_ticks for _, text in found), default=4.0) + 2.0
    gutter = 4.0 if columns > 1 else 0.0
    width = (spec.width_mm - left - max(right, 2.0) - gutter * (columns - 1)) / columns
    x_ticks = ticks.places(spec.x, *x_range, max(3, int(width / 14.0)))
    top = spec.height_mm
    for i, panel in enumerate(spec.panels):
        row, column = divmod(i, columns)
        if column == 0:
            top -= _TITLE_MM + (heights[row - 1] + _GAP_MM if row else 0.0)
        box = Box(left + column * (width + gutter), top - heights[row], width, heights[row])
        lowest = i + columns >= len(spec.panels)
        yield Placed(panel, box, x_range, y_ranges[i], x_ticks, y_ticks[i], lowest, column == 0, right)


def _heights(spec: FigureSpec, rows: int) -> list[float]:
    shares = [spec.panels[i * max(1, spec.columns)].height for i in range(rows)]
    room = spec.height_mm - _FOOT_MM - rows * _TITLE_MM - (rows - 1) * _GAP_MM
    return [room * share / sum(shares) for share in shares]


def _end_width(panel: Panel) -> float:
    texts = [line for curve in panel.lines for line in curve.label.split("\n") if line]
    texts += [line for fan in panel.fans for line in fan.label.split("\n")]
    texts += [level.label for level in panel.levels if panel.crowded]
    return max((text_width(text, LABEL_PT) for text in texts), default=0.0) + (2.5 if texts else 1.0)


def _x_range(spec: FigureSpec) -> tuple[float, float]:
    import numpy as np

    low, high = spec.x.low, spec.x.high
    ends = [(float(np.nanmin(line.x)), float(np.nanmax(line.x))) for panel in spec.panels for line in panel.lines if len(line.x)]
    ends += [(fan.x, fan.end) for panel in spec.panels for fan in panel.fans]
    low = min((a for a, _ in ends), default=0.0) if low is None else low
    high = max((b for _, b in ends), default=1.0) if high is None else high
    low = 0.0 if 0 < low < 0.1 * high else low
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _y_range(axis: Axis) -> tuple[float, float]:
    low, high = axis.low or 0.0, 1.0 if axis.high is None else axis.high
    if axis.log:
        return 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
    return (low, high) if high > low else (low - 0.5, low + 0.5)
