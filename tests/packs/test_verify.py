from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import zipfile

import pytest
from packs import mutations
from packs.conftest import ITEMS, call, small

from trainreport.errors import InputError
from trainreport.packs import bag, signing
from trainreport.packs.verify import verify


def tampered(pack, folder, key, seeds):
    """Yield what was touched and what was named, for each seed."""
    for seed in seeds:
        copy = shutil.copytree(pack, folder / str(seed))
        chance = random.Random(seed)
        kind = mutations.KINDS[seed % len(mutations.KINDS)]
        touched = mutations.expected(kind(copy, chance))
        yield seed, kind.__name__, touched, {one.file for one in verify(copy, key).changes}
        shutil.rmtree(copy)


def test_every_tampering_is_found_and_the_right_file_named(signed, keys, tmp_path):
    key = signing.load_public(keys.public)
    assert [case for case in tampered(signed, tmp_path, key, range(360)) if case[2] != case[3]] == []


@pytest.mark.full
def test_two_thousand_tamperings_with_a_real_pack(real, keys, tmp_path):
    key = signing.load_public(keys.public)
    assert [case for case in tampered(real, tmp_path, key, range(10_000, 12_000)) if case[2] != case[3]] == []


@pytest.mark.parametrize("name", ["pack", "pack.zip"])
def test_intact_and_signed(tmp_path, keys, name):
    found = verify(small(tmp_path / name, keys.private), signing.load_public(keys.public))
    assert (found.changes, found.files) == ([], len(ITEMS) + 3)
    assert found.signed_with == signing.fingerprint(signing.load_public(keys.public))


def test_exit_codes(tmp_path, keys, signed):
    plain = small(tmp_path / "plain")
    assert call("verify", plain).exit_code == 0
    assert call("verify", signed).exit_code == 3
    assert call("verify", signed, "--key", keys.public).exit_code == 0
    assert call("verify", signed, "--key", keys.other).exit_code == 1
    assert call("verify", plain, "--key", keys.public).exit_code == 1
    (plain / "data" / "one").write_bytes(b"x")
    changed = call("verify", plain)
    assert changed.exit_code == 1
    assert "changed: data/one" in changed.stdout
    assert subprocess.run([sys.executable, "-m", "trainreport", "verify", tmp_path], capture_output=True, check=False).returncode == 4
    assert subprocess.run([sys.executable, "-m", "trainreport", "verify", plain, "--key", plain / "bagit.txt"], check=False).returncode == 2


def test_a_signed_pack_that_changed_is_changed_even_without_a_key(tmp_path, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    (pack / "data" / "added").write_text("x")
    assert call("verify", pack).exit_code == 1


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


def test_lists_that_disagree_in_an_unsigned_pack_accuse_no_file_of_the_payload(tmp_path):
    pack = small(tmp_path / "pack")
    text = (pack / bag.MANIFEST).read_text()
    (pack / bag.MANIFEST).write_text(text.replace(text[:4], "0000", 1))
    found = verify(pack)
    assert [(one.kind, one.file) for one in found.changes] == [("changed", bag.MANIFEST)]
    assert "not checked" in found.notes[0]


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


def test_a_folder_is_added_unless_its_own_files_were_taken(tmp_path):
    pack = small(tmp_path / "pack")
    (pack / "data" / "new" / "empty").mkdir(parents=True)
    (pack / "data" / "logs" / "a" / "events").unlink()
    assert [(one.kind, one.file) for one in verify(pack).changes] == [("missing", "data/logs/a/events"), ("added", "data/new/empty/")]


# Hostile packs: refused with the reason, nothing written.


def zipped(path, *members, **more):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"p/bagit.txt": bag.DECLARATION, **dict(members), **more}.items():
            archive.writestr(name, content)
    return path


def refused(path, reason):
    before = sorted(path.parent.iterdir())
    with pytest.raises(InputError, match=reason):
        verify(path)
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("p/../../evil", "leads out of the pack"),
        ("p/data//x", "leads out of the pack"),
        ("p/data/a\\b", "read differently"),
        ("p/data/a\nb", "read differently"),
        ("p/" + "d/" * 70 + "x", "too long or too deep"),
        ("p/data/" + "x" * 2000, "too long or too deep"),
    ],
)
def test_names_that_lead_astray(tmp_path, name, reason):
    refused(zipped(tmp_path / "x.zip", (name, b"")), reason)


def test_an_absolute_name(tmp_path):
    refused(zipped(tmp_path / "x.zip", ("/etc/passwd", b"")), "expected a zip that holds one folder")


@pytest.mark.parametrize(("one", "other"), [("data/a", "data/A"), ("data/\u00e9", "data/e\u0301")])
def test_names_alike(tmp_path, one, other):
    refused(zipped(tmp_path / "x.zip", (f"p/{one}", b""), (f"p/{other}", b"")), "called alike")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice(tmp_path):
    path = zipped(tmp_path / "x.zip", ("p/data/a", b"1"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("p/data/a", b"2")
    refused(path, "called alike")


def test_a_link_in_a_zip(tmp_path):
    entry = zipfile.ZipInfo("p/data/link")
    entry.external_attr = 0o120777 << 16
    path = zipped(tmp_path / "x.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, "/etc/passwd")
    refused(path, "is a link")


@pytest.mark.parametrize("target", ["/etc/passwd", "..", "nowhere"])
def test_a_link_in_a_folder(tmp_path, target):
    pack = small(tmp_path / "pack")
    (pack / "data" / "link").symlink_to(target)
    refused(pack, "is a link")


def test_a_pipe_in_a_folder(tmp_path):
    pack = small(tmp_path / "pack")
    os.mkfifo(pack / "data" / "pipe")
    refused(pack, "no regular file")


def test_a_name_that_is_not_utf8_in_a_folder(tmp_path):
    pack = small(tmp_path / "pack")
    (pack / "data" / os.fsdecode(b"\xff\xfe")).write_text("")
    refused(pack, "not valid UTF-8")


def test_a_name_that_is_not_utf8_in_a_zip(tmp_path):
    path = zipped(tmp_path / "x.zip", ("p/data/éé", b""))
    path.write_bytes(path.read_bytes().replace("éé".encode(), b"\xff\xfe\xff\xfe"))
    refused(path, "no pack|read differently")


@pytest.mark.parametrize("line", ["{}  ../../etc/passwd\n", "{}  /etc/passwd\n", "{}  bagit.txt\n", "{0}  data/a\n{0}  data/a\n"])
def test_lists_that_lead_astray(tmp_path, line):
    pack = small(tmp_path / "pack")
    (pack / bag.MANIFEST).write_text(line.format("0" * 64))
    tags = {name: hashlib.sha256((pack / name).read_bytes()).hexdigest() for name in (bag.BAGIT, bag.INFO, bag.MANIFEST)}
    (pack / bag.TAGMANIFEST).write_bytes(bag.listing(tags))
    refused(pack, "leads out|absolute|not below data|listed twice")


def test_a_list_that_is_not_utf8_is_named(tmp_path):
    pack = small(tmp_path / "pack")
    (pack / bag.TAGMANIFEST).write_bytes(b"\xff\xfe\n")
    assert [(one.file, "UTF-8" in one.what) for one in verify(pack).changes] == [(bag.TAGMANIFEST, True)]


def test_a_zip_bomb(tmp_path):
    refused(zipped(tmp_path / "x.zip", ("p/data/zeros", bytes(200 << 20))), "zip bomb")


def test_files_of_a_zip_that_overlap(tmp_path):
    path = zipped(tmp_path / "x.zip", ("p/data/a", b"a" * 40), ("p/data/b", b"b" * 40))
    content = bytearray(path.read_bytes())
    second = content.rfind(b"PK\x01\x02")
    first = content.find(b"PK\x03\x04", 1)  # where data/a begins
    content[second + 42 : second + 46] = struct.pack("<L", first)
    path.write_bytes(content)
    refused(path, "overlap")


def test_a_zip_that_says_its_list_is_huge(tmp_path):
    path = zipped(tmp_path / "x.zip")
    content = bytearray(path.read_bytes())
    at = content.rfind(b"PK\x05\x06")
    content[at + 12 : at + 16] = struct.pack("<L", 0x7FFFFFFF)
    path.write_bytes(content)
    refused(path, "lists more files")


def test_zips_that_are_none(tmp_path):
    for number, content in enumerate([b"", b"PK", b"PK\x05\x06", os.urandom(300), zipped(tmp_path / "z").read_bytes()[:-9]]):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(content)
        refused(path, "no pack")


def test_four_gigabytes_of_zeros_are_named_unread(tmp_path, signed, keys):
    pack = shutil.copytree(signed, tmp_path / "pack")
    for name in ("data/one", "data/zeros"):
        with (pack / name).open("wb") as stream:
            stream.truncate(4 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    found = verify(pack, signing.load_public(keys.public))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 1  # reading 8 GB takes longer
    assert [(one.kind, one.file) for one in found.changes] == [("changed", "data/one"), ("added", "data/zeros")]


def test_four_gigabytes_of_list_are_refused(tmp_path, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    with (pack / bag.MANIFEST).open("wb") as stream:
        stream.truncate(4 << 30)
    refused(pack, "more than any pack's")


def test_every_bit_of_a_zip_may_be_flipped(tmp_path, keys):
    """No flip ends in a fault of ours: intact (a bit that carries nothing), changed, or refused."""
    path, key = small(tmp_path / "p.zip", keys.private), signing.load_public(keys.public)
    content, chance = path.read_bytes(), random.Random(5)
    outcomes = set()
    for _ in range(400):
        broken = bytearray(content)
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        try:
            outcomes.add("changed" if verify(path, key).changes else "intact")
        except InputError:
            outcomes.add("refused")
    assert {"changed", "refused"} <= outcomes
