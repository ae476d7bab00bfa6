"""What is shown in a notebook stays in its place, in the page and in the session."""

from __future__ import annotations

import re
import sys
import types
from html.parser import HTMLParser

import pytest
import tinycss2

import trainreport as tr
from trainreport import _resources
from trainreport.notebook.progress import watching

SAMPLES = _resources.folder("sample_runs")


class Elements(HTMLParser):
    """Collects the elements of a fragment."""

    def __init__(self, html):
        super().__init__()
        self.found, self.open = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("img", "progress"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module", params=["analysis", "runs", "comparison"])
def html(request):
    if request.param == "analysis":
        shown = tr.analyze(SAMPLES / "overfitting" / "logs", SAMPLES / "overfitting" / "plan.toml")
    elif request.param == "runs":
        shown = tr.load(SAMPLES / "search" / "logs")
    else:
        shown = tr.compare(SAMPLES / "search" / "logs", SAMPLES / "search" / "plan.toml")
    return shown._repr_html_()


def test_it_runs_nothing_loads_nothing_and_closes_what_it_opens(html):
    elements = Elements(html)
    assert not elements.open
    tags = {tag for tag, _ in elements.found}
    assert tags <= {"div", "style", "b", "img", "table", "thead", "tbody", "tr", "th", "td"}
    attributes = {name for _, some in elements.found for name in some}
    assert attributes <= {"class", "src", "alt", "scope"}  # no id, no event handler
    assert all(some["src"].startswith("data:image/svg+xml,") for tag, some in elements.found if tag == "img")


def test_every_class_is_its_own(html):
    classes = {one for _, some in Elements(html).found for one in some.get("class", "").split()}
    assert all(one.startswith("trainreport-") for one in classes)


def test_every_rule_is_about_its_own_elements(html):
    [sheet] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    rules = tinycss2.parse_stylesheet(sheet, skip_whitespace=True, skip_comments=True)
    assert {rule.type for rule in rules} == {"qualified-rule"}  # no @import, no @font-face
    for rule in rules:
        for selector in re.split(r",(?![^(]*\))", tinycss2.serialize(rule.prelude)):
            assert ".trainreport-view" in selector
            assert not re.search(r"trainreport-view[^ ,]*\s*[~+]", selector)  # nothing beside it
    assert "url(" not in sheet


def test_what_a_log_says_is_text(tmp_path):
    log = tmp_path / "run.csv"
    log.write_text(
        ",run_id,experiment_id,status,artifact_uri,start_time,end_time,metrics.val_loss,params.<b>x,tags.mlflow.runName\n"
        "0,r1,7,FINISHED,,2026-04-19 08:55:13+00:00,2026-04-19 08:56:13+00:00,0.25,1,<script>alert(1)</script>\n"
        "1,r2,7,FINISHED,,2026-04-19 09:55:13+00:00,2026-04-19 09:56:13+00:00,0.35,2,<img src=x onerror=y>\n"
    )
    for shown in (tr.load(log), tr.compare(log), tr.analyze(log)):
        assert "&lt;" in shown._repr_html_()
        elements = Elements(shown._repr_html_())
        assert {"script"}.isdisjoint(tag for tag, _ in elements.found)
        assert all(some["src"].startswith("data:") for tag, some in elements.found if tag == "img")


class Handle:
    """Stands for what IPython gives to change an output."""

    def __init__(self, shown):
        self.shown = shown

    def update(self, bundle, *, raw):
        assert raw
        self.shown.append(bundle)


@pytest.fixture
def cell(monkeypatch):
    """Stand for the kernel of a notebook, and return what it shows."""
    shown = []

    def display(bundle, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(bundle)
        return Handle(shown)

    kernel = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: kernel
    inside = types.ModuleType("IPython.display")
    inside.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", inside)
    return shown


def test_a_bar_stands_below_the_cell_and_goes_away(cell):
    with watching(True) as say:
        say("a <b>.csv")
    assert "reading · file 1 · a &lt;b&gt;.csv" in cell[0]["text/html"]
    assert cell[0]["text/plain"] == "reading · file 1 · a <b>.csv"
    assert cell[-1] == {"text/html": "", "text/plain": ""}


def test_a_bar_goes_away_after_an_error(cell):
    def read():
        with watching(True) as say:
            say("a")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        read()
    assert cell[-1]["text/html"] == ""


def test_work_of_a_moment_shows_no_bar(cell):
    with watching(None) as say:
        say("a")
    assert cell == []


def test_no_bar_where_nobody_watches(capsys):
    for wish in (None, True, False):
        with watching(wish) as say:
            assert say is None
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with watching(True) as say:
        say("x" * 200)
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.startswith("\rreading · file 1 · xxx")
    assert max(map(len, out.err.split("\r"))) <= 79
    assert out.err.endswith("\r")


def test_a_function_is_called_with_each_file():
    seen = []
    tr.load(SAMPLES / "overfitting" / "logs", progress=seen.append)
    assert len(seen) == 3
