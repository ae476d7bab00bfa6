"""Draws one panel: bands, levels, lines, marks, and labels where they hide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.decimate import decimate
from trainreport.reports.layout import LABEL_PT, Box
from trainreport.reports.pen import LINE_MM, text_width

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from trainreport.reports.layout import Placed
    from trainreport.reports.pen import Pen
    from trainreport.reports.spec import Fan, Line, Mark

__all__ = ["draw"]

_TICK_MM = 1.0
_ALIKE_MM = 0.5
_APART_MM = 1.0  # between labels of ticks
_RAW_PER_MM, _STRONG_PER_MM = 1.5, 1.5
_WIDTHS = {"strong": 1.7, "plain": 1.1, "faint": 0.7}
_FAINT = 0.38
_FEW = 60
_TAIL = 12


def draw(pen: Pen, at: Placed) -> None:
    """Draw one panel, back to front."""
    _bands(pen, at)
    _frame(pen, at)
    for moment in at.panel.moments:
        x = at.x(moment.x)
        pen.line([x, x], [at.box.bottom, at.box.top], moment.tone, 0.7, dashed=True)
    for level in at.panel.levels:
        y = at.y(level.value)
        pen.line([at.box.left, at.box.right], [y, y], level.tone, 0.9, dashed=True)
    points = [_fan(pen, at, fan) for fan in at.panel.fans]
    points += [_line(pen, at, line) for line in at.panel.lines]
    _end_labels(pen, at)
    taken = [_mark(pen, at, mark, points) for mark in at.panel.marks]
    _level_labels(pen, at, points, [box for box in taken if box is not None])
    _moment_label(pen, at)


def _bands(pen: Pen, at: Placed) -> None:
    """Shade the bands; name each above the plot where its name finds room (the caption has all)."""
    taken = [Box(at.box.left, at.box.top, text_width(_fitted(at.panel.title, at.box.width), LABEL_PT) + 3.0, LINE_MM)]
    for band in at.panel.bands:
        left, right = max(at.x(band.start), at.box.left), min(at.x(band.end), at.box.right)
        pen.rectangle(Box(left, at.box.bottom, max(right - left, 0.4), at.box.height), band.tone, 0.07)
        width = text_width(band.label, LABEL_PT)
        starts = (right - width, left, at.box.right - width)
        places = [Box(start, at.box.top, width + 2.0, LINE_MM) for start in starts if start + width <= at.box.right + 0.5]
        free = next((place for place in places if not any(place.overlap(other) for other in taken)), None)
        if band.label and free is not None:
            taken.append(free)
            pen.text(free.left, at.box.top + 1.3, band.label, band.tone)


def _frame(pen: Pen, at: Placed) -> None:
    box = at.box
    pen.line([box.left, box.left], [box.bottom, box.top], "second", 0.6)
    pen.line([box.left, box.right], [box.bottom, box.bottom], "second", 0.6)
    if at.panel.title:
        pen.text(
            box.left, box.top + 1.3, _fitted(at.panel.title, box.width), "ink" if at.panel.highlight else "quiet", bold=at.panel.highlight
        )
    for value, text in at.y_ticks:
        y = at.y(value)
        pen.line([box.left - _TICK_MM, box.left], [y, y], "second", 0.6)
        if at.y_labels:
            pen.text(box.left - _TICK_MM - 0.8, y, text, "quiet", across="right", up="center")
    for value, _ in at.x_ticks:
        x = at.x(value)
        pen.line([x, x], [box.bottom - _TICK_MM, box.bottom], "second", 0.6)
    if at.x_labels:
        _x_labels(pen, at)


def _fitted(text: str, width: float) -> str:
    """Return `text`, shortened until it is not wider than `width`."""
    return text if text_width(text, LABEL_PT) <= width else _fitted(text[:-5].rstrip() + "…", width)


def _x_labels(pen: Pen, at: Placed) -> None:
    """Write the labels from the right, the last one always, and of the others those that touch no other."""
    free = at.box.right + max(at.label_room, 1.5)
    for i, (value, text) in reversed(list(enumerate(at.x_ticks))):
        last = i == len(at.x_ticks) - 1
        left = _x_label_left(at, at.x(value), text, last=last)
        if last or left + text_width(text, LABEL_PT) < free:
            pen.text(left, at.box.bottom - 4.2, text, "quiet")
            free = left - _APART_MM


def _x_label_left(at: Placed, x: float, text: str, *, last: bool) -> float:
    """Return where a label begins: the number is centred, a unit after it stands to its right where there is room."""
    width = text_width(text, LABEL_PT)
    number = text_width(text.rsplit(" ", 1)[0], LABEL_PT) if last and " " in text and text[-1].isalpha() else width
    return max(min(x - number / 2, at.box.right + max(at.label_room, 1.5) - width), 0.2)


def _fan(pen: Pen, at: Placed, fan: Fan) -> npt.NDArray[np.float64]:
    """Draw a fan and return its middle line in millimetres."""
    import numpy as np

    x, end = at.x(fan.x), at.x(fan.end)
    y, low, mid, high = (float(np.clip(at.y(value), at.box.bottom, at.box.top)) for value in (fan.y, fan.low, fan.mid, fan.high))
    pen.polygon([(x, y), (end, high), (end, low)], fan.tone, 0.16)
    pen.line([end, end], [low, high], fan.tone, 1.4)
    pen.line([x, end], [y, mid], fan.tone, 0.9, dashed=True)
    return _between(np.array([[x, y], [end, mid]]))


def _line(pen: Pen, at: Placed, line: Line) -> npt.NDArray[np.float64]:
    """Draw a line and return its points in millimetres, for labels to keep clear of."""
    import numpy as np

    faint = line.weight == "faint"
    columns = int(at.box.width * (_RAW_PER_MM if faint else _STRONG_PER_MM))
    x, y = decimate(np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64), min(columns, 1000))
    places = np.column_stack((at.x(x), np.clip(at.y(y), at.box.bottom, at.box.top)))
    width = _WIDTHS[line.weight] * (0.8 if at.box.width < 60 and not faint else 1.0)
    pen.line(places[:, 0], places[:, 1], line.tone, width, alpha=_FAINT if faint else 1.0)
    if len(places) <= _FEW:
        for x, y in places[_alone(places[:, 1])]:
            pen.dot(x, y, line.tone, 4.0)
    return _between(places[np.isfinite(places).all(axis=1)])


def _alone(y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which points have a gap on both sides, so that no line would show them."""
    import numpy as np

    known = np.isfinite(y)
    padded = np.concatenate(([False], known, [False]))
    return known & ~padded[:-2] & ~padded[2:]


def _between(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the points with those between them, so that a straight line of two points counts as a line."""
    import numpy as np

    if not 2 <= len(places) < 80:
        return places
    t = np.linspace(0.0, len(places) - 1.0, 240)
    index = np.arange(len(places))
    return np.column_stack((np.interp(t, index, places[:, 0]), np.interp(t, index, places[:, 1])))


def _end_labels(pen: Pen, at: Placed) -> None:
    """Write each line's label right of its end, pushed apart where they would overlap."""
    import numpy as np

    wanted = []
    for line in at.panel.lines:
        finite = np.flatnonzero(np.isfinite(line.y))
        if line.label and len(finite):
            last = float(np.median(line.y[finite[-1 - len(finite) // _TAIL :]]))  # not the drop of the very last sample
            y = float(np.clip(at.y(last), at.box.bottom, at.box.top))
            wanted.append((y, line.label, line.tone))
    wanted += [(float(np.clip(at.y(fan.mid), at.box.bottom, at.box.top)), fan.label, fan.tone) for fan in at.panel.fans]
    if at.panel.crowded:
        wanted += [(at.y(level.value), level.label, level.tone) for level in at.panel.levels]
    wanted = wanted[::-1]  # of lines that end as good as at one place the first one is named on top
    wanted.sort(key=lambda entry: round(entry[0] / _ALIKE_MM))
    floor = at.box.bottom - 1.0
    heights = [LINE_MM * (label.count("\n") + 1) for _, label, _ in wanted]
    centres = []
    for (y, _, _), height in zip(wanted, heights, strict=True):
        centre = max(y, floor + height / 2)
        centres.append(centre)
        floor = centre + height / 2
    ceiling = at.box.top + 2.0
    for i in range(len(centres) - 1, -1, -1):
        centres[i] = min(centres[i], ceiling - heights[i] / 2)
        ceiling = centres[i] - heights[i] / 2
    for centre, (_, label, tone) in zip(centres, wanted, strict=True):
        pen.text(at.box.right + 1.5, centre, label, "quiet" if tone == "second" else tone, up="center")


def _mark(pen: Pen, at: Placed, mark: Mark, points: list[npt.NDArray[np.float64]]) -> Box | None:
    x, y = at.x(mark.x), at.y(mark.y)
    box = None
    if mark.label:
        box = _free_place(at, points, [], *_around(mark.label, x, y))
        target = (min(max(x, box.left), box.right), min(max(y, box.bottom), box.top))
        if abs(target[0] - x) + abs(target[1] - y) > 3.0:
            pen.line([x, target[0]], [y, target[1]], mark.tone, 0.6)
        pen.text(box.left, box.bottom + box.height / 2, mark.label, mark.tone, up="center")
    pen.dot(x, y, mark.tone)
    return box


def _size(label: str) -> tuple[float, float]:
    lines = label.split("\n")
    return max(text_width(line, LABEL_PT) for line in lines), LINE_MM * len(lines)


def _around(label: str, x: float, y: float) -> tuple[Box, ...]:
    """Return the places around a point, best first."""
    width, height = _size(label)
    near, far = 2.0, 5.0
    aside = 12.0  # right of a steep line
    rows = (y - far - height, y + near, y - near - height, y + far, y - 10.0 - height, y + 10.0)
    return tuple(Box(left, bottom, width, height) for bottom in rows for left in (x + near, x - near - width, x - width / 2, x + aside))


def _level_labels(pen: Pen, at: Placed, points: list[npt.NDArray[np.float64]], taken: list[Box]) -> None:
    for level in at.panel.levels:
        if not level.label or at.panel.crowded:
            continue
        width, height = _size(level.label)
        y = at.y(level.value)
        lefts = (at.box.left + 1.0, at.box.right - width - 1.0, at.box.left + (at.box.width - width) / 2, at.box.left + at.box.width * 0.25)
        choices = tuple(Box(left, bottom, width, height) for bottom in (y + 0.3, y - height - 0.3) for left in lefts)
        box = _free_place(at, points, taken, *choices, ignore=y)
        taken.append(box)
        pen.text(box.left, box.bottom + 0.75, level.label, level.tone)


def _free_place(at: Placed, points: list[npt.NDArray[np.float64]], taken: list[Box], *choices: Box, ignore: float | None = None) -> Box:
    """Return the first choice that hides least."""
    levels = [at.y(level.value) for level in at.panel.levels]

    def hidden(box: Box) -> float:
        cost = sum(3.0 * box.overlap(other) for other in taken)
        cost += sum(8.0 for y in levels if y != ignore and box.bottom - 0.3 < y < box.top + 0.3)
        for place in points:
            inside = (
                (place[:, 0] > box.left - 0.6)
                & (place[:, 0] < box.right + 0.6)
                & (place[:, 1] > box.bottom - 0.6)
                & (place[:, 1] < box.top + 0.6)
            )
            cost += min(float(inside.sum()), 40.0)
        outside = (
            max(at.box.left - box.left, 0)
            + max(box.right - at.box.right - 1, 0)
            + max(at.box.bottom - box.bottom, 0)
            + 4 * max(box.top - at.box.top + 0.3, 0)
        )
        return cost + 15.0 * outside

    return min(choices, key=hidden)


def _moment_label(pen: Pen, at: Placed) -> None:
    """Name the first vertical line of each kind, and count them."""
    labels = [moment.label for moment in at.panel.moments]
    for row, label in enumerate(dict.fromkeys(labels)):
        first = at.panel.moments[labels.index(label)]
        n = labels.count(label)
        text = label if n == 1 else words.label("chart.times", what=label, n=n)
        left = min(at.x(first.x) + 0.8, at.box.right - text_width(text, LABEL_PT))
        pen.text(left, at.box.bottom + 1.0 + row * LINE_MM, text, first.tone)
