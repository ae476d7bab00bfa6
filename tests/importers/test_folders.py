from __future__ import annotations

from trainreport.importers.folders import above, by_folder, is_session, nearest, parent


def test_the_folder_above():
    assert [parent(folder) for folder in ("a/b/c", "a", ".")] == ["a/b", ".", "."]
    assert above("a/b/c") == ["a/b/c", "a/b", "a", "."]
    assert above(".") == ["."]


def test_a_folder_of_a_path_given_with_others_ends_at_the_top_too():
    assert above("/tmp/logs") == ["/tmp/logs", "/tmp", "."]


def test_what_lies_in_a_folder_or_below():
    assert by_folder([("a/b", 1), ("a", 2), (".", 3), ("ab", 4)]) == {"a/b": [1], "a": [1, 2], ".": [1, 2, 3, 4], "ab": [4]}


def test_what_is_nearest_above():
    found = {"a": 1, "a/b/c": 2}
    assert [nearest(folder, found) for folder in ("a/b/c", "a/b", "a/x/y", "b")] == [2, 1, 1, None]


def test_sessions_of_add_hparams_are_named_by_the_time():
    assert [is_session(folder) for folder in ("a/1671085786.32", "1671085786.32", "a/v1.5", "1671085786.32/a")] == [
        True,
        True,
        False,
        False,
    ]
