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

__all__ = ["FORMATS", "notebook_summary", "plot_learning_curves", "render"]

FORMATS = ("html", "pdf", "markdown", "json")


def render(assessment: Assessment, form: str) -> bytes:
    """Return the report in one of `FORMATS`; the same assessment gives the same bytes.

    Raises
    ------
    UsageError
        If `form` is not one of them.
    """
    if form == "json":
        from trainreport.reports.exports import json

        return json.render(assessment).encode()
    if form == "html":
        from trainreport.reports.formats import html

        return html.render(_document(assessment)).encode()
    if form == "pdf":
        from trainreport.reports.formats import pdf

        return pdf.render(_document(assessment))
    if form == "markdown":
        from trainreport.reports.formats import markdown

        return markdown.render(_document(assessment)).encode()
    raise UsageError(f"{form!r} is not a format of reports{did_you_mean(form, FORMATS)}; expected {', '.join(FORMATS)}")


def plot_learning_curves(assessment: Assessment) -> Figure:
    """Return the learning curves of the leading run as a matplotlib figure."""
    from trainreport.reports import figures
    from trainreport.reports.parts import learning
    from trainreport.reports.view import View

    return figures.figure(learning.overview(View(assessment)))


def notebook_summary(assessment: Assessment) -> str:
    """Return verdict, headline, lead, key figures and the deciding chart as HTML for the cell of a notebook."""
    from trainreport.reports import page

    return page.render_summary(_document(assessment))


@lru_cache(maxsize=1)
def _document(assessment: Assessment) -> Document:
    """Build once for HTML, PDF and Markdown of the same assessment."""
    from trainreport.reports import document

    return document.build(assessment)
