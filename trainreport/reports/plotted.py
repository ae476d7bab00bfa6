"""The numbers of a chart for the script of the HTML report: where its panels stand, and the points of its lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from trainreport.reports import layout
from trainreport.reports.decimate import decimate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.reports.layout import Placed
    from trainreport.reports.spec import FigureSpec, Line, Panel

__all__ = ["plotted"]

_POINTS = 400  # of all lines of a chart: keeps an ordinary report under 400 KB; the lowest and the highest of each column stay
_FIGURES = 4


def plotted(spec: FigureSpec) -> dict[str, Any]:
    """Return a chart as plain lists, in millimetres from the upper left, small enough to travel within a page.

    Parameters
    ----------
    spec : FigureSpec
        Faint lines, which show raw values behind a smoothed one, are left out.
    """
    placed = list(layout.place(spec))
    lines = sum(len(_shown(panel)) for panel in spec.panels)
    columns = max(10, _POINTS // max(2 * lines, 1))
    axis = {"form": spec.x.form, "unit": spec.x.unit, "places": spec.x.places}
    whole = spec.x.form == "count" or bool(spec.x.places)
    return {
        "size": [spec.width_mm, spec.height_mm],
        "stacked": spec.columns <= 1,
        "x": {**axis, "range": placed[0].x_range if placed else (0, 1)},
        "panels": [_panel(at, spec.height_mm, columns, whole=whole) for at in placed],
    }


def _panel(at: Placed, height: float, columns: int, *, whole: bool) -> dict[str, Any]:
    box, axis = at.box, at.panel.y
    names_stand = at.panel.crowded  # right of the panel, where zooming leaves them
    levels = [(_short(level.value), "" if names_stand else level.label.replace("\n", " "), level.tone) for level in at.panel.levels]
    return {
        "box": [round(number, 2) for number in (box.left, height - box.top, box.width, box.height)],
        "title": at.panel.title,
        "y": {"form": axis.form, "unit": axis.unit, "range": at.y_range, "log": axis.log},
        "foot": at.x_labels,
        "bands": [(band.start, band.end, band.tone) for band in at.panel.bands],
        "levels": levels,
        "lines": [_line(line, columns, whole=whole) for line in _shown(at.panel)],
    }


def _shown(panel: Panel) -> list[Line]:
    return [line for line in panel.lines if line.weight != "faint"]


def _line(line: Line, columns: int, *, whole: bool) -> dict[str, Any]:
    import numpy as np

    x, y = decimate(np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64), columns)
    return {
        "label": line.label.split("\n")[0],
        "tone": line.tone,
        "x": _places(x, whole=whole),
        "y": [_short(value) for value in y.tolist()],
    }


def _places(x: npt.NDArray[np.float64], *, whole: bool) -> list[float]:
    """Return x values as steps from one to the next, which are short numbers; the reader adds them up."""
    import numpy as np

    rounded = np.round(x, 0 if whole else 4)
    steps = np.diff(rounded, prepend=0.0).tolist()
    return [int(step) for step in steps] if whole else [round(step, 4) for step in steps]


def _short(value: float) -> float | None:
    """Return four significant figures; None for a gap, which JSON has no number for."""
    return float(f"{value:.{_FIGURES}g}") if math.isfinite(value) else None
