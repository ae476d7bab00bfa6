"""The last part: the words used, and the line where a person signs."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from trainreport.reports import words
from trainreport.reports.blocks import Definitions, Part, Signature, Term
from trainreport.reports.spec import FigureSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trainreport.reports.view import View

__all__ = ["glossary", "signature", "texts"]


def glossary(parts: Iterable[Part]) -> Part:
    """Return the words of the field that stand in `parts`, explained."""
    text = "\n".join(texts(tuple(parts)))
    terms, meanings = words.labels("glossary_term"), words.labels("glossary")
    used = [Term(terms[name], (meanings[name],)) for name, needs in words.labels("glossary_needs").items() if re.search(needs, text)]
    return Part("glossary", words.label("short.glossary"), words.label("closing.glossary"), (Definitions(tuple(used)),), fresh=False)


def signature(view: View) -> Part:
    """Return the lines that the person who decides fills in."""
    lines = tuple(words.label(f"signature.{name}") for name in ("decision", "name", "date", "sign"))
    title = words.label("closing.decides_for", who=view.plan.owner) if view.plan.owner else words.label("closing.decides")
    return Part("sign", words.label("short.sign"), title, (Signature(words.label("signature.statement"), lines),), fresh=False)


def texts(tree: object) -> Iterator[str]:
    """Yield each text in a tree of blocks, those in charts left out."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, tuple):
        for item in tree:
            yield from texts(item)
    elif is_dataclass(tree) and not isinstance(tree, FigureSpec):
        for item in fields(tree):
            yield from texts(getattr(tree, item.name))
