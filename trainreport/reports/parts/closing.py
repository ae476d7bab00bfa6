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

__all__ = ["glossary", "signature"]


def glossary(parts: Iterable[Part]) -> Part:
    """Return the words of the field that stand in `parts`, explained."""
    text = "\n".join(_texts(tuple(parts)))
    needs = words.labels("glossary_needs")
    used = [
        Term(term, (meaning,)) for term, meaning in words.labels("glossary").items() if re.search(needs.get(term, re.escape(term)), text)
    ]
    return Part("glossary", "Words", "The words used here", (Definitions(tuple(used)),), fresh=False)


def signature(view: View) -> Part:
    """Return the lines that the person who decides fills in."""
    lines = tuple(words.label(f"signature.{name}") for name in ("decision", "name", "date", "sign"))
    whose = f" for {view.plan.owner}" if view.plan.owner else ""
    title = f"A person decides{whose}"
    return Part("sign", "Signature", title, (Signature(words.label("signature.statement"), lines),), fresh=False)


def _texts(tree: object) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, tuple):
        for item in tree:
            yield from _texts(item)
    elif is_dataclass(tree) and not isinstance(tree, FigureSpec):
        for item in fields(tree):
            yield from _texts(getattr(tree, item.name))
