"""One file a format; each renders a `blocks.Document` and computes nothing. Outside packages add formats of their own.

An outside format is an object with the attributes of `Format`, named by an entry point of the group ``trainreport.formats``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from trainreport import _discovery
from trainreport.errors import TrainreportError

if TYPE_CHECKING:
    from trainreport._discovery import PlugIn
    from trainreport.reports.blocks import Document

__all__ = ["BUILT_IN", "Format", "outside", "plug_ins", "render_outside", "suffixes"]

BUILT_IN = {".html": "html", ".htm": "html", ".pdf": "pdf", ".md": "markdown", ".json": "json"}
"""Suffix of a file -> name of our own format."""
_SUFFIX = re.compile(r"\.[a-z0-9]{1,12}")


@runtime_checkable
class Format(Protocol):
    """What an outside package registers to write reports."""

    name: str
    """For ``report --format``: ``docx``."""
    title: str
    """One line for people."""
    suffix: str
    """Of the files that it writes: ``.docx``."""

    def render(self, document: Document) -> bytes:
        """Return the report as a file; the same document gives the same bytes."""


def suffixes() -> dict[str, str]:
    """Return suffix -> name of every format, our own first."""
    return {**BUILT_IN, **{one.suffix: one.name for one in outside().values()}}


@cache
def outside() -> dict[str, Format]:
    """Return the formats of outside packages that work, by name."""
    return {one.thing.name: one.thing for one in plug_ins() if not one.fault and isinstance(one.thing, Format)}


@cache
def plug_ins() -> tuple[PlugIn, ...]:
    """Return the formats of outside packages, those that are left out with the reason."""
    return _discovery.plug_ins("trainreport.formats", _fault)


def render_outside(form: str, document: Document) -> bytes:
    """Return the report in a format of an outside package.

    Raises
    ------
    TrainreportError
        If the package's code breaks off, or gives something else than bytes.
    """
    try:
        content = outside()[form].render(document)
    except Exception as error:  # their fault, to be said as such
        raise TrainreportError(f"format {form!r}, which an outside package brings, broke off: {type(error).__name__}: {error}") from error
    if not isinstance(content, bytes):
        raise TrainreportError(f"format {form!r}, which an outside package brings, gave {type(content).__name__}; expected bytes")
    return content


def _fault(thing: object) -> str:
    if not isinstance(thing, Format):
        return f"{type(thing).__name__} is no format; expected name, title, suffix and render()"
    if not _SUFFIX.fullmatch(thing.suffix):
        return f"its suffix is {thing.suffix!r}; expected a point and up to 12 small letters or digits"
    if thing.name in BUILT_IN.values() or thing.suffix in BUILT_IN:
        return f"its name {thing.name!r} or its suffix {thing.suffix!r} is that of a built-in format"
    return ""
