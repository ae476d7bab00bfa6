"""A pen for charts: lines, rectangles, dots and text on a bare matplotlib figure, and the width of a text."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from importlib.resources import as_file
from typing import TYPE_CHECKING, Any, Literal

from trainreport._resources import folder
from trainreport.reports.colours import LIGHT

if TYPE_CHECKING:
    from trainreport.reports.layout import Box

__all__ = ["LINE_MM", "Pen", "text_width"]

LINE_MM = 3.2
_HALF_CAPITAL_MM = 0.9
_POINT_MM = 25.4 / 72.0


class Pen:
    """Puts lines, rectangles, dots and text on a bare figure; all places in millimetres from the lower left."""

    def __init__(self, figure: Any) -> None:
        from matplotlib.transforms import Affine2D

        self._figure = figure
        self._mm = Affine2D().scale(1 / 25.4) + figure.dpi_scale_trans

    def line(self, x: Any, y: Any, colour: str, width: float, *, dashed: bool = False, alpha: float = 1.0) -> None:
        """Draw a line of `width` points."""
        from matplotlib.lines import Line2D

        style: Any = (0, (4, 2.5)) if dashed else "solid"
        join: Any = {"solid_joinstyle": "round", "solid_capstyle": "round", "antialiased": True}
        self._figure.add_artist(
            Line2D(x, y, color=LIGHT[colour], linewidth=width, linestyle=style, alpha=alpha, transform=self._mm, **join)
        )

    def rectangle(self, box: Box, colour: str, alpha: float) -> None:
        """Fill a rectangle."""
        from matplotlib.patches import Rectangle

        self._figure.add_artist(
            Rectangle((box.left, box.bottom), box.width, box.height, facecolor=LIGHT[colour], alpha=alpha, linewidth=0, transform=self._mm)
        )

    def polygon(self, corners: list[tuple[float, float]], colour: str, alpha: float) -> None:
        """Fill a shape."""
        from matplotlib.patches import Polygon

        self._figure.add_artist(Polygon(corners, closed=True, facecolor=LIGHT[colour], alpha=alpha, linewidth=0, transform=self._mm))

    def dot(self, x: float, y: float, colour: str, size: float = 5.5) -> None:
        """Draw a round mark with a light rim, which sets it off from the line it stands on."""
        from matplotlib.lines import Line2D

        face = LIGHT[colour]
        self._figure.add_artist(
            Line2D(
                [x],
                [y],
                marker="o",
                markersize=size,
                markerfacecolor=face,
                markeredgecolor=LIGHT["paper"],
                markeredgewidth=1.1,
                linewidth=0,
                transform=self._mm,
            )
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str,
        *,
        size: float = 7.8,
        across: str = "left",
        up: Literal["baseline", "center"] = "baseline",
        bold: bool = False,
    ) -> None:
        """Write a text, its lines parted by a line feed; `up` places them as a block. Never read as mathematics: it comes from logs."""
        lines = text.split("\n")
        if up == "center":
            y += (len(lines) - 1) / 2 * LINE_MM - _HALF_CAPITAL_MM
        for i, line in enumerate(lines):
            self._figure.text(
                x, y - i * LINE_MM, line, color=LIGHT[colour], fontproperties=_font(600 if bold else 400), fontsize=size,
                ha=across, va="baseline", transform=self._mm, parse_math=False,
            )  # fmt: skip


@cache
def text_width(text: str, size: float) -> float:
    """Return the width of one line of text in millimetres."""
    from matplotlib.font_manager import get_font

    font = get_font(_font(400).get_file())
    font.set_size(size, 72)
    font.set_text(text, 0.0)
    return float(font.get_width_height()[0]) / 64.0 * _POINT_MM


@cache
def _font(weight: int) -> Any:
    """Return the shipped face as a file; matplotlib reads files only, so it is unpacked where the package is zipped."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=_face_file(weight))


@cache
def _face_file(weight: int) -> str:
    stack = ExitStack()
    atexit.register(stack.close)
    return str(stack.enter_context(as_file(folder("templates") / "fonts" / f"sans-{weight}.ttf")))
