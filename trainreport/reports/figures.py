"""Draws a `FigureSpec` as SVG: matplotlib for glyphs and paths, everything placed in millimetres by hand.

No axes objects, no layout engine, no pyplot: a chart is a few artists on a bare figure, which is fast, and the
same bytes come out every time. Text is drawn as paths, because an SVG in an ``<img>`` cannot see the page's fonts.
"""

from __future__ import annotations

from functools import lru_cache
from io import StringIO
from typing import TYPE_CHECKING, Any

from trainreport.reports import layout, panels
from trainreport.reports.colours import DARK, LIGHT
from trainreport.reports.lean import lean
from trainreport.reports.pen import Pen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trainreport.reports.spec import FigureSpec

__all__ = ["draw", "figure", "with_dark"]

_STYLE: Any = {"svg.hashsalt": "trainreport", "svg.fonttype": "path", "path.simplify": False, "svg.image_inline": True}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@lru_cache(maxsize=64)
def draw(spec: FigureSpec) -> str:
    """Return the SVG of a chart; the same chart gives the same text. Kept, because HTML and PDF show the same charts."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        canvas: Any = figure(spec).canvas
        stream = StringIO()
        canvas.print_svg(stream, metadata=_NO_METADATA)
    return lean(stream.getvalue())


def figure(spec: FigureSpec) -> Figure:
    """Return a chart as a matplotlib figure."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    bare = Figure(figsize=(spec.width_mm / 25.4, spec.height_mm / 25.4))
    bare.patch.set_visible(False)
    FigureCanvasSVG(bare)
    pen = Pen(bare)
    for placed in layout.place(spec):
        panels.draw(pen, placed)
    return bare


def with_dark(svg: str) -> str:
    """Return `svg` with colours that change where the reader's screen is dark."""
    rules = "".join(
        f'[style*="{kind}:{LIGHT[name]}"]{{{kind}:{DARK[name]}!important}}'
        for name in LIGHT
        for kind in ("fill", "stroke")
        if f"{kind}:{LIGHT[name]}" in svg
    )
    rules += f"g:not([style])>path:not([style]){{fill:{DARK['ink']}}}"
    return svg.replace("<defs>", f"<style>@media(prefers-color-scheme:dark){{{rules}}}</style><defs>", 1)
