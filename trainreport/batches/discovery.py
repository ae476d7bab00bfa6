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

from typing import TYPE_CHECKING, TypeVar

from trainreport.model.series import folder_phase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainreport.batches.tree import Node

__all__ = ["discover"]

_STORE, _META = "mlruns", "meta.yaml"  # MLflow's names
_PARTS = frozenset({"metrics", "params", "tags"})
N = TypeVar("N", bound="Node")


def discover(root: N) -> Iterator[tuple[N, float]]:
    """Yield the jobs at and below a folder as they are found, each with the share of the tree that lies before its end, 0 to 1.

    The order is fixed, and one folder's names are held at a time. The tree is looked through as its jobs are taken, so
    nobody knows how many there are; but of each folder it is known how many stand beside it. Folders that stand beside
    each other count as equal.
    """
    return _below(root, _tools(root), 0.0, 1.0)


def _below(folder: N, tools: frozenset[str], begin: float, end: float) -> Iterator[tuple[N, float]]:
    """Yield the jobs at and below a folder that directly holds logs of `tools`, and lies from `begin` to `end` of the tree."""
    inner = [] if tools else [(place, _tools(place)) for place in _folders(folder)]
    if tools or _one_run(inner) or _side_by_side(inner):
        yield folder, end
    else:
        width = (end - begin) / max(len(inner), 1)
        for number, (place, found) in enumerate(inner):
            yield from _below(place, found, begin + number * width, begin + (number + 1) * width)
    folder.forget()


def _folders(folder: N) -> Sequence[N]:
    return folder.folders()  # type: ignore[return-value]  # a folder's folders are of its own kind


def _one_run(inner: Sequence[tuple[Node, frozenset[str]]]) -> bool:
    """Return whether two or more phases lie side by side."""
    return len({folder_phase(place.name) for place, tools in inner if tools} - {None}) > 1


def _side_by_side(inner: Sequence[tuple[Node, frozenset[str]]]) -> bool:
    """Return whether a tool that stands alone in one folder is absent from another one's logs."""
    held = {tools or _store(place) for place, tools in inner} - {frozenset()}
    alone = {tool for tools in held if len(tools) == 1 for tool in tools}
    return any(tool not in tools for tool in alone for tools in held)


def _store(place: Node) -> frozenset[str]:
    """Return MLflow for the folder of its experiments, where there are runs in it."""
    has_runs = place.name == _STORE and any(_has_meta_below(experiment) for experiment in place.folders())
    return frozenset({"mlflow"} if has_runs else ())


def _tools(folder: Node) -> frozenset[str]:
    """Return which tools' logs lie directly in a folder; MLflow's experiments without runs tell nothing."""
    importers = folder.importers()
    found = {name.split("-")[0] for name in importers}  # nvidia-smi, nvidia-dmon: one tool
    return frozenset(found - ({"mlflow"} if list(importers) == ["mlflow"] and _without_runs(folder) else set()))


def _without_runs(folder: Node) -> bool:
    """Return whether a meta.yaml is that of an experiment in which no run lies."""
    return not any(inner.name in _PARTS for inner in folder.folders()) and not _has_meta_below(folder)


def _has_meta_below(folder: Node) -> bool:
    return any(_META in inner.files() for inner in folder.folders())
