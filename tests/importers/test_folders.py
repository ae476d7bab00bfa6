from __future__ import annotations

from trainreport.importers.folders import above, by_folder, parent


def test_the_folder_above():
    assert [parent(folder) for folder in ("a/b/c", "a", ".")] == ["a/b", ".", "."]
    assert above("a/b/c") == ["a/b/c", "a/b", "a", "."]
    assert above(".") == ["."]


def test_a_folder_of_a_path_given_with_others_ends_at_the_top_too():
    assert above("/tmp/logs") == ["/tmp/logs", "/tmp", "."]


def test_what_lies_in_a_folder_or_below():
    assert by_folder([("a/b", 1), ("a", 2), (".", 3), ("ab", 4)]) == {"a/b": [1], "a": [1, 2], ".": [1, 2, 3, 4], "ab": [4]}
