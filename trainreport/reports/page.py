"""What HTML and PDF share: the templates, the drawn charts, and the fonts that the text needs."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from trainreport._resources import folder
from trainreport.reports import figures, words
from trainreport.reports.brand import Brand
from trainreport.reports.glyphs import face_bytes, faces_for
from trainreport.reports.language import speaking
from trainreport.reports.plotted import plotted
from trainreport.reports.readings import readings
from trainreport.reports.retold import MARKS, unmarked

if TYPE_CHECKING:
    from jinja2 import Environment

    from trainreport.reports.blocks import Document
    from trainreport.reports.spec import FigureSpec

__all__ = ["render", "render_fragment"]

_PLAIN = " /:;,.=()*!@~-_[]{}|+?'>"
"""What a picture's address keeps as it is: shorter by a fifth than in base 64."""
_ENGLISH = re.compile(f"{MARKS[0]}([^{MARKS[0]}{MARKS[1]}]*){MARKS[1]}")
_FONT_FORMATS = {"ttf": "truetype", "woff2": "woff2"}


def render(document: Document, medium: Literal["screen", "print"], paper: str = "A4", brand: Brand | None = None) -> str:
    """Return one self-contained page of HTML, for a browser or for print.

    Parameters
    ----------
    document : Document
    medium : {"screen", "print"}
    paper : str
        Size of a printed page: ``A4`` or ``letter``.
    brand : Brand, optional
        Whose name, logo, colours and fonts it carries.
    """
    brand = brand or Brand()
    template = _environment().get_template("report.html")
    screen = medium == "screen"
    with speaking(document.language):
        body: str = template.render(
            document=document, screen=screen, chart=_chart_for(medium, brand), style=_style(medium, paper, brand),
            readings=readings, plotted=plotted, script=_script(), script_hash=b64encode(sha256(_script().encode()).digest()).decode(),
            pair="div" if screen else "li", label=words.label, brand=brand,
        )  # fmt: skip
    return body.replace("/*fonts*/", brand.faces(body) + _fonts(body, "woff2" if screen else "ttf"), 1)


def render_fragment(template: str, **values: Any) -> str:
    """Return a fragment of HTML that is styled in itself, for the cell of a notebook."""
    return _environment().get_template(template).render(chart=_chart_for("print", Brand()), **values)


def _chart_for(medium: str, brand: Brand) -> Any:
    def chart(spec: FigureSpec) -> str:
        svg = figures.draw(spec)
        drawn = brand.recoloured(figures.with_dark(svg) if medium == "screen" else svg)
        return "data:image/svg+xml," + quote(drawn.replace('"', "'"), safe=_PLAIN)  # nothing in it ends an attribute in double quotes

    return chart


def _fonts(text: str, form: str) -> str:
    rules = []
    for file, family, weight in faces_for(text):
        data = b64encode(face_bytes(file, form)).decode()
        source = f"url(data:font/{form};base64,{data}) format('{_FONT_FORMATS[form]}')"
        rules.append(f"@font-face{{font-family:'{family}';font-weight:{weight};src:{source}}}")
    return "".join(rules)


def _style(medium: str, paper: str, brand: Brand) -> str:
    sheets = ["report.css", "screen.css" if medium == "screen" else "print.css"]
    text = brand.recoloured("".join(_text(name) for name in sheets))
    text = text.replace("'Report Sans'", "'Report Brand','Report Sans'") if brand.fonts else text
    return text.replace("PAPER", paper).replace("OF_PAGES", words.label("page.of")).replace("ON_PAGE", words.label("page.on"))


@cache
def _script() -> str:
    """Return the script of a page without its comments and indents: a fifth of its bytes."""
    lines = (line.strip() for line in _text("report.js").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@cache
def _text(name: str) -> str:
    return (folder("templates") / name).read_text(encoding="utf-8")


def _packed(data: Any) -> str:
    """Return JSON that no text in it can end: it stands in an element of its own."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _in_its_language(value: Any) -> Any:
    """Return a text as it stands in a page: what in it is English between tags that say so."""
    from markupsafe import Markup, escape

    if not isinstance(value, str) or isinstance(value, Markup) or MARKS[0] not in value:
        return value
    parts = _ENGLISH.split(value)  # every second one stood between the marks
    said = (Markup('<span lang="en">{}</span>').format(part) if i % 2 else escape(unmarked(part)) for i, part in enumerate(parts))
    return Markup("").join(said)


@cache
def _environment() -> Environment:
    """Return the environment; templates are read as texts, so that a zipped package works."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=_in_its_language,
    )  # fmt: skip
    environment.filters["plain"] = unmarked  # in attributes, which cannot say that a part of them is English
    environment.filters["packed"] = _packed
    environment.filters["asis"] = Markup  # our own style, script and drawings, and packed data: the texts that are not escaped
    return environment
