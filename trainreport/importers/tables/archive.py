"""Zip archives: read where they lie and bounded, nothing is written out."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.tables.found import LARGEST

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["member", "members"]

_BROKEN = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, OverflowError)
_MOST = 10_000
_AT_ONCE = 1 << 20


def members(path: Path, head: bytes) -> frozenset[str]:
    """Return the names of an archive's members, none where it is no archive that can be read."""
    if not head.startswith(b"PK\x03\x04") or path.stat().st_size > LARGEST:
        return frozenset()
    try:
        with zipfile.ZipFile(path) as archive:
            return frozenset(archive.namelist()[:_MOST])
    except _BROKEN:
        return frozenset()


def member(path: Path, name: str) -> bytes:
    """Return what a member holds.

    Raises
    ------
    InputError
        If it is not there, is damaged, or is larger than is read.
    """
    import zlib

    parts: list[bytes] = []
    left = LARGEST
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            while part := stream.read(min(_AT_ONCE, left + 1)):
                left -= len(part)
                if left < 0:
                    raise InputError(f"{name} in it unpacks to more than {LARGEST:,} bytes")
                parts.append(part)
    except KeyError:
        raise InputError(f"no {name} in the archive") from None
    except (*_BROKEN, zlib.error) as error:
        raise InputError(f"{name} in the archive cannot be read: {error}") from None
    return b"".join(parts)
