"""What HTML and PDF share: the templates, the drawn charts, and the fonts that the text needs."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from trainreport._resources import folder
from trainreport.reports import figures
from trainreport.reports.glyphs import face_bytes, faces_for

if TYPE_CHECKING:
    from jinja2 import Environment

    from trainreport.reports.blocks import Document
    from trainreport.reports.spec import FigureSpec

__all__ = ["render", "render_summary"]

_PLAIN = " /:;,.=()*!@~-_[]{}|+?"
"""What a picture's address keeps as it is: shorter by a fifth than in base 64."""
_FONT_FORMATS = {"ttf": "truetype", "woff2": "woff2"}


def render(document: Document, medium: Literal["screen", "print"], paper: str = "A4") -> str:
    """Return one self-contained page of HTML, for a browser or for print.

    Parameters
    ----------
    document : Document
    medium : {"screen", "print"}
    paper : str
        Size of a printed page: ``A4`` or ``letter``.
    """
    template = _environment().get_template("report.html")
    body: str = template.render(document=document, screen=medium == "screen", chart=_chart_for(medium), style=_style(medium, paper))
    return body.replace("/*fonts*/", _fonts(body, "woff2" if medium == "screen" else "ttf"), 1)


def render_summary(document: Document) -> str:
    """Return the first page of a report as a fragment of HTML, styled in itself, for the cell of a notebook."""
    shown: dict[str, Any] = {}
    for block in document.parts[0].blocks:
        shown.setdefault(block.kind, block)  # the first paragraph is the lead
    return _environment().get_template("notebook.html").render(shown=shown, chart=_chart_for("print"))


def _chart_for(medium: str) -> Any:
    def chart(spec: FigureSpec) -> str:
        svg = figures.draw(spec)
        drawn = figures.with_dark(svg) if medium == "screen" else svg
        return "data:image/svg+xml," + quote(drawn, safe=_PLAIN)

    return chart


def _fonts(text: str, form: str) -> str:
    rules = []
    for file, family, weight in faces_for(text):
        data = b64encode(face_bytes(file, form)).decode()
        source = f"url(data:font/{form};base64,{data}) format('{_FONT_FORMATS[form]}')"
        rules.append(f"@font-face{{font-family:'{family}';font-weight:{weight};src:{source}}}")
    return "".join(rules)


def _style(medium: str, paper: str) -> str:
    sheets = ["report.css", "screen.css" if medium == "screen" else "print.css"]
    return "".join(_text(name) for name in sheets).replace("PAPER", paper)


@cache
def _text(name: str) -> str:
    return (folder("templates") / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Return the environment; templates are read as texts, so that a zipped package works."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["css"] = Markup  # our own style sheets, the one text that is not escaped
    return environment
