"""PDF: the same parts on A4 or Letter, with bookmarks, page numbers and embedded fonts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from trainreport._optional import require_weasyprint
from trainreport.reports import page

if TYPE_CHECKING:
    from trainreport.reports.blocks import Document

__all__ = ["render"]


def render(document: Document, *, paper: Literal["A4", "letter"] = "A4") -> bytes:
    """Return the report as PDF; the same document gives the same bytes.

    Raises
    ------
    MissingDependencyError
        If WeasyPrint or its Pango library is missing.
    """
    weasyprint = require_weasyprint()
    text = page.render(document, "print", paper)
    pdf: bytes = weasyprint.HTML(string=text, url_fetcher=_only_data(weasyprint)).write_pdf(pdf_tags=True)
    return pdf


def _only_data(weasyprint: Any) -> Any:
    """Return a fetcher that opens ``data:`` and nothing else: no file, no network."""
    from weasyprint.urls import URLFetcher

    return URLFetcher(allowed_protocols=("data",), allow_redirects=False)
