"""Writes the titles of a report's parts, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainreport.reports.blocks import Document


class Outline:
    """An outline."""

    def __init__(self, name: str, suffix: str) -> None:
        self.name, self.suffix = name, suffix
        self.title = "the titles of the parts"

    def render(self, document: Document) -> bytes:
        """Return the titles."""
        return "".join(f"{part.title}\n" for part in document.parts).encode()


class Failing(Outline):
    """Breaks off."""

    def render(self, document: Document) -> bytes:
        """Break off."""
        raise RuntimeError("no ink")


FORMAT = Outline("outline", ".outline")
TAKEN = Outline("html", ".html")
FAILING = Failing("failing", ".failing")
