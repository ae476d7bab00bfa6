"""Whether the files of a job have changed since it was judged, without reading them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.model.digest import canonical_json, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["local_states", "stamp"]


def stamp(states: Iterable[tuple[object, ...]], *common: str) -> str:
    """Return what changes when a file is added, removed, renamed or written to.

    Parameters
    ----------
    states : iterable of tuple
        Of each file its name and what changes with its content.
    *common : str
        What the judgement depends on besides.
    """
    return fingerprint(canonical_json(sorted(states)), *common)


def local_states(folder: Path, leave_out: Path) -> Iterator[tuple[str, int, int, int]]:
    """Yield the states of the files below a folder of this machine.

    The times of the last change that the system itself keeps are taken, which nobody can set back. A copy elsewhere
    has another stamp, and is judged again.

    Parameters
    ----------
    folder : Path
    leave_out : Path
        A folder that does not count, that of the results; resolved.
    """
    for place, inner, files in os.walk(folder):
        inner[:] = [name for name in inner if name != leave_out.name or Path(place, name).resolve() != leave_out]
        for name in files:
            try:
                told = os.lstat(f"{place}/{name}")
            except OSError:  # gone in between
                continue
            shown = f"{place[len(str(folder)) :]}/{name}".encode("utf-8", "backslashreplace").decode()
            yield shown, told.st_size, told.st_mtime_ns, told.st_ctime_ns
