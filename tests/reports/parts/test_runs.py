"""Very many runs: the tables are cut and say so, and all of them are attached."""

from __future__ import annotations

import csv
import io

import pytest
from builders import log_of, training

from trainreport.decisions.assess import assess
from trainreport.model.plan import Criterion, Plan
from trainreport.reports.attached import attached_to
from trainreport.reports.comparison import compared
from trainreport.reports.document import build_comparison
from trainreport.reports.parts import ranking, runs
from trainreport.reports.view import View

GOAL = Plan(criteria=(Criterion("accuracy", "accuracy", 0.90, unit="share"),))


@pytest.fixture(scope="module")
def whole():
    """Five runs with the accuracies 0.5, 0.6 … 0.9."""
    logs = [
        log_of(
            training({"val_accuracy": [0.1, 0.5 + at / 10]}, key=str(at), params={"width": str(8 * (at + 1)), "note": "=1+1"}),
            run_id=f"run{at}",
        )
        for at in range(5)
    ]
    return assess(logs, GOAL)


def tables(blocks):
    return [inner for block in blocks if block.kind == "section" for inner in block.blocks if inner.kind == "table"]


def plain(text):
    return text.replace("\u00a0", " ")


def test_the_table_of_the_report_is_cut_and_names_the_file(whole, monkeypatch):
    monkeypatch.setattr(runs, "MOST_ROWS", 3)
    table = runs._table(View(whole), compared(whole))
    assert [row.cells[1].text for row in table.rows] == ["run4", "run3", "run2"]
    assert plain(table.note) == "And 2 more. All 5 runs are in runs.csv, attached to the PDF."


def test_a_short_table_has_no_such_note(whole):
    table = runs._table(View(whole), compared(whole))
    assert [row.cells[1].text for row in table.rows] == ["run4", "run3", "run2", "run1", "run0"]
    assert table.note == ""


def test_the_table_of_the_comparison_is_cut_too(whole, monkeypatch):
    monkeypatch.setattr(ranking, "_MOST_ROWS", 2)
    table = tables(build_comparison(whole).parts[0].blocks)[0]
    assert [row.cells[1].text for row in table.rows] == ["run4", "run3"]
    assert "And 3 more runs; “--format json” lists all." in plain(table.note)


def test_all_runs_are_attached_the_best_first_each_with_what_it_is_ranked_by(whole):
    [file] = [one for one in attached_to(whole) if one.name == "runs.csv"]
    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    assert [row["place"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [float(row["value"]) for row in rows] == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5])
    assert [row["param:width"] for row in rows] == ["40", "32", "24", "16", "8"]
    assert [row["criterion:accuracy"] for row in rows] == ["met", "missed", "missed", "missed", "missed"]
    assert file.relationship == "Data"


def test_one_run_alone_has_no_such_file():
    alone = assess([log_of(training({"val_accuracy": [0.1, 0.5]}, key="a"), run_id="a")], GOAL)
    assert [one.name for one in attached_to(alone)] == ["assessment.json", "curves.csv"]


def test_names_from_logs_are_no_formulas():
    logs = [
        log_of(training({"val_accuracy": [0.1, best]}, key=name, params={"note": name}), run_id=name)
        for name, best in (("=1", 0.5), ("b", 0.6))
    ]
    [file] = [one for one in attached_to(assess(logs, GOAL)) if one.name == "runs.csv"]
    last = list(csv.DictReader(io.StringIO(file.content.decode())))[-1]
    assert last["param:note"] == "'=1"
