"""Writes a BagIt 1.0 bag, as a folder or as a zip that holds one; the same contents give the same bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trainreport.errors import InputError, OutputExistsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

__all__ = [
    "BAGIT",
    "DECLARATION",
    "INFO",
    "MANIFEST",
    "SIGNATURE",
    "SIGNED_WITH",
    "STATEMENT",
    "TAGMANIFEST",
    "TOKEN",
    "Item",
    "listing",
    "made_at",
    "may_write",
    "write",
]

BAGIT, INFO, MANIFEST, TAGMANIFEST = "bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"
SIGNATURE, STATEMENT, TOKEN = f"{TAGMANIFEST}.sig", "statement.dsse.json", f"{TAGMANIFEST}.tsr"
SIGNED_WITH = "Signed-With"
"""Label in ``bag-info.txt``: the fingerprint of the key, so that signatures taken away are missed."""
DECLARATION = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_BLOCK = 1 << 20
_ZIP_BEGINS = datetime(1980, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Item:
    """One file of the payload."""

    name: str
    """Below ``data/``."""
    content: bytes | Path
    title: str
    """What it is, in a few words."""
    sha256: str | None = None
    """What its content must hash to, where it was read before."""


class _Sink(Protocol):
    def file(self, name: str, blocks: Iterable[bytes], size: int) -> None: ...


def made_at() -> datetime | None:
    """Return the time that ``SOURCE_DATE_EPOCH`` gives, or None where it is not set.

    Raises
    ------
    UsageError
        If it is no number of seconds since 1970.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return None
    try:
        return datetime.fromtimestamp(int(given), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is {given!r}; expected seconds since 1970, such as 1767225600") from None


def write(
    target: Path,
    root: str,
    items: Sequence[Item],
    info: Sequence[tuple[str, str]],
    beside: Callable[[dict[str, bytes]], dict[str, bytes]] | None,
    *,
    replace: bool,
) -> None:
    """Write a bag; a reader never sees half of one.

    Parameters
    ----------
    target : Path
        A folder, or a zip where the name ends with ``.zip``.
    root : str
        Name of the folder inside the zip.
    items : sequence of Item
        The payload.
    info : sequence of (str, str)
        What ``bag-info.txt`` says besides the size of the payload.
    beside : callable, optional
        Given the tag files, returns the files that stand beside them in no list: signatures and time stamp.
    replace : bool
        Replace an earlier pack.

    Raises
    ------
    OutputExistsError
        If `target` exists and may not be replaced, or is no pack.
    InputError
        If it cannot be written, or a log is no longer what was judged.
    """
    may_write(target, replace=replace)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _staged(target) as stage:
            if _is_zip(target):
                with zipfile.ZipFile(stage, "w", zipfile.ZIP_DEFLATED) as archive:
                    _fill(_Zip(archive, root), items, info, beside)
            else:
                stage.mkdir()
                _fill(_Folder(stage), items, info, beside)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror or error}; choose another place with -o") from None


def may_write(target: Path, *, replace: bool) -> None:
    """Say no before the work where something stands at `target` that may not be replaced.

    Raises
    ------
    OutputExistsError
        If so.
    """
    if not target.exists():
        return
    if not replace:
        raise OutputExistsError(f"{target} exists already; give another name, or --force to replace it")
    if target.is_dir() != (not _is_zip(target)) or (target.is_dir() and not (target / BAGIT).is_file()):
        raise OutputExistsError(f"{target} is no pack of this kind, and --force replaces packs only; give another name")


def _is_zip(target: Path) -> bool:
    return target.suffix.lower() == ".zip"


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """Give a place beside `target` to write to, and move it there when all is well."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        stage, old = Path(folder) / "new", Path(folder) / "old"
        yield stage
        if target.is_dir():
            target.rename(old)
        stage.replace(target)


def _fill(
    sink: _Sink,
    items: Sequence[Item],
    info: Sequence[tuple[str, str]],
    beside: Callable[[dict[str, bytes]], dict[str, bytes]] | None,
) -> None:
    digests, octets = {}, 0
    for item in sorted(items, key=lambda one: one.name):
        name = f"data/{item.name}"
        digests[name], size = _add(sink, name, item)
        octets += size
    lines = [*info, ("Payload-Oxum", f"{octets}.{len(items)}")]
    tags = {
        BAGIT: DECLARATION,
        INFO: "".join(f"{label}: {_one_line(value)}\n" for label, value in lines).encode(),
        MANIFEST: listing(digests),
    }
    tags[TAGMANIFEST] = listing({name: hashlib.sha256(content).hexdigest() for name, content in tags.items()})
    more = beside(tags) if beside is not None else {}
    for name, content in sorted({**tags, **more}.items()):
        sink.file(name, (content,), len(content))


def _add(sink: _Sink, name: str, item: Item) -> tuple[str, int]:
    """Copy one item, hashing it on the way; return digest and size."""
    digest = hashlib.sha256()
    size = len(item.content) if isinstance(item.content, bytes) else item.content.stat().st_size
    sink.file(name, _hashed(_blocks(item.content), digest.update), size)
    found = digest.hexdigest()
    if item.sha256 is not None and found != item.sha256:
        raise InputError(f"{item.title}: the file changed while it was packed; run the command again")
    return found, size


def _hashed(blocks: Iterable[bytes], update: Callable[[bytes], None]) -> Iterator[bytes]:
    for block in blocks:
        update(block)
        yield block


def _blocks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as stream:
        while block := stream.read(_BLOCK):
            yield block


def listing(digests: dict[str, str]) -> bytes:
    """Return a manifest, in the form that ``sha256sum -c`` reads."""
    return "".join(f"{sha}  {name}\n" for name, sha in sorted(digests.items())).encode()


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


class _Folder:
    """Writes into a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def file(self, name: str, blocks: Iterable[bytes], size: int) -> None:
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            stream.writelines(blocks)


class _Zip:
    """Writes into a zip: fixed times, fixed permissions, in the order given."""

    def __init__(self, archive: zipfile.ZipFile, root: str) -> None:
        self._archive, self._root = archive, root
        self._time = max(made_at() or _ZIP_BEGINS, _ZIP_BEGINS).timetuple()[:6]

    def file(self, name: str, blocks: Iterable[bytes], size: int) -> None:
        entry = zipfile.ZipInfo(f"{self._root}/{name}", self._time)
        entry.compress_type, entry.external_attr, entry.create_system, entry.file_size = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3, size
        stream: IO[bytes]
        with self._archive.open(entry, "w") as stream:
            for block in blocks:
                stream.write(block)
