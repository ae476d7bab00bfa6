"""Batches from Python."""

from __future__ import annotations


def test_results_as_frames(tree, tmp_path):
    import trainreport as tr

    tree.events("a", "b")
    seen = []
    found = tr.batch(tree.root, tmp_path / "out", jobs=1, progress=lambda summary: seen.append(summary.runs))
    assert seen == [1, 2]
    assert sorted(found.frame["path"]) == ["a", "b"]
    assert set(found.findings["path"]) == {"a", "b"}
    assert found.portfolio.is_file()
    assert repr(found) == f"<Batch in {tmp_path / 'out'}: 2 runs judged, 0 folders failed>"
    assert "1 folder" not in repr(found)
    assert "2 folders as before" in repr(tr.batch(tree.root, tmp_path / "out", jobs=1, resume=True))
    assert found._repr_html_().startswith("<p>&lt;Batch in ")
