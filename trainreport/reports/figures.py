"""Draws a `FigureSpec` as SVG: matplotlib for glyphs and paths, everything placed in millimetres by hand.

No axes objects, no layout engine, no pyplot: a chart is a few artists on a bare figure, which is fast, and the
same bytes come out every time. Text is drawn as paths, because an SVG in an ``<img>`` cannot see the page's fonts.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

from trainreport.reports import layout, panels
from trainreport.reports.colours import DARK, LIGHT
from trainreport.reports.pen import Pen

if TYPE_CHECKING:
    from trainreport.reports.spec import FigureSpec

__all__ = ["draw", "with_dark"]

_STYLE = {"svg.hashsalt": "trainreport", "svg.fonttype": "path", "path.simplify": False, "svg.image_inline": True}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def draw(spec: FigureSpec) -> str:
    """Return the SVG of a chart; the same chart gives the same text."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(spec.width_mm / 25.4, spec.height_mm / 25.4))
        figure.patch.set_visible(False)
        canvas = FigureCanvasSVG(figure)
        pen = Pen(figure)
        for placed in layout.place(spec):
            panels.draw(pen, placed)
        stream = StringIO()
        canvas.print_svg(stream, metadata=_NO_METADATA)
    return _lean(stream.getvalue())


def with_dark(svg: str) -> str:
    """Return `svg` with colours that change where the reader's screen is dark."""
    rules = "".join(
        f'[style*="{kind}: {LIGHT[name]}"]{{{kind}:{DARK[name]}!important}}'
        for name in LIGHT
        for kind in ("fill", "stroke")
        if f"{kind}: {LIGHT[name]}" in svg
    )
    rules += f"g:not([style])>path:not([style]){{fill:{DARK['ink']}}}"
    return svg.replace("<defs>", f"<style>@media(prefers-color-scheme:dark){{{rules}}}</style><defs>", 1)


def _lean(svg: str) -> str:
    """Drop the prologue, comments and digits that no eye sees."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d{2})\d+", r"\1", svg)
    return re.sub(r"\s*\n\s*", "\n", svg)
