"""HTML: one file that needs nothing else, works without scripts, and opens from a file share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.reports import page

if TYPE_CHECKING:
    from trainreport.reports.blocks import Document
    from trainreport.reports.brand import Brand

__all__ = ["render"]


def render(document: Document, brand: Brand | None = None) -> str:
    """Return the report as HTML; the same document gives the same text."""
    return page.render(document, "screen", brand=brand)
