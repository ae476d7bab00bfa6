"""Markdown: the report as text for pull requests, wikis and job summaries. A chart becomes its sentence and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.reports import words
from trainreport.reports.gfm import anchor, bold, escaped, link, table
from trainreport.reports.language import speaking
from trainreport.reports.readings import marked, readings
from trainreport.reports.retold import unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trainreport.reports.blocks import (
        Badge,
        Block,
        Card,
        Cell,
        Definitions,
        Document,
        Figure,
        Figures,
        Headline,
        KeyFigure,
        KeyFigures,
        Listing,
        Masthead,
        Paragraph,
        Part,
        Reasons,
        Row,
        Section,
        Signature,
        Spread,
        Stance,
        State,
        Table,
        Term,
    )

__all__ = ["render"]

_DEEPEST = 6


def render(document: Document) -> str:
    """Return the report as GitHub-flavoured Markdown, one file without pictures; the same document gives the same text."""
    with speaking(document.language):
        return unmarked(_written(document))


def _written(document: Document) -> str:
    pieces = [piece for place, part in enumerate(document.parts) for piece in _part(part, first=place == 0)]
    foot = " · ".join(escaped(text) for text in (document.running, document.generator) if text)
    return "\n\n".join([*pieces, "---", foot]) + "\n"


def _part(part: Part, *, first: bool) -> list[str]:
    """Return the pieces of a part; the first part's title is the headline, which stands in it already."""
    return [*([] if first else [_heading(2, part.id, part.title)]), *_blocks(part.blocks, 3)]


def _blocks(blocks: Iterable[Block], depth: int) -> list[str]:
    return [piece for block in blocks for piece in _WRITERS[block.kind](block, depth) if piece]


def _heading(depth: int, name: str, title: str) -> str:
    return f"{'#' * min(depth, _DEEPEST)} {anchor(name)}{escaped(title)}"


def _masthead(block: Masthead, _: int) -> list[str]:
    who = " ".join(text for text in (escaped(block.lead_in), bold(block.audience)) if text)
    return [" · ".join(text for text in (who, escaped(block.when)) if text)]


def _badge(block: Badge, _: int) -> list[str]:
    return [bold(_state(block.state))]


def _headline(block: Headline, _: int) -> list[str]:
    return [f"# {escaped(block.text)}"]


def _paragraph(block: Paragraph, _: int) -> list[str]:
    more = f"{link(block.link.text, block.link.target)}." if block.link else ""
    return [" ".join(text for text in (bold(block.strong), escaped(block.text), more) if text)]


def _key_figures(block: KeyFigures, _: int) -> list[str]:
    return [_list(_key_figure(item) for item in block.items)]


def _key_figure(item: KeyFigure) -> str:
    state = _state(item.state) if item.state else ""
    rest = f"{state} {item.note}".strip(" ·")
    return f"{escaped(item.label)}: " + " · ".join(text for text in (bold(item.value), escaped(rest)) if text)


def _figure(block: Figure, depth: int) -> list[str]:
    read = readings(block.spec)
    rows = _table(read, depth) if read else []
    caption = f"{block.caption} {words.label('readings.how')}" if read else block.caption
    return [bold(block.title), escaped(block.alt), escaped(marked(block.spec)), *rows, escaped(caption)]


def _figures(block: Figures, depth: int) -> list[str]:
    return _blocks(block.items, depth)


def _table(block: Table, _: int) -> list[str]:
    head = [escaped(column.title) for column in block.columns]
    return [table(head, [_row(row) for row in block.rows], [column.align == "right" for column in block.columns]), escaped(block.note)]


def _row(row: Row) -> list[str]:
    """Return the cells of a row; its place and its mark stand in the first."""
    first, *rest = (_cell(cell, strong=row.mark and place == 0) for place, cell in enumerate(row.cells))
    return [f"{anchor(row.id)}{first}" if row.id else first, *rest]


def _cell(cell: Cell, *, strong: bool) -> str:
    text = link(cell.text, cell.link) if cell.link else bold(cell.text) if cell.strong or strong else escaped(cell.text)
    shown = f"{escaped(_state(cell.state))} {text}".strip(" ") if cell.state else text
    return " · ".join(part for part in (shown, escaped(cell.note)) if part)


def _reasons(block: Reasons, _: int) -> list[str]:
    return [_list(_stance(item) for item in block.items)]


def _stance(item: Stance) -> str:
    ref = link(item.ref, item.link) if item.link else escaped(item.ref)
    return f"{bold(_state(item.state))} {escaped(item.text)}" + (f" ({ref})" if ref else "")


def _listing(block: Listing, _: int) -> list[str]:
    return [_list(escaped(item) for item in block.items)]


def _card(block: Card, depth: int) -> list[str]:
    about = [bold(_state(block.state)), *(escaped(text) for text in (block.name, block.code, block.where) if text)]
    return [_heading(depth, block.id, block.message), " · ".join(about), _terms((*block.answers, *block.details))]


def _definitions(block: Definitions, _: int) -> list[str]:
    return [_terms(block.items)]


def _signature(block: Signature, _: int) -> list[str]:
    lines = [escaped(line) for line in block.lines]
    return [escaped(block.statement), table(lines, [[" "] * len(lines)], [False] * len(lines))]


def _spread(block: Spread, _: int) -> list[str]:
    return [escaped(block.alt)]


def _section(block: Section, depth: int) -> list[str]:
    return [_heading(depth, block.id, block.title), *_blocks(block.blocks, depth + 1)]


def _terms(items: Iterable[Term]) -> str:
    return _list(_term(item) for item in items)


def _term(item: Term) -> str:
    texts = [escaped(text) for text in item.text]
    rest = f" {texts[0]}" if len(texts) == 1 else "".join(f"\n  - {text}" for text in texts)
    return f"{bold(item.term)}{rest}"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _state(state: State) -> str:
    return f"{state.sign} {state.word}".strip()


_WRITERS: dict[str, Callable[[Any, int], list[str]]] = {
    "masthead": _masthead,
    "badge": _badge,
    "headline": _headline,
    "paragraph": _paragraph,
    "key_figures": _key_figures,
    "figure": _figure,
    "figures": _figures,
    "table": _table,
    "reasons": _reasons,
    "listing": _listing,
    "card": _card,
    "definitions": _definitions,
    "signature": _signature,
    "spread": _spread,
    "section": _section,
}
"""How each kind of block is written, at which depth of headings."""
