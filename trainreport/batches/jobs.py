"""The jobs of a batch: where each lies, and in what state its files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.batches import remote
from trainreport.batches.discovery import discover
from trainreport.batches.holder import Job
from trainreport.batches.stamps import local_states, stamp
from trainreport.batches.tree import LocalNode
from trainreport.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["found"]


def found(root: str | Path, output: Path, terms: str, common: Sequence[str]) -> Iterator[Job]:
    """Return the jobs below `root`, which are looked for as they are taken.

    Parameters
    ----------
    root : str or Path
        A folder, or the address of a store.
    output : Path
        Folder of the results, which is not looked into.
    terms : str
        Fingerprint of what every judgement depends on besides the files.
    common : sequence of str
        What else is written of a job depends on.

    Raises
    ------
    InputError
        If there is no such folder or store.
    """
    if isinstance(root, str) and remote.is_remote(root):
        return _remote(root.rstrip("/"), remote.open_root(root), terms, common)
    if not Path(root).is_dir():
        raise InputError(f"{root}: no such folder; expected one that holds runs")
    return _local(Path(root).resolve(), output.resolve(), terms, common)


def _local(root: Path, output: Path, terms: str, common: Sequence[str]) -> Iterator[Job]:
    for folder, share in discover(LocalNode(root, avoided=output)):
        state = stamp(local_states(folder.place, output), terms, *common)
        yield Job(str(folder.place), folder.path, state, terms=terms, share=share)


def _remote(url: str, root: remote.RemoteNode, terms: str, common: Sequence[str]) -> Iterator[Job]:
    for folder, share in discover(root):
        files = tuple(folder.below())
        state = stamp(((file.name, file.size, file.state) for file in files), terms, *common)
        where = url if folder.path == "." else f"{url}/{folder.path}"
        yield Job(where, folder.path, state, tuple((file.name, file.size) for file in files), terms, share=share)
