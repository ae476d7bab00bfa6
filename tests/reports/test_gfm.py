"""Escaped text is read back by markdown-it, which is not ours and follows the CommonMark tests."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from trainreport.reports import gfm

READER = MarkdownIt("gfm-like", {"linkify": False})
MARKUP = [
    *"\\`*_[]()<>|~$&#@!:.-+= ",
    "a",
    "Z",
    "7",
    "é",
    "<b>",
    "</p>",
    "<!--",
    "&amp;",
    "&#60;",
    "http://x.y",
    "www.x",
    "1.",
    "2)",
    "---",
    "```",
]
texts = st.lists(st.sampled_from(MARKUP), max_size=14).map("".join)


def shown(rendered, tag):
    """Return what stands in the one element `tag`, which must hold nothing but text."""
    inner = re.search(f"<{tag}>(.*)</{tag}>", rendered, re.DOTALL)[1]
    assert "<" not in inner
    return html.unescape(inner).replace("\u200b", "")


def one_line(text):
    return re.sub(" +", " ", text).strip(" ")


@given(texts.filter(lambda text: text.strip(" ")))
def test_a_paragraph_shows_the_text_letter_by_letter(text):
    rendered = READER.render(gfm.escaped(text))
    assert rendered == f"<p>{re.search('<p>(.*)</p>', rendered)[1]}</p>\n"
    assert shown(rendered, "p") == one_line(text)


@given(texts, texts)
def test_a_table_keeps_its_cells(first, second):
    rendered = READER.render(gfm.table(["a", "b"], [[gfm.escaped(first), gfm.escaped(second)]], [False, False]))
    cells = re.findall("<td>(.*?)</td>", rendered)
    assert [html.unescape(cell).replace("\u200b", "") for cell in cells] == [one_line(first), one_line(second)]
    assert rendered.count("<tr>") == 2
    assert not re.search("<(?!/?(table|thead|tbody|tr|th|td)>)", rendered)


@given(texts.filter(lambda text: re.search(r"\w", text)))
def test_strong_text_is_strong(text):
    rendered = READER.render(f"{gfm.bold(text)} and more")
    assert shown(rendered, "strong") == one_line(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("epoch_accuracy < 0.1 % & 5 > 4", "epoch_accuracy < 0.1 % & 5 > 4"),
        ("_private_ a__b", r"\_private\_ a\_\_b"),
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("a|b `c` [d](e) ![f](g)", r"a\|b \`c\` \[d\](e) !\[f\](g)"),
        ("&lt; &#x3c; AT&T", r"\&lt; \&#x3c; AT&T"),
        ("$x^2$", r"\$x^2\$"),
        ("1. one", r"1\. one"),
        ("1.5 h", "1.5 h"),
        ("- a\n# b", r"\- a # b"),
        ("> 99.9 %", r"\> 99.9 %"),
        ("C:\\runs\\1", "C:\\\\runs\\\\1"),
    ],
)
def test_only_what_would_be_markup_is_escaped(text, written):
    assert gfm.escaped(text) == written


@pytest.mark.parametrize("text", ["by @octocat", "a@b.org", "fixes #12", "https://x.org", "WWW.x.org", "it :tada: ends"])
def test_what_github_would_link_is_taken_apart(text):
    written = gfm.escaped(text)
    assert written.replace("&#8203;", "") == text
    assert not re.search(r"@\w|#\d(?!\d*;)|://|www\.|:[a-z]+:", written, re.IGNORECASE)


def test_links_lead_to_anchors():
    name = 'f-"><b>'
    assert gfm.anchor(name) == '<a id="f----b-"></a>'
    assert gfm.link("TR101 [x]", name) == r"[TR101 \[x\]](#f----b-)"


def test_numbers_stand_right():
    assert gfm.table(["a", "b"], [["1", "2"]], [False, True]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
