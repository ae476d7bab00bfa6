"""Draws a `FigureSpec` as SVG: matplotlib for glyphs and paths, everything placed in millimetres by hand.

No axes objects, no layout engine, no pyplot: a chart is a few artists on a bare figure, which is fast, and the
same bytes come out every time. Text is drawn as paths, because an SVG in an ``<img>`` cannot see the page's fonts.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from io import StringIO
from typing import TYPE_CHECKING, Any

from trainreport.reports import layout, panels
from trainreport.reports.colours import DARK, LIGHT
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
    return _lean(stream.getvalue())


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


def _lean(svg: str) -> str:
    """Drop the prologue, comments, groups without meaning, and digits that no eye sees: a third of the bytes stays."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' d="([^"]*)"', lambda match: f' d="{_lean_path(match.group(1))}"', svg)
    svg = re.sub(r'translate\([^)]*\)| [xy]="[^"]*"', lambda match: re.sub(r"(\.\d\d)\d+", r"\1", match.group()), svg)
    svg = re.sub(r' id="(?:line2d|patch|text|figure)_\d+"|(?<=[;:]) ', "", svg)
    return re.sub(r"\s*\n\s*", "", svg)


def _lean_path(path: str) -> str:
    """Write a path of straight lines relative, in tenths of a point; glyphs, in their small units, as whole numbers."""
    tokens = path.split()
    if {"M", "L"} >= set(tokens[::3]) and len(tokens) > 30:
        return "".join(_relative(run.split()) for run in path.split("M")[1:])
    if "Q" in tokens or ("C" in tokens and len(tokens) > 60):
        path = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match.group()):.0f}" if "Q" in tokens else f"{float(match.group()):.2f}", path)
    path = re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match.group()):.2f}", path)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", path.strip())


def _relative(run: list[str]) -> str:
    """Return ``M x y l dx dy …`` of ``x y L x y L …``."""
    numbers = [round(float(part) * 10) for part in run if part != "L"]
    steps = [f"{_tenth(numbers[i] - numbers[i - 2])} {_tenth(numbers[i + 1] - numbers[i - 1])}" for i in range(2, len(numbers), 2)]
    return f"M{numbers[0] / 10:g} {numbers[1] / 10:g}" + (f"l{' '.join(steps)}" if steps else "")


@cache
def _tenth(value: int) -> str:
    text = f"{abs(value) / 10:g}".removeprefix("0") or "0"
    return f"-{text}" if value < 0 else text
