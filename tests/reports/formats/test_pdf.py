from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pypdf import PdfReader

from trainreport.reports.attached import attached_to
from trainreport.reports.document import build
from trainreport.reports.formats import pdf


@pytest.fixture(scope="module")
def exam_bytes(request):
    made = request.getfixturevalue("builders")
    assessment = made.exam()
    return pdf.render(build(assessment), attached=attached_to(assessment))


@pytest.fixture(scope="module")
def builders():
    from types import SimpleNamespace

    from reports import made_cases, made_logs

    return SimpleNamespace(**{**vars(made_logs), **vars(made_cases)})


@pytest.fixture
def reader(exam_bytes):
    return PdfReader(io.BytesIO(exam_bytes))


def elements(node):
    """Yield each structure element below `node`, with the kinds of its children."""
    kids = node.get("/K")
    kids = [] if kids is None else kids.get_object()
    kids = [kid.get_object() for kid in (kids if isinstance(kids, list) else [kids])]
    kids = [kid for kid in kids if isinstance(kid, dict)]
    if "/S" in node:
        yield node["/S"], node, [kid["/S"] for kid in kids if "/S" in kid]
    for kid in kids:
        yield from elements(kid)


def test_it_says_both_standards_where_readers_look(reader):
    metadata = reader.trailer["/Root"]["/Metadata"]
    text = metadata.get_data().decode()
    assert "/Filter" not in metadata
    assert text.count("<rdf:RDF") == 1
    assert re.search(r'pdfaid:part="3" pdfaid:conformance="A"', text)
    assert 'pdfuaid:part="1"' in text
    assert "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>" in text


def test_it_is_tagged_titled_and_has_a_colour_profile(reader):
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] is True or root["/MarkInfo"]["/Marked"].value
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert root["/Lang"] == "en"
    assert root["/OutputIntents"][0]["/S"] == "/GTS_PDFA1"


def figures_in(tree):
    """Return the words of each chart of a document, in its order."""
    if isinstance(tree, tuple):
        return [alt for item in tree for alt in figures_in(item)]
    if type(tree).__name__ == "Figure":
        return [tree.alt]
    inner = getattr(tree, "blocks", getattr(tree, "items", ()))
    return figures_in(inner) if isinstance(inner, tuple) else []


def test_each_figure_says_what_it_shows(reader, builders):
    said = [str(node.get("/Alt")) for kind, node, _ in elements(reader.trailer["/Root"]["/StructTreeRoot"]) if kind == "/Figure"]
    wanted = [alt for part in build(builders.exam()).parts for alt in figures_in(part.blocks)]
    assert len(said) == len(wanted) >= 4
    assert said == wanted
    assert all(text.strip() for text in said)


def test_lists_tables_and_headings_are_well_formed(reader):
    levels = []
    for kind, _, kids in elements(reader.trailer["/Root"]["/StructTreeRoot"]):
        if kind == "/L":
            assert set(kids) <= {"/LI", "/L", "/Caption"}
        elif kind == "/TR":
            assert set(kids) <= {"/TH", "/TD"}
        elif re.fullmatch(r"/H\d", kind):
            levels.append(int(kind[2:]))
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_contents_name_the_page_that_each_part_stands_on(reader, builders):
    document = build(builders.exam())
    pages = [re.sub(r"\s+", " ", page.extract_text()) for page in reader.pages]
    assert "Contents" not in pages[0]
    listed = dict(re.findall(r"([A-Z][a-z]+): (?:[^.]|\.(?=\d))*?(?: \.)+ ?(\d+)", pages[1]))
    assert set(listed) == {part.short for part in document.parts[1:]}
    for part in document.parts[1:]:
        assert re.sub(r"\s+", " ", part.title) in pages[int(listed[part.short]) - 1]


def test_assessment_and_curves_are_inside(reader, builders):
    import json

    root = reader.trailer["/Root"]
    names = root["/Names"]["/EmbeddedFiles"]["/Names"]
    assert [str(name) for name in names[::2]] == ["assessment.json", "curves.csv"]
    listed = [str(entry.get_object()["/F"]) for entry in root["/AF"]]
    assert listed == ["assessment.json", "curves.csv"]
    assert [str(entry.get_object()["/AFRelationship"]) for entry in root["/AF"]] == ["/Source", "/Data"]
    [assessment], [curves] = (reader.attachments[name] for name in ("assessment.json", "curves.csv"))
    assert json.loads(assessment)["schema"] == "trainreport.assessment/1"
    table = pd.read_csv(io.BytesIO(curves))
    logged = builders.exam().leading.log.frame
    assert set(table["logged"]) == set(logged["logged"].astype(str))
    best = table[(table["series"] == "accuracy") & (table["phase"] == "validation")]
    assert best["value"].max() == logged[(logged["series"] == "accuracy") & (logged["phase"] == "validation")]["value"].max()
    assert len(best) == 120


def test_thinned_curves_keep_their_spikes(builders):
    assessment = builders.exam()
    values = np.zeros(50_000)
    values[31_337] = 7.5
    values[40_000] = np.nan
    frame = builders.rows("=cmd()", "loss", "train", values, step=range(50_000), time_s=np.arange(50_000.0))
    run = replace(assessment.runs[0], log=replace(assessment.runs[0].log, frame=frame))
    content = attached_to(replace(assessment, runs=(run,)))[1]
    table = pd.read_csv(io.BytesIO(content.content))
    assert "at most 1,000 values" in content.description
    assert 500 <= len(table) <= 1_000
    assert table.loc[table["value"].idxmax(), "step"] == 31_337
    assert set(table["logged"]) == {"'=cmd()"}


def test_the_same_assessment_gives_the_same_bytes(exam_bytes, builders):
    assessment = builders.exam()
    assert pdf.render(build(assessment), attached=attached_to(assessment)) == exam_bytes


def lengths_agree(content):
    """Whether each stream is as long as it says: counted here, because the validator takes a last CR for an end of line."""
    return all(
        content[match.end() + int(match.group(1)) :].startswith(b"\nendstream")
        for match in re.finditer(rb"/Length (\d+)[^\n]*>>\nstream\n", content)
    )


def faults(content):
    validator = pytest.importorskip("page", reason="page-validation is not installed")
    profiles = (validator.ValidationProfile.PDF_A_3A, validator.ValidationProfile.PDF_UA_1)
    found = {failure.rule_id for profile in profiles for failure in validator.validate_pdf_bytes(content, profile=profile).failures}
    return found - {"PDFA3A-STREAM-LENGTH-001"} if lengths_agree(content) else found


def test_the_validator_finds_nothing(exam_bytes):
    assert faults(exam_bytes) == set()


@pytest.mark.full
@pytest.mark.parametrize("name", ["gpu_only", "healthy", "no_plan", "running", "several"])
def test_the_validator_finds_nothing_in_other_reports(name, builders):
    assessment = builders.CASES[name]()
    assert faults(pdf.render(build(assessment), attached=attached_to(assessment))) == set()


def test_the_validator_finds_nothing_in_german_with_a_brand(builders, tmp_path):
    import matplotlib as mpl

    from trainreport.reports.brand import read_brand

    folder = Path(mpl.get_data_path()) / "fonts" / "ttf"
    (tmp_path / "text.ttf").write_bytes((folder / "DejaVuSerif.ttf").read_bytes())
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><path d="M0 0h8v4z"/></svg>')
    (tmp_path / "brand.toml").write_text('name = "Nordwind"\nlogo = "logo.svg"\n[fonts]\nregular = "text.ttf"')
    document = build(builders.exam(), language="de")
    content = pdf.render(document, attached=attached_to(builders.exam()), brand=read_brand(tmp_path / "brand.toml"))
    assert faults(content) == set()
    reader = PdfReader(io.BytesIO(content))
    assert reader.trailer["/Root"]["/Lang"] == "de"
    assert reader.metadata.author == "Nordwind"
    fonts = reader.pages[0]["/Resources"]["/Font"].get_object().values()
    assert any(font.get_object()["/BaseFont"].endswith("+Report-Brand") for font in fonts)
