"""Which folders are judged by themselves."""

from __future__ import annotations

import shutil

import pytest

from trainreport.batches.discovery import discover
from trainreport.batches.tree import LocalNode
from trainreport.importers import load


def found(tree, leave_out=None):
    avoided = None if leave_out is None else leave_out.resolve()
    return [folder.path for folder, _ in discover(LocalNode(tree.root, avoided=avoided))]


def test_each_folder_with_logs_is_one(tree):
    tree.events("team/b", "team/a", "other/deep/c")
    tree.text("team/notes", "readme.txt", "no log")
    assert found(tree) == ["other/deep/c", "team/a", "team/b"]


def test_each_is_told_with_the_share_of_the_tree_before_its_end(tree):
    tree.events("team/b", "team/a", "other/deep/c", "third/d")
    shares = [(folder.path, share) for folder, share in discover(LocalNode(tree.root))]
    assert shares == [
        ("other/deep/c", pytest.approx(1 / 3)),
        ("team/a", pytest.approx(1 / 2)),
        ("team/b", pytest.approx(2 / 3)),
        ("third/d", 1),
    ]


def test_phases_side_by_side_are_one_run(tree):
    tree.events("one/train", "one/validation", "two/train")
    assert found(tree) == ["one", "two/train"]
    assert len(load([tree.root / "one"]).logs) == 1


def test_a_single_folder_named_like_a_phase_joins_nothing(tree):
    tree.events("test", "first", "second")
    assert found(tree) == ["first", "second", "test"]


def test_a_hardware_log_takes_the_runs_below_it(tree):
    tree.events("job/a", "job/b", "elsewhere/c")
    tree.gpu("job")
    assert found(tree) == ["elsewhere/c", "job"]


def test_a_hardware_log_beside_runs_is_read_with_them(tree):
    tree.events("job/a", "elsewhere/c")
    tree.gpu("job/hardware")
    assert found(tree) == ["elsewhere/c", "job"]


def test_a_hardware_log_within_a_run_stays_there(tree):
    tree.events("a", "b")
    tree.gpu("a")
    assert found(tree) == ["a", "b"]


def test_each_experiment_of_a_store_is_one_and_an_empty_one_is_none(tree):
    tree.store("mlruns")
    assert (tree.root / "mlruns" / "0" / "meta.yaml").is_file()
    assert found(tree) == ["mlruns/329510537851989065"]


def test_a_store_beside_runs_is_read_with_them(tree):
    tree.store("job/mlruns")
    tree.events("job/tb", "elsewhere/c")
    assert found(tree) == ["elsewhere/c", "job"]


def test_a_store_without_runs_joins_nothing(tree):
    tree.store("mlruns")
    for folder in (tree.root / "mlruns").glob("3*"):
        shutil.rmtree(folder)
    tree.events("a", "b")
    assert found(tree) == ["a", "b"]


def test_the_root_may_be_one_itself(tree):
    tree.events(".", "below")
    assert found(tree) == ["."]


def test_results_links_and_what_never_holds_logs_are_left_out(tree, tmp_path):
    tree.events("a", "out", ".git", ".trash")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tree.root / "link").symlink_to(elsewhere)
    assert found(tree, tree.root / "out") == ["a"]


def test_jobs_come_before_the_tree_is_gone_through(tree, monkeypatch):
    tree.events("a/run", "b/run")
    looked = []
    from trainreport.batches import discovery

    folders = discovery._folders
    monkeypatch.setattr(discovery, "_folders", lambda folder: looked.append(folder.name) or folders(folder))
    next(discover(LocalNode(tree.root)))
    assert looked == ["root", "a"]


@pytest.mark.parametrize("name", ["distributed", "healthy", "hardware_trouble", "records", "starved", "unstable"])
def test_the_samples_give_the_runs_that_reading_them_whole_gives(name):
    """No run is split: by parts there are as many, of the same files."""
    from trainreport import _resources

    root = _resources.folder("sample_runs") / name / "logs"
    whole = {frozenset(file.sha256 for file in log.run.files) for log in load([root]).logs}
    parts = {frozenset(file.sha256 for file in log.run.files) for job, _ in discover(LocalNode(root)) for log in load([job.place]).logs}
    assert parts == whole
