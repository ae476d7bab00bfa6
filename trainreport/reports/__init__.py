"""From an assessment to a document, from a document to HTML, PDF and Markdown.

First everything is computed and worded (`document.build`), then drawn (`figures.draw`), then rendered
(`formats`). A format computes nothing, so that a new one is a template and a page of code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trainreport.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trainreport.model.decision import Assessment
    from trainreport.reports.blocks import Document

__all__ = ["COMPARISON_FORMATS", "FORMATS", "notebook_summary", "plot_learning_curves", "render", "render_comparison"]

FORMATS = ("html", "pdf", "markdown", "json")
COMPARISON_FORMATS = ("text", "json", "markdown", "html")


def render(assessment: Assessment, form: str, audience: str = "all") -> bytes:
    """Return the report in one of `FORMATS`; the same assessment gives the same bytes.

    Parameters
    ----------
    assessment : Assessment
    form : str
    audience : str
        Whose parts it holds: ``sponsor``, ``manager``, ``engineer``, ``auditor`` or ``all``. JSON always holds all.

    Raises
    ------
    UsageError
        If `form` or `audience` is not one of them.
    """
    if form == "json":
        from trainreport.reports.exports import json

        return json.render(assessment).encode()
    if form == "html":
        from trainreport.reports.formats import html

        return html.render(_document(assessment, audience)).encode()
    if form == "pdf":
        from trainreport.reports.attached import attached_to
        from trainreport.reports.formats import pdf

        return pdf.render(_document(assessment, audience), attached=attached_to(assessment))
    if form == "markdown":
        from trainreport.reports.formats import markdown

        return markdown.render(_document(assessment, audience)).encode()
    raise UsageError(f"{form!r} is not a format of reports{did_you_mean(form, FORMATS)}; expected {', '.join(FORMATS)}")


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


def plot_learning_curves(assessment: Assessment) -> Figure:
    """Return the learning curves of the leading run as a matplotlib figure."""
    from trainreport.reports import figures
    from trainreport.reports.parts import learning
    from trainreport.reports.view import View

    return figures.figure(learning.overview(View(assessment)))


def notebook_summary(assessment: Assessment) -> str:
    """Return verdict, headline, lead, key figures and the deciding chart as HTML for the cell of a notebook."""
    from trainreport.reports import page

    return page.render_summary(_document(assessment, "all"))


@lru_cache(maxsize=1)
def _document(assessment: Assessment, audience: str) -> Document:
    """Build once for HTML, PDF and Markdown of the same assessment."""
    from trainreport.reports import document

    return document.build(assessment, audience=audience)
