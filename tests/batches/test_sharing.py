"""No charge of an invoice counts for two runs, in whatever folders they lie."""

from __future__ import annotations

from decimal import Decimal

from batches.conftest import charged, lines

from trainreport import api
from trainreport.batches import runner
from trainreport.batches.holder import Job
from trainreport.batches.sharing import shared
from trainreport.batches.terms import Terms


def told(asked):
    return {job.path: job.others for job in shared((Job(f"/{path}", path, "stamp", terms="terms"), answer) for path, answer in asked)}


def test_a_job_is_told_when_runs_of_others_overlap_its_own():
    found = told(
        [
            ("b", {"spans": [[5.0, 15.0]]}),
            ("a", {"spans": [[0.0, 10.0], [20.0, 30.0]]}),
            ("c", {"spans": [[14.0, 20.0], [25.0, 26.0]]}),
            ("broken", {"error": "cannot be read"}),
        ]
    )
    assert list(found) == ["a", "b", "broken", "c"]  # whatever order the answers came in
    assert found["a"] == ((5.0, 15.0), (25.0, 26.0))  # 14 to 20 only touches
    assert found["b"] == ((0.0, 10.0), (14.0, 20.0))
    assert found["c"] == ((5.0, 15.0), (20.0, 30.0))
    assert found["broken"] == ()


def test_a_change_of_the_others_is_another_state_of_the_job():
    def state(*asked):
        [job] = [
            job for job in shared((Job("", path, "stamp", terms="terms"), {"spans": spans}) for path, spans in asked) if job.path == "a"
        ]
        return job.stamp, job.terms

    alone = state(("a", [[0.0, 10.0]]))
    assert alone == state(("a", [[0.0, 10.0]]), ("b", [[10.0, 20.0]]))
    together = state(("a", [[0.0, 10.0]]), ("b", [[9.0, 20.0]]))
    assert all(one != other for one, other in zip(alone, together, strict=True))
    assert told([]) == {}


def costs(output):
    return {one["path"]: one["cost"] and Decimal(one["cost"]["amount"]) for one in lines(output)}


def test_runs_of_two_folders_split_what_was_charged_while_they_ran(tree, tmp_path):
    """10 EUR and 7 EUR while one run was alive, then another in the same time: 8.50 EUR are each one's, as in `report` on both."""
    tree.events("a")
    start, end = span_of(tree.root / "a")
    bill = charged(tmp_path / "bill.csv", (start, end, "10.00"), (start, end, "7.00"))
    terms, out = Terms(billing=str(bill)), tmp_path / "out"
    runner.run(tree.root, out, terms)
    assert costs(out) == {"a": Decimal("17.00")}
    again = runner.run(tree.root, out, terms, resume=True)
    assert (again.runs, again.skipped) == (0, 1)
    tree.events("b")
    changed = runner.run(tree.root, out, terms, resume=True)
    assert (changed.runs, changed.skipped) == (2, 0)
    table = api.Batch(out, changed).frame  # of each path, the last line
    assert sorted(zip(table["path"], table["cost"], strict=True)) == [("a", Decimal("8.50")), ("b", Decimal("8.50"))]
    whole = api.analyze(tree.root, billing=bill).assessment
    assert [one.ledger.cost.plain() for one in whole.runs] == ["8.50", "8.50"]


def span_of(folder):
    run = api.load(folder).logs[0].run
    return run.started_at, run.ended_at
