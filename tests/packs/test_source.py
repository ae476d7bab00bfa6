from __future__ import annotations

import os
import struct
import zipfile

import pytest
from packs.conftest import refused, small

from trainreport.errors import InputError
from trainreport.packs import bag
from trainreport.packs.verify import verify

# Hostile packs: refused with the reason, nothing written.


def zipped(path, *members, **more):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"p/bagit.txt": bag.DECLARATION, **dict(members), **more}.items():
            archive.writestr(name, content)
    return path


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


@pytest.mark.parametrize("name", ["pack", "pack.zip"])
def test_a_pack_of_somebody_else_that_may_not_be_read(tmp_path, monkeypatch, name):
    pack = small(tmp_path / name)

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", denied)
    monkeypatch.setattr("pathlib.Path.open", denied)
    with pytest.raises(InputError, match="Permission denied"):
        verify(pack)
