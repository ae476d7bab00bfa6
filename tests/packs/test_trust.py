from __future__ import annotations

import json
import shutil

import pytest
from packs import mutations
from packs.conftest import ITEMS, small

from trainreport.packs import bag, signing
from trainreport.packs.verify import verify


def test_signatures_taken_away_are_missed_without_a_key_too(tmp_path, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    mutations.unsign(pack, None)
    assert [(one.kind, one.file) for one in verify(pack).changes] == [("missing", bag.STATEMENT), ("missing", bag.SIGNATURE)]


def test_without_a_key_a_statement_about_other_lists_is_named(tmp_path, keys, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    other = small(tmp_path / "other", keys.private, items=ITEMS[:2])
    shutil.copy(other / bag.STATEMENT, pack / bag.STATEMENT)
    assert [one.file for one in verify(pack).changes] == [bag.STATEMENT]


def test_a_whole_other_pack_by_another_key_is_told(tmp_path, keys, signed):
    found = verify(signed, signing.load_public(keys.other))
    assert {one.file for one in found.changes} == {bag.SIGNATURE, bag.STATEMENT}
    assert all("not by the key given" in one.what for one in found.changes)


@pytest.mark.parametrize("text", ['{"payload": 1}', "[]", "null", "{}", '{"signatures": []}', "[" * 20_000, "\xff"])
def test_a_statement_that_is_none_is_named(tmp_path, keys, signed, text):
    pack = shutil.copytree(signed, tmp_path / "pack")
    (pack / bag.STATEMENT).write_text(text, encoding="latin-1")
    for key in (None, signing.load_public(keys.public)):
        assert [one.file for one in verify(pack, key).changes] == [bag.STATEMENT]


def test_a_statement_laid_out_anew_is_changed(tmp_path, keys, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    (pack / bag.STATEMENT).write_text(json.dumps(json.loads((pack / bag.STATEMENT).read_text()), indent=1))
    [one] = verify(pack, signing.load_public(keys.public)).changes
    assert (one.file, one.what) == (bag.STATEMENT, "not in its canonical form")
