"""Whether the files of a job have changed since it was judged, without reading them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.model.digest import canonical_json, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["stamp"]


def stamp(folder: Path, leave_out: Path, *common: str) -> str:
    """Return what changes when a file below `folder` is added, removed, renamed or written to.

    The times of the last change that the system itself keeps are taken, which nobody can set back. A copy elsewhere
    has another stamp, and is judged again.

    Parameters
    ----------
    folder : Path
    leave_out : Path
        A folder that does not count, that of the results.
    *common : str
        What the judgement depends on besides.
    """
    return fingerprint(canonical_json(sorted(_states(folder, leave_out.resolve()))), *common)


def _states(folder: Path, leave_out: Path) -> Iterator[tuple[str, int, int, int]]:
    for place, inner, files in os.walk(folder):
        inner[:] = [name for name in inner if name != leave_out.name or Path(place, name).resolve() != leave_out]
        for name in files:
            try:
                told = os.lstat(f"{place}/{name}")
            except OSError:  # gone in between
                continue
            shown = f"{place[len(str(folder)) :]}/{name}".encode("utf-8", "backslashreplace").decode()
            yield shown, told.st_size, told.st_mtime_ns, told.st_ctime_ns
