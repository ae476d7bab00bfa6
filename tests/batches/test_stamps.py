"""What changes the stamp of a folder."""

from __future__ import annotations

import os

import pytest

from trainreport.batches import stamps


def written(folder):
    """Write other bytes of the same number, and set the date back."""
    before = (folder / "log").stat()
    (folder / "log").write_text("other")
    os.utime(folder / "log", ns=(before.st_atime_ns, before.st_mtime_ns))


def stamp(folder, leave_out, *common):
    return stamps.stamp(stamps.local_states(folder, leave_out.resolve()), *common)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "runs" / "out").mkdir(parents=True)
    (tmp_path / "runs" / "log").write_text("first")
    return tmp_path / "runs"


@pytest.mark.parametrize(
    "change",
    [
        written,
        lambda folder: (folder / "log").unlink(),
        lambda folder: (folder / "log").rename(folder / "log.1"),
        lambda folder: (folder / "new").write_text(""),
        lambda folder: (folder / os.fsdecode(b"\xff")).write_text(""),
    ],
    ids=["written", "removed", "renamed", "added", "not UTF-8"],
)
def test_a_change_of_a_file(folder, change):
    before = stamp(folder, folder / "out")
    assert stamp(folder, folder / "out") == before
    change(folder)
    assert stamp(folder, folder / "out") != before


def test_results_do_not_count_and_what_holds_for_all_does(folder):
    before = stamp(folder, folder / "out", "0.1.0")
    (folder / "out" / "results.jsonl").write_text("")
    assert stamp(folder, folder / "out", "0.1.0") == before
    assert stamp(folder, folder / "out", "0.2.0") != before
