from __future__ import annotations

import html
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from markdown_it import MarkdownIt

from trainreport.reports import blocks as b
from trainreport.reports.document import build
from trainreport.reports.formats import markdown
from trainreport.reports.spec import Axis, FigureSpec, Level, Line, Panel

GOLDEN = Path(__file__).parents[2] / "golden" / "document.md"
READER = MarkdownIt("gfm-like", {"linkify": False})
BAD, GOOD = b.State("✕", "missed", "bad"), b.State("✓", "met", "good")
CHART = FigureSpec(
    (Panel((Line(np.array([0.0, 40.0]), np.array([0.5, 0.9])),), Axis("share"), "accuracy", (Level(0.95, "target 95 %"),)),),
    Axis("count", "steps"),
    100.0,
    50.0,
)
FIGURE = b.Figure("curve", "It learned", CHART, "As logged.", "Line chart of accuracy from 50 % to 90 %.")
FIRST = b.Part(
    "decision", "Decision", "Stop", (
        b.Masthead("Review for", "A|B & Co", "9 June 2026"),
        b.Badge(BAD),
        b.Headline("Stop *now*"),
        b.Paragraph("It costs < 5 EUR.", "quiet", "How sure?", b.Link("at the end", "sign")),
        b.KeyFigures((b.KeyFigure("Accuracy", "85 %", BAD, "· 90 % agreed"), b.KeyFigure("Energy", "3.9 kWh", None, "measured"))),
        b.Figures((FIGURE,)),
    ),
)  # fmt: skip
SECOND = b.Part(
    "rest", "Rest", "What <we> found", (
        FIGURE,
        b.Table(
            (b.Column("Run"), b.Column("Cost", align="right")),
            (
                b.Row((b.Cell("a|b", "note", state=GOOD), b.Cell("12 EUR", strong=True)), mark=True, id="run-1"),
                b.Row((b.Cell("to the card", link="f-1"), b.Cell("–"))),
            ),
            "And 3 more.",
        ),
        b.Reasons((b.Stance(BAD, "It was missed.", "TR101", "f-1"), b.Stance(GOOD, "It was met.", "loss"))),
        b.Section("s", "Findings", (
            b.Card("f-1", b.State("▲", "Major", "warn"), "TR101", "overfitting", "gpu0", "It memorises.",
                   (b.Term("Why", ("Because.", )),), (b.Term("How we know", ("One.", "Two.")),)),
            b.Section("inner", "Deeper", (b.Listing(("- one", "two")),), folded=True),
        )),
        b.Spread((), "Bar: Training 90 %."),
        b.Definitions((b.Term("Loss", ("How wrong.",)),)),
    ),
)  # fmt: skip
LAST = b.Part("sign", "Signature", "A person decides", (b.Signature("I decide.", ("Name", "Date")),))
DOCUMENT = b.Document("T", "en", "T · run 2026-06-09", "Stop", (FIRST, SECOND, LAST), "trainreport 0.1.0")
NOT_SHOWN = {"id", "tone", "align", "style", "short", "target", "link", "language", "summary"}


def plain(rendered):
    text = html.unescape(re.sub("<[^>]*>", " ", rendered)).replace("\u200b", "")
    return re.sub(r"[ \n]+", " ", text)


def texts(tree):
    """Return every text of a document that a reader sees in HTML; a chart's are tested with its readings."""
    if isinstance(tree, str):
        return [re.sub(" +", " ", tree).strip(" ·\u00a0")]
    if isinstance(tree, tuple):
        return [text for item in tree for text in texts(item)]
    if is_dataclass(tree) and not isinstance(tree, FigureSpec | b.Slice):
        return [text for item in fields(tree) if item.name not in NOT_SHOWN for text in texts(getattr(tree, item.name))]
    return []


def kinds_in(items):
    inner = [block for item in items for block in (item.blocks if item.kind == "section" else item.items if item.kind == "figures" else ())]
    return {item.kind for item in items} | (kinds_in(inner) if inner else set())


def test_every_block_is_written_as_in_the_golden_file():
    assert markdown.render(DOCUMENT) == GOLDEN.read_text(encoding="utf-8")


def test_every_kind_of_block_is_known_and_in_the_golden_document():
    kinds = {block.kind for block in get_args(b.Block)}
    assert set(markdown._WRITERS) == kinds

    assert {kind for part in DOCUMENT.parts for kind in kinds_in(part.blocks)} == kinds


def test_nothing_of_the_document_is_lost(case):
    document = build(case[1])
    shown = plain(READER.render(markdown.render(document)))
    first, *rest = document.parts
    missing = [text for text in texts((first.blocks, tuple(rest), document.running, document.generator)) if text and text not in shown]
    assert missing == []


def test_markdown_is_text_only_and_links_within(case):
    rendered = READER.render(markdown.render(build(case[1])))
    tags = set(re.findall(r"<(\w+)", rendered))
    assert tags <= {"a", "h1", "h2", "h3", "h4", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "hr"}
    assert rendered.count("<h1>") == 1
    targets, ids = re.findall('href="([^"]*)"', rendered), re.findall('<a id="([^"]*)"></a>', rendered)
    assert {target.removeprefix("#") for target in targets} <= set(ids)
    assert len(set(ids)) == len(ids)


def test_each_row_of_a_table_has_as_many_cells_as_its_head(case):
    for table in re.findall("<table>.*?</table>", READER.render(markdown.render(build(case[1]))), re.DOTALL):
        widths = {len(re.findall("<t[hd]", row)) for row in re.findall("<tr>.*?</tr>", table, re.DOTALL)}
        assert len(widths) == 1


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "</p>", "<img src=x onerror=alert(1)>", "[x](http://evil)", "@everyone", "| a |"]
)
def test_what_a_log_says_stays_text(text):
    part = b.Part("p", "P", text, (b.Listing((text,)), b.Table((b.Column(text),), (b.Row((b.Cell(text),)),))))
    rendered = READER.render(markdown.render(b.Document("T", "en", text, "", (FIRST, part), "g")))
    assert plain(rendered).count(text) == 5
    assert "<script" not in rendered
    assert "<img" not in rendered
    assert 'http://evil"' not in rendered


def test_rendering_twice_gives_the_same_text(made):
    assert markdown.render(build(made.exam())) == markdown.render(build(made.exam()))
