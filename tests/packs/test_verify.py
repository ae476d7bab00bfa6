from __future__ import annotations

import hashlib
import random
import resource
import shutil
import subprocess
import sys

import pytest
from packs import mutations
from packs.conftest import ITEMS, call, refused, small

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


def test_lists_that_disagree_in_an_unsigned_pack_accuse_no_file_of_the_payload(tmp_path):
    pack = small(tmp_path / "pack")
    text = (pack / bag.MANIFEST).read_text()
    (pack / bag.MANIFEST).write_text(text.replace(text[:4], "0000", 1))
    found = verify(pack)
    assert [(one.kind, one.file) for one in found.changes] == [("changed", bag.MANIFEST)]
    assert "not checked" in found.notes[0]


def test_a_folder_is_added_unless_its_own_files_were_taken(tmp_path):
    pack = small(tmp_path / "pack")
    (pack / "data" / "new" / "empty").mkdir(parents=True)
    (pack / "data" / "logs" / "a" / "events").unlink()
    assert [(one.kind, one.file) for one in verify(pack).changes] == [("missing", "data/logs/a/events"), ("added", "data/new/empty/")]


# Hostile packs: refused with the reason, nothing written.


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
