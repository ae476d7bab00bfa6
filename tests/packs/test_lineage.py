from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from packs.conftest import contents, openssl

from trainreport.errors import InputError
from trainreport.model.clock import parse_instant
from trainreport.model.ledger import Ledger
from trainreport.model.money import Money
from trainreport.model.plan_reader import parse_plan
from trainreport.model.run import Run
from trainreport.packs import bag, lineage


def judged(*runs, plan=""):
    """Return an assessment of runs as (id, start hour, end hour, flop)."""
    made = []
    for run_id, start, end, flop in runs:
        span = {"started_at": parse_instant(f"2026-06-09T{start:02}:00:00Z"), "ended_at": parse_instant(f"2026-06-09T{end:02}:00:00Z")}
        taken = Ledger(flop=flop, gpu_hours=float(end - start), cost=Money.parse(f"{end - start} EUR"))
        made.append(SimpleNamespace(log=SimpleNamespace(run=Run(run_id, run_id, **span)), ledger=taken))
    return SimpleNamespace(runs=made, leading=made[0], plan=parse_plan(plan), redaction=None)


def packed(folder, name, assessment, *parents):
    """Write a pack that holds a lineage only, and return it as a parent."""
    line = lineage.collected(assessment, parents)
    bag.write(folder / name, "root", [bag.Item(lineage.NAME, line.content, "")], [], None, replace=False)
    return lineage.read_parent(folder / name)


def total(line):
    return json.loads(line.content)["total"]


def test_a_run_that_several_packs_hold_counts_once(tmp_path):
    base = packed(tmp_path, "base", judged(("pretrain", 0, 10, 4e20)))
    left = packed(tmp_path, "left", judged(("left", 10, 12, 1e20)), base)
    right = packed(tmp_path, "right", judged(("right", 10, 11, 2e20), ("pretrain", 0, 10, 4e20)), base)
    line = lineage.collected(judged(("merge", 12, 13, 5e19)), [left, right])
    assert total(line)["flop"] == {"sum": 7.5e20, "known_of": 4, "runs": 4}
    assert total(line)["gpu_hours"]["sum"] == 10 + 2 + 1 + 1
    assert total(line)["cost"] == [{"amount": "14.00", "currency": "EUR"}] or total(line)["cost"] == [{"amount": "14", "currency": "EUR"}]
    told = json.loads(line.content)
    assert told["parents"] == sorted([left.digest, right.digest])
    assert set(told["packs"]) == {base.digest, left.digest, right.digest}
    assert told["packs"][left.digest]["parents"] == [base.digest]
    assert {row["run_id"]: row["pack"] for row in told["runs"]}["merge"] is None
    assert (line.flop, line.alone) == (7.5e20, False)


def test_of_a_run_that_went_on_the_later_figure_counts(tmp_path):
    base = packed(tmp_path, "base", judged(("run", 0, 10, 4e20)))
    assert total(lineage.collected(judged(("run", 0, 15, 6e20)), [base]))["flop"]["sum"] == 6e20
    longer = packed(tmp_path, "longer", judged(("run", 0, 15, 6e20)))
    assert total(lineage.collected(judged(("run", 0, 10, 4e20)), [longer]))["flop"]["sum"] == 6e20


def test_the_same_name_at_another_time_is_another_run(tmp_path):
    base = packed(tmp_path, "base", judged(("run", 0, 10, 4e20)))
    assert total(lineage.collected(judged(("run", 11, 12, 1e20)), [base]))["flop"]["sum"] == 5e20


def test_what_is_not_known_is_said(tmp_path):
    base = packed(tmp_path, "base", judged(("a", 0, 1, None)))
    assert total(lineage.collected(judged(("b", 1, 2, 1e20)), [base]))["flop"] == {"sum": 1e20, "known_of": 1, "runs": 2}


def test_what_the_plan_names_counts_unless_its_pack_is_given(tmp_path):
    plan = '[[lineage]]\nname = "pretrain"\nflop = 3e20\nsource = "model card"\n'
    assert total(lineage.collected(judged(("b", 1, 2, 1e20), plan=plan), []))["flop"]["sum"] == 4e20
    base = packed(tmp_path, "base", judged(("pretrain", 0, 1, 4e20)))
    assert total(lineage.collected(judged(("b", 1, 2, 1e20), plan=plan), [base]))["flop"]["sum"] == 5e20


def test_the_digest_of_a_parent_is_that_of_its_tagmanifest(tmp_path):
    parent = packed(tmp_path, "base", judged(("a", 0, 1, 1e20)))
    assert openssl("dgst", "-sha256", "-r", tmp_path / "base" / bag.TAGMANIFEST).stdout.split()[0] == parent.digest


def test_a_parent_that_was_changed_or_is_none_is_refused(tmp_path):
    packed(tmp_path, "base", judged(("a", 0, 1, 1e20)))
    file = tmp_path / "base" / "data" / lineage.NAME
    file.write_bytes(file.read_bytes().replace(b"1e+20", b"1e+10"))
    with pytest.raises(InputError, match="not as it was made"):
        lineage.read_parent(tmp_path / "base")
    for number, content in enumerate([b"{}", b"[" * 9000, b"\xff", b'{"schema": "trainreport.lineage/1", "runs": [{}], "packs": {}}']):
        bag.write(tmp_path / f"{number}", "root", [bag.Item(lineage.NAME, content, "")], [], None, replace=False)
        with pytest.raises(InputError, match="no lineage"):
            lineage.read_parent(tmp_path / f"{number}")
    bag.write(tmp_path / "old", "root", [bag.Item("index.md", b"", "")], [], None, replace=False)
    with pytest.raises(InputError, match="a parent without"):
        lineage.read_parent(tmp_path / "old")
    assert contents(tmp_path / "old")
