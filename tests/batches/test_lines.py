"""Lines of results as tables."""

from __future__ import annotations

import json

import pytest
from batches.conftest import entry

from trainreport.batches import lines
from trainreport.errors import InputError


def tables(*entries):
    return list(lines.tables(json.dumps(one).encode() + b"\n" for one in entries))


def test_lines_are_parsed_block_by_block(monkeypatch):
    monkeypatch.setattr(lines, "_LINES", 3)
    found = tables(*(entry(str(at)) for at in range(7)))
    assert [table["path"].to_pylist() for table in found] == [["0", "1", "2"], ["3", "4", "5"], ["6"]]


def test_no_line_is_one_table_without_a_row():
    [empty] = tables()
    assert (empty.num_rows, empty["gpu_hours"].to_pylist()) == (0, [])


def test_names_that_are_no_text_are_marked_and_pairs_kept():
    [table] = tables(entry("team/\udcff"), entry("😀"))
    assert table["path"].to_pylist() == ["team/\ufffd", "😀"]


def test_what_later_versions_add_is_passed_over():
    [table] = tables({**entry("a"), "more": {"of": ["it"]}})
    assert table["verdict"].to_pylist() == ["no-go"]


def test_a_line_of_another_form_is_named():
    with pytest.raises(InputError, match="not as trainreport writes it"):
        tables({**entry("a"), "gpu_hours": {"not": "a number"}})
