"""Charts as data: lines, levels, bands and marks in panels. Drawn by `figures`, or by any other format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Axis", "Band", "Fan", "FigureSpec", "Level", "Line", "Mark", "Moment", "Panel"]

TEXT_MM = 176.0

Tone = Literal["accent", "second", "bad", "good", "warn", "ink", "quiet"]
Weight = Literal["strong", "plain", "faint"]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A curve, labelled at its end."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    label: str = ""
    tone: Tone = "accent"
    weight: Weight = "strong"


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line that something is measured against: target, baseline, budget, limit."""

    value: float
    label: str
    tone: Tone = "ink"


@dataclass(frozen=True, slots=True)
class Band:
    """A shaded span of the x axis."""

    start: float
    end: float
    label: str
    tone: Tone = "bad"


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that the text speaks of; its label may have several lines."""

    x: float
    y: float
    label: str = ""
    tone: Tone = "accent"


@dataclass(frozen=True, slots=True)
class Fan:
    """What is foretold: from where a line stands (`x`, `y`) to an interval at its end, labelled there."""

    x: float
    y: float
    end: float
    low: float
    mid: float
    high: float
    label: str
    tone: Tone = "accent"


@dataclass(frozen=True, slots=True)
class Moment:
    """A vertical line: a restart, the end of a stall."""

    x: float
    label: str
    tone: Tone = "quiet"


@dataclass(frozen=True, slots=True)
class Axis:
    """How numbers of an axis are written: ticks at `places`, or round ones where there are none."""

    form: Literal["number", "share", "count", "money", "bytes"] = "number"
    unit: str = ""
    """Stands on the last tick."""
    low: float | None = None
    high: float | None = None
    log: bool = False
    places: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot with one y axis."""

    lines: tuple[Line, ...]
    y: Axis = Axis()
    title: str = ""
    levels: tuple[Level, ...] = ()
    bands: tuple[Band, ...] = ()
    marks: tuple[Mark, ...] = ()
    moments: tuple[Moment, ...] = ()
    fans: tuple[Fan, ...] = ()
    height: float = 1.0
    """Its part of the figure's height."""
    highlight: bool = False

    @property
    def crowded(self) -> bool:
        """Whether several levels are named: then at the ends of their lines, where no name lies on another's line."""
        return sum(bool(level.label) for level in self.levels) > 1


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One or more panels over one x axis: stacked, or in a grid of `columns` of the same scale."""

    panels: tuple[Panel, ...]
    x: Axis
    width_mm: float
    height_mm: float
    columns: int = 1

    @property
    def share(self) -> float:
        """Percent of the width of the text that the chart takes, so that all charts have one scale."""
        return round(100 * self.width_mm / TEXT_MM, 2)

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height in CSS pixels."""
        return round(self.width_mm * 96 / 25.4), round(self.height_mm * 96 / 25.4)
