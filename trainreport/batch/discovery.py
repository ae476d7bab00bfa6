"""Finds the folders of a tree that can be judged one by one.

A **job** is a folder that is read as a whole, by itself: what ``trainreport check`` would be given. It is the
topmost folder of which one of these holds, and nothing below it is a job of its own:

1. It directly holds a log that an importer recognises: a run with its phases, ranks and hardware logs below it, the
   hardware log of all runs below it, or an MLflow experiment.
2. Two or more of its folders are named like phases (``train``, ``validation``) and hold logs: they are one run.
3. One of its folders holds the logs of one tool only, and another one logs without that tool: MLflow's store beside
   event files, a hardware log beside runs. Each may tell of the other's runs, so they are read together.

These mirror what `importers` joins. Tools side by side are seen one folder deep.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.importers.registry import recognise
from trainreport.importers.walk import NEVER
from trainreport.model.series import folder_phase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["discover"]

_STORE, _DELETED = "mlruns", ".trash"  # MLflow's names


def discover(root: Path, leave_out: Path | None = None) -> Iterator[Path]:
    """Yield the jobs below `root` as they are found, in a fixed order; one folder's names are held at a time.

    Parameters
    ----------
    root : Path
        A folder; it may be a job itself.
    leave_out : Path, optional
        A folder that is not looked into, such as that of the results.
    """
    avoided = None if leave_out is None else leave_out.resolve()
    yield from _below(root, _tools(root), avoided)


def _below(folder: Path, tools: frozenset[str], avoided: Path | None) -> Iterator[Path]:
    """Yield the jobs at and below a folder that directly holds logs of `tools`."""
    if tools:
        yield folder
        return
    inner = [(place, _tools(place)) for place in _folders(folder) if not _is(place, avoided)]
    if _one_run(inner) or _side_by_side(inner):
        yield folder
        return
    for place, found in inner:
        yield from _below(place, found, avoided)


def _is(place: Path, other: Path | None) -> bool:
    return other is not None and place.name == other.name and place.resolve() == other


def _one_run(inner: Sequence[tuple[Path, frozenset[str]]]) -> bool:
    """Return whether two or more phases lie side by side."""
    return len({folder_phase(place.name) for place, tools in inner if tools} - {None}) > 1


def _side_by_side(inner: Sequence[tuple[Path, frozenset[str]]]) -> bool:
    """Return whether a tool that stands alone in one folder is absent from another one's logs."""
    held = {tools or _store(place) for place, tools in inner} - {frozenset()}
    alone = {tool for tools in held if len(tools) == 1 for tool in tools}
    return any(tool not in tools for tool in alone for tools in held)


def _store(place: Path) -> frozenset[str]:
    """Return MLflow for the folder of its experiments, where there are runs in it."""
    has_runs = place.name == _STORE and next(place.glob("*/*/meta.yaml"), None) is not None
    return frozenset({"mlflow"} if has_runs else ())


def _tools(folder: Path) -> frozenset[str]:
    """Return which tools' logs lie directly in a folder; MLflow's experiments without runs tell nothing."""
    try:
        with os.scandir(folder) as entries:
            files = [Path(entry) for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return frozenset()
    importers = [importer.name for file in files if not isinstance(importer := recognise(file), str)]
    found = {name.split("-")[0] for name in importers}  # nvidia-smi, nvidia-dmon: one tool
    return frozenset(found - ({"mlflow"} if importers == ["mlflow"] and _without_runs(folder) else set()))


def _without_runs(folder: Path) -> bool:
    """Return whether a meta.yaml is that of an experiment in which no run lies."""
    parts = (folder / part for part in ("metrics", "params", "tags"))
    return not any(part.is_dir() for part in parts) and next(folder.glob("*/meta.yaml"), None) is None


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            inner = (Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False))
            return sorted(place for place in inner if place.name not in NEVER and place.name != _DELETED)
    except OSError:
        return []
