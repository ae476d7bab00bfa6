"""Goes through what the user gave and reads every file that an importer recognises."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.errors import InputError, StrictError
from trainreport.importers.declared import MAP_FILE, entry_for, fault_of
from trainreport.importers.recording import Source
from trainreport.importers.registry import all_importers, is_built_in, recognise
from trainreport.model.decision import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainreport.importers.recording import Importer, Recording

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
    declared: Path | None = None,
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
    declared : Path, optional
        TOML that declares what files are; without it those of that name beside the logs and above them count.
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
        importer, told_in = _importer_of(file, root, declared)
        if isinstance(importer, str):
            found.skipped.append(Skipped(name, importer))
            continue
        if progress is not None:
            progress(name)
        recordings = _read(importer, Source(file, name, zone, strict, interval_s, told_in))
        if isinstance(recordings, str):
            found.skipped.append(Skipped(name, recordings))
            continue
        found.recordings += recordings
        covered.update(name for one in recordings for name in one.covers)
    # A folder's own files come before what lies below it and covers them, such as an experiment's meta.yaml.
    found.skipped = [one for one in found.skipped if one.path not in covered]
    return found


def _importer_of(file: Path, root: Path, given: Path | None) -> tuple[Importer | str, Path | None]:
    """Return what reads a file, or why nothing does; and the TOML that declares it, the given one before one beside it or above."""
    inside = [folder for folder in file.parents if folder == root or root in folder.parents]
    for told_in in [given] if given else [folder / MAP_FILE for folder in inside]:
        entry = entry_for(told_in, file.name)
        if entry is not None:
            return next(one for one in all_importers() if one.name == ("text-log" if entry.lines else "table")), told_in
    if file.name == MAP_FILE:
        return fault_of(file) or recognise(file), None
    return recognise(file), None


def _read(importer: Importer, source: Source) -> tuple[Recording, ...] | str:
    """Return what a file holds, or why it cannot be read."""
    try:
        read = importer.read(source)
    except StrictError:
        raise
    except (InputError, OSError, ValueError) as error:
        return f"{importer.name}: {error}"
    except Exception as error:
        if is_built_in(importer):
            raise
        return f"importer {importer.name} of an outside package: {type(error).__name__}: {error}"
    return read if isinstance(read, tuple) else (read,)


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
