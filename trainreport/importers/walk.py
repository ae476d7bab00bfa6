"""Goes through what the user gave and reads every file that an importer recognises."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.errors import InputError, StrictError
from trainreport.importers.recording import Source
from trainreport.importers.registry import recognise
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainreport.importers.recording import Recording

__all__ = ["NEVER", "Harvest", "harvest"]

# Folders that never hold logs and may hold very many files.
NEVER = frozenset({".git", "__pycache__", ".ipynb_checkpoints", "node_modules", ".venv"})


_NAMELESS = frozenset({"log", "logs", "runs", "tb", "tensorboard", "events", "output", "outputs", "results", "train", "training"})


@dataclass(slots=True)
class Harvest:
    """What was read below one path, and what was not."""

    root_name: str
    """Name of the folder that was given, for runs that lie directly in it."""
    recordings: list[Recording] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def harvest(
    path: Path,
    *,
    prefix: str = "",
    zone: str | None = None,
    strict: bool = False,
    interval_s: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Harvest:
    """Read everything below `path`.

    Parameters
    ----------
    path : Path
        A file or a folder.
    prefix : str
        Put before the names of files, where several paths were given.
    zone : str, optional
        IANA zone for times written without one.
    strict : bool
        Raise on the first bad record.
    interval_s : float, optional
        Seconds between samples of hardware logs that hold no times.
    progress : callable, optional
        Called with the name of each file before it is read.

    Raises
    ------
    InputError
        If `path` does not exist.
    StrictError
        On the first bad record, if `strict`.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    root = path if path.is_dir() else path.parent
    found = Harvest(root_name=_telling_name(root.resolve()))
    covered: set[str] = set()
    for file, name in _files(path, prefix, covered):
        if name in covered:
            continue
        if not file.is_file() or (file.is_symlink() and file != path):
            found.skipped.append(Skipped(name, "a link or no regular file; give its target as a path of its own"))
            continue
        importer = recognise(file)
        if isinstance(importer, str):
            found.skipped.append(Skipped(name, importer))
            continue
        if progress is not None:
            progress(name)
        try:
            read = importer.read(Source(file, name, zone, strict, interval_s))
        except StrictError:
            raise
        except (InputError, OSError, ValueError) as error:
            found.skipped.append(Skipped(name, f"{importer.name}: {error}"))
            continue
        recordings = read if isinstance(read, tuple) else (read,)
        found.recordings += recordings
        covered.update(name for one in recordings for name in one.covers)
    # A folder's own files come before what lies below it and covers them, such as an experiment's meta.yaml.
    found.skipped = [one for one in found.skipped if one.path not in covered]
    return found


def _telling_name(folder: Path) -> str:
    """Return the folder's name, or its parent's where its own is what everybody's log folder is called."""
    told = folder.parent.name if folder.name.lower() in _NAMELESS else ""
    return told or folder.name or "run"


def _files(path: Path, prefix: str, covered: set[str]) -> Iterator[tuple[Path, str]]:
    """Yield files with their names in a fixed order, a folder's own before those below it, so that what is covered is known in time."""
    if path.is_file():
        yield path, prefix + path.name
        return
    for folder, subfolders, files in os.walk(path):
        here = Path(folder)
        inside = prefix + f"{here.relative_to(path).as_posix()}/".removeprefix("./")
        yield from ((here / name, inside + name) for name in sorted(files))
        subfolders[:] = sorted(name for name in subfolders if name not in NEVER and inside + name not in covered)
