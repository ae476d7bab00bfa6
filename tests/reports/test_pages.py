from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from trainreport import reports
from trainreport.reports import page
from trainreport.reports.document import build
from trainreport.reports.formats import html, pdf
from trainreport.reports.plotted import plotted
from trainreport.reports.spec import Axis, FigureSpec, Line, Panel


class Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets, self.tags, self.sources, self.alts = [], [], set(), [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.targets += [given["href"]] if "href" in given else []
        if tag == "img":
            self.sources.append(given["src"])
            self.alts.append(given["alt"])


def outline(text):
    found = Outline()
    found.feed(text)
    return found


def test_html_needs_nothing_else(case):
    text = html.render(build(case[1]))
    found = outline(text)
    assert not re.search(r"""(?:src|href|url\()\s*=?\s*["']?(?:https?:)?//""", text)
    assert all(source.startswith("data:image/svg+xml,%3Csvg ") for source in found.sources)
    assert all(target.startswith("#") for target in found.targets)
    assert "default-src 'none'" in text


def test_only_the_one_script_runs(case):
    text = html.render(build(case[1]))
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert f"script-src 'sha256-{digest}';" in policy
    assert not re.search(r"<[^>]+\son[a-z]+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|eval\(|innerHTML", scripts[0])


def test_each_chart_has_its_numbers_and_a_table(made):
    text = html.render(build(made.exam()))
    plots = [json.loads(found) for found in re.findall(r'<script type="application/json">(.*?)</script>', text)]
    assert len(plots) == text.count("<figure") == text.count("<summary>As a table</summary>")
    [curve] = plots[0]["panels"][0]["lines"]
    steps = np.cumsum(curve["x"])
    logged = made.exam().leading.log.frame.query("series == 'accuracy' and phase == 'validation'")
    assert list(steps) == list(logged["step"])
    assert max(curve["y"]) == pytest.approx(0.85, abs=0.01)
    assert "NaN" not in json.dumps(plots)


def test_what_logs_say_ends_no_block_of_data(made):
    spec = FigureSpec((Panel((Line(np.array([0.0, 1.0]), np.array([np.nan, 1.0]), "</script><b>&"),)),), Axis(), 80.0, 40.0)
    packed = page._packed(plotted(spec))
    assert "<" not in packed
    assert json.loads(packed)["panels"][0]["lines"][0] == {"label": "</script><b>&", "tone": "accent", "x": [0.0, 1.0], "y": [None, 1.0]}


def test_a_long_line_keeps_its_spikes_in_few_points():
    y = np.zeros(100_000)
    y[54_321] = 3.0
    spec = FigureSpec((Panel((Line(np.arange(100_000.0), y),)),), Axis("count", "steps"), 80.0, 40.0)
    [line] = plotted(spec)["panels"][0]["lines"]
    assert len(line["x"]) <= 400
    assert np.cumsum(line["x"])[line["y"].index(3.0)] == 54_321


def test_findings_are_linked_by_code_and_filtered(made):
    text = html.render(build(made.exam()))
    found = outline(text)
    assert {"TR101", "TR301", "TR202"} <= set(found.ids)
    assert text.count('<form class="filter" data-shown="{n} of {all} shown" hidden>') == 1
    assert '<form class="filter"' not in html.render(build(made.gpu_only()))


def test_html_is_small(made):
    assert len(html.render(build(made.exam()))) < 400_000


def test_anchors_are_there_and_unique(case):
    found = outline(html.render(build(case[1])))
    assert len(set(found.ids)) == len(found.ids)
    assert {target[1:] for target in found.targets} <= set(found.ids)
    assert all(found.alts)


def test_what_logs_say_is_escaped(made):
    text = html.render(build(made.no_plan()))
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text
    assert "\u202e" not in text


def test_pdf_has_pages_bookmarks_and_language(made):
    from io import BytesIO

    from pypdf import PdfReader

    reader = PdfReader(BytesIO(pdf.render(build(made.exam()))))
    text = "\n".join(page.extract_text() for page in reader.pages)
    assert f"1 of {len(reader.pages)}" in text
    assert reader.metadata.title == "Retention model, third round"
    assert reader.metadata.creation_date is None
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert any("Findings" in str(entry.get("/Title")) for entry in reader.outline if not isinstance(entry, list))
    fonts = set(re.findall(r"/BaseFont\s*/[A-Z]+\+([\w-]+)", str([page["/Resources"]["/Font"] for page in reader.pages])))
    assert "ReportSans" in str(fonts) or not fonts
    assert "No-go" in reader.pages[0].extract_text()


def test_letter_is_another_paper(made):
    from io import BytesIO

    from pypdf import PdfReader

    box = PdfReader(BytesIO(pdf.render(build(made.gpu_only()), paper="letter"))).pages[0].mediabox
    assert (round(box.width), round(box.height)) == (612, 792)


def test_pdf_opens_nothing_but_data(monkeypatch):
    import weasyprint

    fetcher = pdf._only_data(weasyprint)
    with pytest.raises(ValueError, match="disallowed"):
        fetcher("file:///etc/passwd")
    assert fetcher("data:text/plain,hello").read() == b"hello"


@pytest.mark.parametrize("name", ["exam"])
def test_html_and_pdf_are_the_same_in_another_process(name, tmp_path):
    code = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from reports.made_cases import CASES
from trainreport import reports
assessment = CASES[sys.argv[2]]()
print(*(hashlib.sha256(reports.render(assessment, form)).hexdigest() for form in ("html", "pdf")))
"""
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parents[1]), name],
            capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed, "LC_ALL": locale, "PATH": "", "HOME": str(tmp_path)},
        ).stdout
        for seed, locale in (("1", "C"), ("2", "C.UTF-8"))
    }  # fmt: skip
    assert len(digests) == 1


def test_unknown_formats_are_named():
    from trainreport.errors import UsageError

    with pytest.raises(UsageError, match="did you mean 'html'"):
        reports.render(None, "htm")


def test_notebook_gets_a_summary(made):
    assessment = made.exam()
    text = reports.notebook_summary(assessment)
    assert "Stop paying for training" in text
    assert "The model learned until step 20,000" in text
    assert text.count("<img") == 2
