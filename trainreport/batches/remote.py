"""Runs in a store that is not of this machine, through fsspec: the only module that may reach a network.

It does so only when the root of a batch is an address such as ``s3://bucket/runs``, given by the user. Each folder is
listed once; of each file near the top the first bytes are read, to see whose log it is; the files of a job are
fetched by the process that judges it, block by block, into a temporary folder, and are removed afterwards.
"""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from trainreport.batches.tree import is_looked_into
from trainreport.errors import InputError, MissingDependencyError, UsageError, did_you_mean
from trainreport.importers.checkpoints import is_checkpoint
from trainreport.importers.registry import HEAD_BYTES, recognise
from trainreport.model import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fsspec import AbstractFileSystem

__all__ = ["SCHEMES", "RemoteFile", "RemoteNode", "fetch", "is_remote", "open_root"]

SCHEMES = ("s3", "gs", "az", "hf", "ssh")
"""Each is an extra of trainreport of the same name."""
MOST_BYTES = 1 << 34
"""What is fetched of one folder at most; checkpoints are never fetched."""
_TRIES, _FIRST_PAUSE_S = 4, 0.5
_AT_ONCE = 16  # folders that are looked into at the same time
_CHANGING = ("ETag", "etag", "LastModified", "last_modified", "updated", "md5Hash", "blob_id", "mtime")
"""What the stores tell of a file that changes with its content."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of the store, as its listing tells."""

    name: str
    """Below the folder that is meant, with slashes."""
    size: int
    state: str
    """Changes with its content."""


@dataclass(frozen=True, slots=True)
class _Listing:
    files: tuple[RemoteFile, ...]
    folders: tuple[str, ...]


class RemoteNode:
    """A folder of the store; what was learned of it is kept until it is told to forget it.

    Parameters
    ----------
    store : AbstractFileSystem
    root : str
        Address of the root within the store.
    path : str
        Of the folder below the root.
    """

    def __init__(self, store: AbstractFileSystem, root: str, path: str = ".") -> None:
        self._store, self._root = store, root
        self.path = path
        self._listing: _Listing | None = None
        self._folders: list[RemoteNode] | None = None
        self._importers: list[str] | None = None

    @property
    def name(self) -> str:
        """Last part of its path."""
        return self._address.rstrip("/").rpartition("/")[2]

    def files(self) -> list[str]:
        """Return the names of the files directly in it."""
        return [file.name for file in self._listed().files]

    def importers(self) -> list[str]:
        """Return the name of the importer of each file directly in it that has one."""
        if self._importers is None:
            with tempfile.TemporaryDirectory() as place:
                found = [self._importer(file, Path(place, self.name or "root")) for file in self._listed().files]
            self._importers = [name for name in found if name is not None]
        return self._importers

    def folders(self) -> list[RemoteNode]:
        """Return the folders directly in it that may hold logs; they are looked into side by side."""
        if self._folders is None:
            self._folders = [self._below(name) for name in self._listed().folders if is_looked_into(name)]
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(RemoteNode.importers, self._folders))
        return self._folders

    def forget(self) -> None:
        """Let go of what was listed."""
        self._listing = self._folders = self._importers = None

    def below(self) -> Iterator[RemoteFile]:
        """Yield every file in it and below, named from here on."""
        yield from self._listed().files
        known = {node.name: node for node in self._folders or ()}
        for name in self._listed().folders:
            for file in known.get(name, self._below(name)).below():
                yield RemoteFile(f"{name}/{file.name}", file.size, file.state)

    @property
    def _address(self) -> str:
        return self._root if self.path == "." else f"{self._root}/{self.path}"

    def _below(self, name: str) -> RemoteNode:
        return RemoteNode(self._store, self._root, name if self.path == "." else f"{self.path}/{name}")

    def _listed(self) -> _Listing:
        if self._listing is None:
            told = _retried(lambda: self._store.ls(self._address, detail=True), self._address)
            self._listing = _listing(self._address, told)
        return self._listing

    def _importer(self, file: RemoteFile, scratch: Path) -> str | None:
        """Return the name of the importer of a file, of which the first bytes are put where an importer can look at them."""
        address, end = f"{self._address}/{file.name}", min(file.size, HEAD_BYTES)
        head = _retried(lambda: self._store.cat_file(address, start=0, end=end), address) if end else b""
        with suppress(OSError):  # a name that this machine cannot write
            scratch.mkdir(exist_ok=True)
            (scratch / file.name).write_bytes(head)
            found = recognise(scratch / file.name)
            return None if isinstance(found, str) else found.name
        return None


def is_remote(root: str) -> bool:
    """Return whether the root of a batch is the address of a store, not a folder of this machine."""
    return "://" in root


def open_root(url: str) -> RemoteNode:
    """Return the root of a batch.

    Raises
    ------
    InputError
        If the store cannot be reached, or there is no such folder in it.
    MissingDependencyError
        If the library that reaches it is not installed.
    UsageError
        If it is none of `SCHEMES`.
    """
    store, root = _opened(url)
    node = RemoteNode(store, root)
    node.files()
    return node


def fetch(url: str, files: Sequence[tuple[str, int]], place: Path) -> None:
    """Copy files of a folder of the store into an empty folder of this machine; of checkpoints only their names.

    Parameters
    ----------
    url : str
        Of the folder.
    files : sequence of (str, int)
        Names below it and bytes, as they were listed.
    place : Path

    Raises
    ------
    InputError
        If one cannot be fetched, after some tries, or they are too large together.
    """
    if (total := sum(size for name, size in files if not is_checkpoint(name))) > MOST_BYTES:
        raise InputError(f"{url}: {words.memory(total)} of logs; at most {words.memory(MOST_BYTES)} are fetched of one folder")
    store, root = _opened(url)
    for name, size in files:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_checkpoint(name):
            target.touch()
        else:
            _fetch(store, f"{root}/{name}", size, target)


def _fetch(store: AbstractFileSystem, address: str, size: int, target: Path) -> None:
    def once() -> None:
        store.get_file(address, str(target))
        if target.stat().st_size != size:
            raise OSError(f"{target.stat().st_size:,} bytes came, {size:,} were listed: it was cut or is being written to")

    _retried(once, address)


def _opened(url: str) -> tuple[AbstractFileSystem, str]:
    scheme = url.partition("://")[0].lower()
    if scheme not in SCHEMES or "::" in url:
        expected = ", ".join(f"{name}://" for name in SCHEMES)
        raise UsageError(f"{url}: no address of a store that is read{did_you_mean(scheme, SCHEMES)}; expected a folder or {expected}")
    try:
        import fsspec

        store, root = fsspec.core.url_to_fs(url, use_listings_cache=False, skip_instance_cache=True)
    except ImportError as error:
        missing = getattr(error, "name", None) or error
        what = f"{scheme}:// needs a library that is missing ({missing})"
        raise MissingDependencyError(f"{what}: pip install 'trainreport[{scheme}]'") from None
    except Exception as error:
        raise InputError(f"{url} cannot be opened: {_said(error)}") from None
    return store, str(root).rstrip("/")


def _listing(address: str, told: Sequence[dict[str, Any]]) -> _Listing:
    """Return what a store tells of a folder; names that would lead out of it are left out."""
    files, folders = [], []
    for entry in sorted(told, key=lambda one: str(one["name"])):
        place = str(entry["name"]).rstrip("/")
        name = place.rpartition("/")[2]
        if place.strip("/") == address.strip("/") or name in ("", ".", "..") or "\0" in name or "\\" in name:
            continue
        if entry["type"] == "directory":
            folders.append(name)
        elif entry["type"] == "file":
            state = "|".join(str(entry[key]) for key in _CHANGING if entry.get(key) is not None)
            files.append(RemoteFile(name, int(entry["size"] or 0), state))
    return _Listing(tuple(files), tuple(folders))


def _retried(act: Callable[[], T], address: str) -> T:
    """Return what `act` gives, tried again where the connection was cut.

    Raises
    ------
    InputError
        If it fails for good.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return act()
        except (FileNotFoundError, PermissionError) as error:
            raise InputError(f"{address} cannot be read: {_said(error)}") from None
        except Exception as error:  # each store has errors of its own
            if attempt == _TRIES:
                raise InputError(f"{address} cannot be read, tried {_TRIES} times: {_said(error)}") from None
            time.sleep(_FIRST_PAUSE_S * 2 ** (attempt - 1))
    raise AssertionError


def _said(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
