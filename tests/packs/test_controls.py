from __future__ import annotations

import csv
import io
import json

import pytest
from markdown_it import MarkdownIt

from trainreport.packs import controls
from trainreport.packs.evidence import KINDS, Evidence


def found(*there):
    return {key: Evidence(key, kind, f"shown {key}" if key in there else None) for key, kind in KINDS.items()}


def state(framework, clause, *there, flop=None):
    [one] = [one for one in controls.judged(found(*there), flop) if (one.framework.id, one.clause.id) == (framework, clause)]
    return one


def test_the_frameworks_are_these_with_version_and_source():
    known = {one.id: (one.version, str(one.date)) for one in controls.frameworks()}
    assert known == {
        "cpmai-gate-4-5": ("CPMAI, phases I to VI; the points of the gate are trainreport's, PMI numbers none", "None"),
        "eu-ai-act-annex-iv": ("Regulation (EU) 2024/1689, as first published", "2024-06-13"),
        "eu-ai-act-annex-xi": ("Regulation (EU) 2024/1689, as first published", "2024-06-13"),
        "iso-42001-annex-a": ("ISO/IEC 42001:2023", "2023-12-18"),
        "nist-ai-rmf": ("1.0 (NIST AI 100-1)", "2023-01-26"),
        "sr-26-2": ("SR 26-2, in place of SR 11-7 and SR 21-8; the numbers of the points are trainreport's", "2026-04-17"),
    }
    assert all(url.startswith("https://") for one in controls.frameworks() for url in one.sources)
    assert all(one.sources and one.read for one in controls.frameworks())


@pytest.mark.parametrize("framework", controls.frameworks(), ids=lambda one: one.id)
def test_every_clause_leads_somewhere(framework):
    ids = [one.id for one in framework.clauses]
    assert len(set(ids)) == len(ids)
    for one in framework.clauses:
        assert bool(one.not_applicable) != bool(one.evidence or one.beyond), one.id
    for one in (state(framework.id, clause) for clause in ids):
        assert one.state in ("absent", "not applicable")
        assert bool(one.completed_by) == (one.state == "absent")


def test_every_kind_of_evidence_is_asked_for_somewhere():
    asked = {key for one in controls.frameworks() for clause in one.clauses for key in clause.evidence}
    assert set(KINDS) - asked == set()


def test_states():
    annex = "eu-ai-act-annex-xi", "1(2)(d)"
    assert state(*annex, "flop", "training-time", "device-hours", "hardware").state == "present"
    some = state(*annex, "flop")
    assert (some.state, len(some.completed_by)) == ("partial", 3)
    assert "Training time: times in the logs" in some.completed_by
    assert state(*annex).state == "absent"
    assert state("eu-ai-act-annex-xi", "1(2)(e)", "energy").state == "present"
    assert state("eu-ai-act-annex-xi", "2(2)", *KINDS).state == "not applicable"
    assert state("nist-ai-rmf", "MEASURE 2.13", *KINDS).state == "partial"  # our checks are not the organisation's TEVV
    assert state("nist-ai-rmf", "MEASURE 2.11", *KINDS).state == "absent"
    assert state("eu-ai-act-annex-iv", "2(g)", *KINDS).state == "partial"  # a person's signature is never in it


@pytest.mark.parametrize(
    ("flop", "text"),
    [(None, "not known"), (9.9e24, "not above the threshold of 1e25"), (1e25, "not above"), (1.2e25, "1.2e25 FLOP in this pack, above")],
)
def test_article_51(flop, text):
    assert text in state("eu-ai-act-annex-xi", "Art. 51(2)", "flop", flop=flop).note


def test_three_forms_tell_the_same():
    matrix = controls.judged(found("flop", "energy", "criteria"), 1e20)
    rows = list(csv.DictReader(io.StringIO(controls.as_csv(matrix).decode())))
    data = [clause for one in json.loads(controls.as_json(matrix))["frameworks"] for clause in one["clauses"]]
    assert [(row["clause"], row["state"]) for row in rows] == [(one["id"], one["state"]) for one in data]
    text = controls.as_markdown(matrix)
    assert text.count("Evidence is **present**") == sum(row["state"] == "present" for row in rows)
    assert "compliant" not in text.lower()


def test_what_a_spreadsheet_would_compute_is_text():
    hostile = found() | {"objective": Evidence("objective", KINDS["objective"], "=1+1")}
    matrix = controls.judged(hostile, None)
    assert all(not cell.startswith("=") for row in csv.reader(io.StringIO(controls.as_csv(matrix).decode())) for cell in row)


def test_text_of_a_plan_stays_text():
    hostile = found() | {"objective": Evidence("objective", KINDS["objective"], "<script> | [x](javascript:1)")}
    text = controls.as_markdown(controls.judged(hostile, None))
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "&lt;script&gt; | [x](javascript:1)" in html
    assert "<script" not in html
    assert 'href="javascript' not in html
