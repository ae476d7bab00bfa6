"""Links of a document that holds some parts only: those that lead nowhere are taken out."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from trainreport.reports.blocks import Card, Cell, Figure, Paragraph, Part, Row, Section, Stance
from trainreport.reports.spec import FigureSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["without_dead_links"]


def without_dead_links(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts with the links within them, and as text where the place is not among them."""
    there = frozenset(_places(parts))
    return tuple(_mended(part, there) for part in parts)


def _places(tree: object) -> Iterator[str]:
    if isinstance(tree, tuple):
        for item in tree:
            yield from _places(item)
    elif is_dataclass(tree) and not isinstance(tree, FigureSpec):
        if isinstance(tree, Part | Section | Card | Row | Figure):
            yield tree.id
        for item in fields(tree):
            yield from _places(getattr(tree, item.name))


def _mended(tree: Any, there: frozenset[str]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_mended(item, there) for item in tree)
    if not is_dataclass(tree) or isinstance(tree, FigureSpec | type):
        return tree
    if isinstance(tree, Cell | Stance):
        return tree if tree.link in there else replace(tree, link="")
    if isinstance(tree, Paragraph):
        dead = tree.link is not None and tree.link.target not in there
        return replace(tree, text=f"{tree.text.rstrip('.')}.", link=None) if dead else tree
    changes = {item.name: _mended(getattr(tree, item.name), there) for item in fields(tree)}
    return replace(tree, **changes)
