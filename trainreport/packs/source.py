"""Reads a pack that nobody vouches for: a folder or a zip, within bounds, nothing unpacked, no link followed."""

from __future__ import annotations

import io
import itertools
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from trainreport.errors import InputError
from trainreport.packs.names import fault, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import IO

__all__ = ["Entry", "Unreadable", "blocks", "opened"]

_BLOCK = 1 << 20
_MOST_FILES = 1_000_000
_LARGEST_DIRECTORY = 32 << 20
"""Bytes of a zip's own list of files; about 300,000 names."""
_MOST_PACKED = 250
"""Times that a zip may grow when unpacked; what runs leave behind stays far below."""
_SMALL = 100 << 20
"""Bytes up to which a zip may grow by any factor."""
_BROKEN = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, EOFError, OSError, OverflowError, zlib.error)
"""What zipfile raises on bytes that are no sound zip."""
_END, _END64 = struct.Struct("<4s8xLL2x"), struct.Struct("<40xQQ")


class Unreadable(Exception):  # noqa: N818  caught where it is raised, and told as a change
    """The bytes of one file cannot be unpacked."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a pack."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@contextmanager
def opened(path: Path) -> Iterator[dict[str, Entry]]:
    """Give the files of a pack by name, an empty folder with a slash behind it.

    Raises
    ------
    InputError
        If there is no such path, or the pack is refused; the message has the reason.
    """
    if path.is_dir():
        yield _unique(_walked(path))
    elif path.is_file():
        with _archive(path) as archive:
            yield _unique(_members(archive, path))
    else:
        raise InputError(f"{path}: no such file or folder")


def blocks(entry: Entry) -> Iterator[bytes]:
    """Yield the content of a file, block by block.

    Raises
    ------
    Unreadable
        If it cannot be read or unpacked.
    """
    try:
        with entry.open() as stream:
            while block := stream.read(_BLOCK):
                yield block
    except _BROKEN as error:
        raise Unreadable(str(error) or type(error).__name__) from None


def _unique(entries: Iterator[Entry]) -> dict[str, Entry]:
    """Return entries by name; refuse those that could be taken for one another."""
    found: dict[str, Entry] = {}
    alike: dict[str, str] = {}
    for entry in entries:
        wrong = fault(entry.name.removesuffix("/"))
        if wrong is not None:
            raise InputError(f"refused: {shown(entry.name)!r}: {wrong}")
        key = unicodedata.normalize("NFC", entry.name).casefold()
        if key in alike:
            raise InputError(f"refused: two files are called alike, {shown(alike[key])!r} and {shown(entry.name)!r}")
        if len(found) >= _MOST_FILES:
            raise InputError(f"refused: more than {_MOST_FILES:,} files")
        alike[key] = entry.name
        found[entry.name] = entry
    return found


def _walked(root: Path) -> Iterator[Entry]:
    """Yield the files below a folder, in order; refuse links, devices and pipes."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as listing:
                here = sorted(listing, key=lambda one: one.name)
        except OSError as error:
            raise InputError(f"{root}: {shown(folder) or 'the folder'} cannot be read: {error.strerror or error}") from None
        if not here and folder:
            yield Entry(folder, 0, io.BytesIO)
        for one in here:
            name = folder + one.name
            if one.is_symlink():
                raise InputError(f"refused: {shown(name)!r} is a link")
            if one.is_dir(follow_symlinks=False):
                if fault(name) is not None:
                    raise InputError(f"refused: {shown(name)!r}: {fault(name)}")
                waiting.append(f"{name}/")
            elif one.is_file(follow_symlinks=False):
                yield Entry(name, one.stat(follow_symlinks=False).st_size, _opener(root / name))
            else:
                raise InputError(f"refused: {shown(name)!r} is no regular file")


def _opener(path: Path) -> Callable[[], BinaryIO]:
    def open_it() -> BinaryIO:
        return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)), "rb")

    return open_it


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose own list of files is not too large to be read."""
    try:
        listed = _directory_size(path)
        archive = zipfile.ZipFile(path) if listed <= _LARGEST_DIRECTORY else None
    except _BROKEN as error:
        raise InputError(f"{path}: no pack: neither a folder nor a readable zip ({error})") from None
    if archive is None:
        raise InputError(f"{path}: refused: the zip lists more files than a pack may have")
    with archive:
        yield archive


def _directory_size(path: Path) -> int:
    """Return what the end of a zip says of the size of its list of files; 0 where it is no zip."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 65_557 - 76))
        tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        return 0
    size: int = _END.unpack_from(tail, at)[1]
    before = tail.rfind(b"PK\x06\x06", 0, at)
    return size if before < 0 else max(size if size != 0xFFFFFFFF else 0, _END64.unpack_from(tail, before)[0])


def _members(archive: zipfile.ZipFile, path: Path) -> Iterator[Entry]:
    """Yield the files of the one folder in a zip."""
    every = archive.infolist()
    _refuse_bombs(every, path)
    roots = {info.filename.split("/")[0] for info in every}
    if len(roots) != 1:
        raise InputError(f"{path}: no pack: expected a zip that holds one folder, found {len(roots)} names at its top")
    root = roots.pop() + "/"
    filled = {info.filename.rpartition("/")[0] + "/" for info in every if not info.is_dir()}
    for info in every:
        _refuse_odd(info)
        name = info.filename.removeprefix(root)
        if info.is_dir():
            if name and not any(one.startswith(info.filename) for one in filled):
                yield Entry(name, 0, io.BytesIO)
            continue
        yield Entry(name, info.file_size, _member(archive, info))


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _refuse_odd(info: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InputError(f"refused: {shown(info.filename)!r} is a link or no regular file")
    if info.filename != info.orig_filename:
        raise InputError(f"refused: {shown(info.orig_filename)!r}: the name has a character that tools read differently")
    if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"refused: {shown(info.filename)!r} is encrypted, or packed in a way that packs are not")
    wrong = fault(info.filename.removesuffix("/"))
    if wrong is not None:
        raise InputError(f"refused: {shown(info.filename)!r}: {wrong}")


def _refuse_bombs(every: list[zipfile.ZipInfo], path: Path) -> None:
    total, packed = sum(info.file_size for info in every), path.stat().st_size
    if total > max(_SMALL, _MOST_PACKED * packed):
        raise InputError(f"{path}: refused: {packed:,} bytes would unpack to {total:,}, as in a zip bomb")
    ordered = sorted(every, key=lambda info: info.header_offset)
    for one, after in itertools.pairwise(ordered):
        if one.header_offset + one.compress_size > after.header_offset:
            raise InputError(f"{path}: refused: files of the zip overlap, as in a zip bomb")
