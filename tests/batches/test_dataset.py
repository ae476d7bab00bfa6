"""The results as Parquet, read back by pandas and pyarrow, and queried by DuckDB."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from batches.conftest import entry

from trainreport.batches import dataset, runner
from trainreport.batches.lines import tables
from trainreport.errors import InputError


def finding(code="TR203", hours=0.5, cost="1.25"):
    money = None if cost is None else {"amount": cost, "currency": "EUR"}
    return {"code": code, "severity": "major", "confidence": "high", "gpu_hours": hours, "cost": money, "message": "waits"}


def written(folder, *entries):
    dataset.write(tables(json.dumps(one).encode() + b"\n" for one in entries), folder)
    return pq.read_table(folder / "runs.parquet"), pq.read_table(folder / "findings.parquet")


def test_a_row_a_run_and_a_row_a_finding(tmp_path):
    more = {"team": "crm", "ended_at": "2026-11-03T04:05:06.123456789Z", "goodput": {"productive": 0.75}}
    runs, findings = written(
        tmp_path,
        {**entry("a"), **more, "findings": [finding(), finding("TR101", None, None)]},
        {**entry("b", cost=None), "findings": []},
        entry("c", error="too long"),
    )
    assert runs["path"].to_pylist() == ["a", "b", "c"]
    assert runs["cost"].to_pylist() == [Decimal("2.50"), None, Decimal("2.50")]
    assert runs["currency"].to_pylist() == ["EUR", None, "EUR"]
    assert runs["team"].to_pylist() == ["crm", None, None]
    assert runs["productive"].to_pylist() == [0.75, None, None]
    assert runs["error"].to_pylist() == [None, None, "too long"]
    assert runs["ended_at"].to_pandas()[0] == pd.Timestamp("2026-11-03T04:05:06.123456Z")
    assert runs["codes"].to_pylist() == [["TR101"], ["TR101"], []]
    assert findings["path"].to_pylist() == ["a", "a"]
    assert findings["code"].to_pylist() == ["TR203", "TR101"]
    assert findings["cost"].to_pylist() == [Decimal("1.25"), None]
    assert findings["gpu_hours"].to_pylist() == [0.5, None]
    assert findings["run_id"].to_pylist() == ["run a", "run a"]


def test_blocks_of_lines_are_all_there(tmp_path, monkeypatch):
    monkeypatch.setattr("trainreport.batches.lines._LINES", 3)
    runs, findings = written(tmp_path, *({**entry(str(at)), "findings": [finding()] * (at % 3)} for at in range(10)))
    assert runs["path"].to_pylist() == [str(at) for at in range(10)]
    assert findings["path"].to_pylist() == ["1", "2", "2", "4", "5", "5", "7", "8", "8"]


def test_no_run_is_an_empty_table(tmp_path):
    runs, findings = written(tmp_path)
    assert (runs.num_rows, findings.num_rows) == (0, 0)
    assert str(runs.schema.field("cost").type) == "decimal128(18, 2)"


def test_a_line_of_another_form_is_named_and_nothing_is_left_behind(tmp_path):
    with pytest.raises(InputError, match="not as trainreport writes it"):
        written(tmp_path, {**entry("a"), "gpu_hours": {"not": "a number"}})
    assert list(tmp_path.iterdir()) == []


def test_what_no_longer_counts_is_left_out(tree, tmp_path):
    tree.events("a", "b")
    out = tmp_path / "out"
    runner.run(tree.root, out, jobs=1)
    file = tree.root / "a" / "events.out.tfevents.1.host"
    file.write_bytes(file.read_bytes()[:-200])
    runner.run(tree.root, out, jobs=1, resume=True)
    told = [json.loads(text) for text in (out / "results.jsonl").read_text().splitlines()]
    assert [one["path"] for one in told if one["path"] == "a"] == ["a", "a"]
    runs = pd.read_parquet(out / "runs.parquet").set_index("path")
    assert sorted(runs.index) == ["a", "b"]
    assert runs.loc["a", "inputs_digest"] == told[-1]["inputs_digest"]
    assert set(pd.read_parquet(out / "findings.parquet")["code"]) == {code for one in told for code in one["codes"]}


@pytest.mark.full
@pytest.mark.parametrize("name", ["README.md", "docs/clusters.md"])
def test_the_queries_shown_give_rows(tmp_path, monkeypatch, name):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install 'trainreport[engines]'")
    page = Path(__file__).resolve().parents[2] / name
    if not page.is_file():
        pytest.skip(f"{name} is not part of this installation")
    more = {"team": "crm", "project": "churn", "ended_at": "2026-11-03T04:05:06Z"}
    (tmp_path / "results").mkdir()
    written(tmp_path / "results", {**entry("a"), **more, "findings": [finding()]})
    monkeypatch.chdir(tmp_path)
    queries = re.findall(r"```sql\n(.*?)```", page.read_text(), re.DOTALL)
    assert queries
    for query in queries:
        assert duckdb.sql(query).fetchall()
