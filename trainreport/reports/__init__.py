"""From an assessment to a document, from a document to HTML, PDF and Markdown.

First everything is computed and worded (`document.build`), then drawn (`figures.draw`), then rendered
(`formats`). A format computes nothing, so that a new one is a template and a page of code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trainreport.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from trainreport.model.decision import Assessment
    from trainreport.reports.blocks import Document
    from trainreport.reports.brand import Brand

__all__ = ["COMPARISON_FORMATS", "FORMATS", "notebook_summary", "render", "render_comparison"]

FORMATS = ("html", "pdf", "markdown", "json")
COMPARISON_FORMATS = ("text", "json", "markdown", "html")


def render(assessment: Assessment, form: str, audience: str = "all", language: str = "en", brand: Brand | None = None) -> bytes:
    """Return the report in one of `FORMATS`, or in that of an outside package; the same assessment gives the same bytes.

    Parameters
    ----------
    assessment : Assessment
    form : str
    audience : str
        Whose parts it holds: ``sponsor``, ``manager``, ``engineer``, ``auditor`` or ``all``. JSON always holds all.
    language : str
        One of `language.languages`. JSON is always in English.
    brand : Brand, optional
        Whose name, logo, colours and fonts HTML and PDF carry; from `brand.read_brand`.

    Raises
    ------
    UsageError
        If `form`, `audience` or `language` is not one of them.
    """
    if form == "json":
        from trainreport.reports.exports import json

        return json.render(assessment).encode()
    if form == "html":
        from trainreport.reports.formats import html

        return html.render(_document(assessment, audience, language), brand).encode()
    if form == "pdf":
        from trainreport.reports.attached import attached_to
        from trainreport.reports.formats import pdf

        return pdf.render(_document(assessment, audience, language), attached=attached_to(assessment), brand=brand)
    if form == "markdown":
        from trainreport.reports.formats import markdown

        return markdown.render(_document(assessment, audience, language)).encode()
    from trainreport.reports import formats

    if form in formats.outside():
        return formats.render_outside(form, _document(assessment, audience, language))
    known = (*FORMATS, *formats.outside())
    raise UsageError(f"{form!r} is not a format of reports{did_you_mean(form, known)}; expected {', '.join(known)}")


def render_comparison(assessment: Assessment, form: str) -> str:
    """Return the runs of an assessment side by side, in one of `COMPARISON_FORMATS`.

    Raises
    ------
    UsageError
        If `form` is not one of them.
    """
    from trainreport.reports import document
    from trainreport.reports.exports import compared

    if form == "text":
        return compared.as_text(assessment)
    if form == "json":
        return compared.as_json(assessment)
    if form == "markdown":
        from trainreport.reports.formats import markdown

        return markdown.render(document.build_comparison(assessment))
    if form == "html":
        from trainreport.reports.formats import html

        return html.render(document.build_comparison(assessment))
    expected = ", ".join(COMPARISON_FORMATS)
    raise UsageError(f"{form!r} is not a format of comparisons{did_you_mean(form, COMPARISON_FORMATS)}; expected {expected}")


def notebook_summary(assessment: Assessment) -> str:
    """Return verdict, headline, lead, key figures and the deciding chart as HTML for the cell of a notebook."""
    from trainreport.reports import notebook

    return notebook.summary(_document(assessment, "sponsor", "en"), assessment)


@lru_cache(maxsize=1)
def _document(assessment: Assessment, audience: str, language: str) -> Document:
    """Build once for HTML, PDF and Markdown of the same assessment."""
    from trainreport.reports import document

    return document.build(assessment, audience=audience, language=language)
