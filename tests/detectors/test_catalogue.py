"""The page of the catalogue is what the detectors say, and can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from trainreport.detectors import all_detectors
from trainreport.detectors.explain import SECTIONS, Explanation, as_markdown, explain
from trainreport.model.finding import Severity

PAGE = Path(__file__).resolve().parents[2] / "docs" / "catalogue.md"


def test_the_page_is_current(call):
    if not PAGE.is_file():
        pytest.skip("docs/ is not part of this installation")
    code, out, _ = call("explain", "--all", "--format", "markdown")
    assert code == 0
    assert out == PAGE.read_text()  # trainreport explain --all --format markdown > docs/catalogue.md


def test_every_code_has_a_heading_that_the_table_leads_to(call):
    page = call("explain", "--all", "--format", "markdown")[1]
    headings = re.findall(r"^## (\S+) (\S+)$", page, re.MULTILINE)
    assert headings == [(one.code, one.name) for one in all_detectors()]
    targets = re.findall(r"^\| \[\w+\]\(#([^)]+)\)", page, re.MULTILINE)
    assert targets == [f"{code.lower()}-{name}" for code, name in headings]  # as GitHub makes anchors


@pytest.mark.parametrize("one", all_detectors(), ids=lambda one: one.code)
def test_markdown_reads_back_as_what_was_written(one):
    told = explain(one)
    tokens = MarkdownIt("commonmark").enable("table").parse(as_markdown(told))
    text = " ".join("".join(child.content for child in token.children) for token in tokens if token.type == "inline")
    for paragraphs in told.sections.values():
        for paragraph in paragraphs:
            assert paragraph.removeprefix("- ").replace("``", "") in text
    assert text.count("What it checks") >= 1
    assert all(limit.why in text for limit in told.limits)


def test_what_looks_like_markup_is_text():
    sections = dict.fromkeys(SECTIONS, ("a * b, <b>, x_y_z, [1](2), ``a_b*`` and a|b",))
    told = Explanation("XX001", "name", Severity.NOTE, "s", ("n",), sections, ())
    [inline] = {
        "".join(child.content for child in token.children)
        for token in MarkdownIt("commonmark").parse(as_markdown(told))
        if token.type == "inline" and token.content.startswith("a ")
    }
    assert inline == "a * b, <b>, x_y_z, [1](2), a_b* and a|b"


def test_all_of_them_as_text(call):
    code, out, _ = call("explain", "--all")
    assert code == 0
    assert re.findall(r"^(TR\d+) ", out, re.MULTILINE)[:2] == ["TR001", "TR002"]
    assert out.count("What it checks\n") == len(all_detectors())


def test_one_as_markdown_and_arguments_that_cannot_be_meant(call):
    assert call("explain", "TR101", "--format", "markdown")[1].startswith("### TR101 overfitting\n")
    code, _, err = call("explain", "TR101", "--all")
    assert code == 2
    assert "expected no CODE" in err
