"""Numbers in words, tables, charts and JSON are the same, in every format: each is read back and compared."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest

import trainreport as tr

SAMPLES = sorted(path.parent for path in (Path(__file__).parent.parent / "sample_runs").glob("*/plan.toml"))
QUICK = ("overfitting", "distributed", "starved")
"""Of each of the others the whole is read by make test-full."""
FORMS = ("html", "markdown", "pdf")
UNITS = {"Wh": 0.001, "kWh": 1.0, "MWh": 1000.0, "min": 1 / 60, "h": 1.0, "days": 24.0, "s": 1 / 3600}
NUMBER = r"([\d,]+(?:\.\d+)?)"


class Words(HTMLParser):
    """Gathers what a page says, leaving out styles, scripts and drawings."""

    def __init__(self):
        super().__init__()
        self.said, self.silent = [], 0

    def handle_starttag(self, tag, attrs):
        self.silent += tag in ("style", "script", "svg")

    def handle_endtag(self, tag):
        self.silent -= tag in ("style", "script", "svg")

    def handle_data(self, data):
        if not self.silent:
            self.said.append(data)


def plain(text):
    """Return a text with single blanks, marks of Markdown left out."""
    text = re.sub(r'<a id="[^"]*"></a>|\]\([^)]*\)|[*|\[\]\\]', " ", text)
    return re.sub(r"[\s\u00a0\u202f\u2009]+", " ", text)


def text_of(analysis, form):
    content = analysis.render(form)
    if form == "html":
        page = Words()
        page.feed(content if isinstance(content, str) else content.decode())
        return plain(" ".join(page.said))
    if form == "pdf":
        from pypdf import PdfReader

        return plain(" ".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages))
    return plain(content if isinstance(content, str) else content.decode())


def agrees(shown, exact):
    """Return whether a number as shown is the exact one, rounded to the digits shown."""
    digits = len(shown.partition(".")[2])
    return abs(float(shown.replace(",", "")) - exact) <= 0.5 * 10**-digits * (1 + 1e-9) + 1e-12 * abs(exact)


def totals(told):
    """Return what all runs took, as the JSON tells it: EUR, GPU-hours, kWh."""
    taken = [run["compute"] for run in told["runs"]]
    money = [float(one["cost"]["amount"]) for one in taken if one["cost"]]
    hours, energy = ([one[name] for one in taken if one[name] is not None] for name in ("gpu_hours", "energy_kwh"))
    return {name: sum(values) for name, values in (("money", money), ("hours", hours), ("energy", energy)) if values}


def differing(text, told, leading):
    """Return what a text says otherwise than the JSON, and how many numbers of it were compared."""
    exact, found = totals(told), []
    patterns = {
        "money": rf"(?:Spent|Money) {NUMBER} ([A-Z]{{3}})",
        "hours": rf"GPU-hours {NUMBER} (h|min|days) (?:[\d.,]+ (?:h|min|days)|–)",
        "energy": rf"Energy {NUMBER} (k?Wh|MWh)",
    }
    for name, pattern in patterns.items():
        for shown, unit in re.findall(pattern, text):
            found.append((name, shown, unit, name in exact and agrees(shown, exact[name] / UNITS.get(unit, 1.0))))
    run = next(one for one in told["runs"] if one["run_id"] == leading)
    best = run["best_checkpoint"]
    steps = re.findall(r"best at step ([\d,]+)", text) if best else []
    found += [("best step", shown, "", int(shown.replace(",", "")) == best["step"]) for shown in steps]
    for one in run["findings"]:
        said = [one["message"], one["impact"]["text"] if one["impact"] else ""]
        found += [("finding", f"{one['code']}: {words}", "", plain(words) in text) for words in said if words]
    return [one[:3] for one in found if not one[3]], len(found)


@pytest.mark.parametrize(
    "sample", [pytest.param(path, id=path.name, marks=() if path.name in QUICK else pytest.mark.full) for path in SAMPLES]
)
def test_every_format_says_the_numbers_of_the_json(sample):
    analysis = tr.analyze(sample / "logs", sample / "plan.toml")
    told = json.loads(analysis.render("json"))
    for form in FORMS:
        wrong, compared = differing(text_of(analysis, form), told, analysis.assessment.leading.log.run.id)
        assert wrong == [], form
        assert compared >= 6, form


@pytest.fixture(scope="module")
def overfitting():
    sample = next(path for path in SAMPLES if path.name == "overfitting")
    analysis = tr.analyze(sample / "logs", sample / "plan.toml")
    return text_of(analysis, "markdown"), json.loads(analysis.render("json"))


@pytest.mark.parametrize(
    ("old", "new"),
    [("44.85 EUR", "44.95 EUR"), ("GPU-hours 14.0 h", "GPU-hours 14.1 h"), ("best at step 63", "best at step 64"), ("4.2 kWh", "4.3 kWh")],
)
def test_a_number_that_differs_is_found(overfitting, old, new):
    text, told = overfitting
    assert old in text
    assert differing(text, told, "overfitting")[0] == []
    assert differing(text.replace(old, new), told, "overfitting")[0] != []


def test_the_table_behind_a_chart_ends_at_what_was_spent(overfitting):
    text, told = overfitting
    row = re.search(r"money spent ((?:[\d.,]+ )+)", text)
    assert agrees(row[1].split()[-1], totals(told)["money"])


def test_the_curve_behind_a_chart_is_that_of_the_frame(overfitting):
    text, told = overfitting
    (criterion,) = told["runs"][0]["criteria"]
    reached = re.search(rf"≥ {NUMBER} % {criterion['step']} ✕ missed", text)
    assert agrees(reached[1], 100 * criterion["threshold"])
    assert re.search(rf"mandatory {NUMBER} %", text)[1] == f"{100 * criterion['value']:.0f}"
