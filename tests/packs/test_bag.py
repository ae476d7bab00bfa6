from __future__ import annotations

import hashlib
import shutil
import stat
import subprocess
import zipfile

import bagit
import pytest
from packs.conftest import ITEMS, contents, small

from trainreport.errors import InputError, OutputExistsError, UsageError
from trainreport.packs import bag


def test_the_bag_is_what_bagit_1_0_says(tmp_path):
    pack = small(tmp_path / "pack", items=[bag.Item("b", b"bb\n", ""), bag.Item("a", b"a", "")], info=[("Contact-Name", "A\n B")])
    a, b = hashlib.sha256(b"a").hexdigest(), hashlib.sha256(b"bb\n").hexdigest()
    found = contents(pack)
    assert found["bagit.txt"] == b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    assert found["bag-info.txt"] == b"Contact-Name: A B\nPayload-Oxum: 4.2\n"
    assert found["manifest-sha256.txt"].decode() == f"{a}  data/a\n{b}  data/b\n"
    tags = ("bag-info.txt", "bagit.txt", "manifest-sha256.txt")
    assert found["tagmanifest-sha256.txt"].decode() == "".join(f"{hashlib.sha256(found[n]).hexdigest()}  {n}\n" for n in tags)
    assert set(found) == {*tags, "tagmanifest-sha256.txt", "data/a", "data/b"}


def test_bagit_python_and_sha256sum_find_it_in_order(tmp_path, signed):
    pack = shutil.copytree(signed, tmp_path / "pack")
    bagit.Bag(str(pack)).validate()
    lists = ["manifest-sha256.txt", "tagmanifest-sha256.txt"]
    subprocess.run(["sha256sum", "-c", "--quiet", "--strict", *lists], cwd=pack, check=True)
    (pack / "data" / "one").write_bytes(b"\1")
    with pytest.raises(bagit.BagValidationError):
        bagit.Bag(str(pack)).validate()


def test_the_same_contents_give_the_same_bytes_anywhere(tmp_path, monkeypatch):
    first = small(tmp_path / "a.zip").read_bytes()
    folder = contents(small(tmp_path / "a"))
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    assert small(tmp_path / "deep" / "b.zip", items=ITEMS[::-1]).read_bytes() == first
    assert contents(small(tmp_path / "b", items=ITEMS[::-1])) == folder
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert zipfile.ZipFile(small(tmp_path / "c.zip")).infolist()[0].date_time == (2026, 1, 1, 0, 0, 0)


def test_the_zip_holds_the_same_bag_in_one_folder(tmp_path, keys):
    folder, archive = small(tmp_path / "a", keys.private), small(tmp_path / "a.zip", keys.private)
    with zipfile.ZipFile(archive) as opened:
        assert {info.filename: opened.read(info) for info in opened.infolist()} == {f"root/{k}": v for k, v in contents(folder).items()}
        assert {stat.S_IMODE(info.external_attr >> 16) for info in opened.infolist()} == {0o644}
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", ["pack", "pack.zip"])
def test_only_a_pack_is_replaced_and_only_when_told(tmp_path, name):
    pack = small(tmp_path / name)
    with pytest.raises(OutputExistsError, match="--force"):
        small(pack)
    bag.write(pack, "root", [bag.Item("new", b"", "")], [], None, replace=True)
    assert list(tmp_path.iterdir()) == [pack]
    if pack.is_dir():
        assert [path.name for path in (pack / "data").iterdir()] == ["new"]
    other = tmp_path / "folder"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match="no pack"):
        bag.write(other, "root", ITEMS, [], None, replace=True)
    assert (other / "thesis.txt").read_text() == "mine"


def test_a_log_that_changed_leaves_nothing_behind(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"later")
    with pytest.raises(InputError, match="Log of a run: the file changed"):
        small(tmp_path / "pack", items=[bag.Item("log", log, "Log of a run", hashlib.sha256(b"read").hexdigest())])
    assert list(tmp_path.iterdir()) == [log]


def test_a_date_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        bag.made_at()
