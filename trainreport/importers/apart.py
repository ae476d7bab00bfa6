"""Tells apart what two tools logged of one run under one name: a curve is drawn from one of them, and both can be compared."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.importers.recording import Recording

__all__ = ["gauges_apart", "told_apart"]

_LONGER = 1.25
"""How much longer a tool must have watched the GPUs to be preferred to the one that was begun for nothing else."""


def told_apart(recordings: Sequence[Recording]) -> list[Recording]:
    """Return the recordings of a run; a name that another tool has logged before gets its tool behind it.

    Without that, the second tool's points would look like a restart of the first one's curve.
    """
    owner: dict[str, str] = {}
    found = []
    for one in recordings:
        names = [str(name) for name in one.frame["logged"].cat.categories]
        taken = [name for name in names if owner.setdefault(name, one.importer) != one.importer]
        found.append(_renamed(one, {name: f"{name} ({one.importer})" for name in taken}) if taken else one)
    return found


def gauges_apart(recordings: Sequence[Recording]) -> list[Recording]:
    """Return the recordings of a run, the same GPUs' series of several tools told apart: each GPU is to be counted once.

    W&B samples the GPUs that nvidia-smi logs, too. The tool that watched longest keeps the series, a log of hardware
    before a training tool; the others' stay under a name of their own. Logs of different nodes are of different GPUs.
    """
    if len({one.importer for one in recordings}) < 2:
        return list(recordings)
    watched: dict[str, float] = defaultdict(float)
    of_machine = {one.importer for one in recordings if one.kind == "machine"}
    series: dict[str, set[tuple[str | None, str, str]]] = defaultdict(set)
    for one in recordings:
        seconds, told = _watched(one)
        watched[one.importer] += seconds * (_LONGER if one.importer in of_machine else 1.0)
        series[one.importer] |= told
    found = list(recordings)
    kept: list[tuple[str | None, str, str]] = []
    for importer in sorted(series, key=lambda name: -watched[name]):
        twice = {name for node, device, name in series[importer] if any(_is_same(node, device, name, other) for other in kept)}
        kept += series[importer]
        if twice:
            found = [_as_its_own(one, twice) if one.importer == importer else one for one in found]
    return found


def _is_same(node: str | None, device: str, series: str, other: tuple[str | None, str, str]) -> bool:
    """Return whether both are a series of one GPU: of one node, or of one that only one of the tools names."""
    return (device, series) == other[1:] and (node is None or other[0] is None or _host(node) == _host(other[0]))


def _host(node: str) -> str:
    return node.partition(".")[0].lower()


def _watched(one: Recording) -> tuple[float, set[tuple[str | None, str, str]]]:
    """Return for how many seconds a recording has samples of GPUs, all of them added up, and its (node, device, series)."""
    frame = one.frame
    gpus = [name for name in frame["series"].cat.categories if str(name).startswith("gpu/")]
    if not gpus:
        return 0.0, set()
    rows = frame.loc[frame["series"].isin(gpus) & (frame["phase"] == "system"), ["node", "device", "series", "time"]]
    spans = rows.groupby(["node", "device"], observed=True, dropna=False)["time"].agg(["min", "max"]).dropna()
    keys = rows[["node", "device", "series"]].drop_duplicates().astype(object)
    told = {
        (None if node != node else node, "gpu0" if device != device else device, series)  # noqa: PLR0124 - NaN is what differs from itself
        for node, device, series in keys.itertuples(index=False)
    }
    return float((spans["max"] - spans["min"]).dt.total_seconds().sum()), told


def _as_its_own(one: Recording, twice: Iterable[str]) -> Recording:
    """Return a recording with some series under names of its tool."""
    names = {name: f"{name}/{one.importer}" for name in twice}
    categories = one.frame["series"].cat
    present = {name: new for name, new in names.items() if name in categories.categories}
    mappings = [
        replace(told, series=present[told.series], why=f"{told.why}; another log of the same GPUs counts, so it is a series of its own")
        if told.series in present and told.phase == "system"
        else told
        for told in one.mappings
    ]
    return replace(one, frame=one.frame.assign(series=categories.rename_categories(present)), mappings=tuple(mappings))


def _renamed(one: Recording, names: dict[str, str]) -> Recording:
    logged = one.frame["logged"].cat.rename_categories(names)
    mappings = [
        replace(told, logged=names[told.logged], why=f"{told.why}; another tool has the same name, so {one.importer} stands behind it")
        if told.logged in names
        else told
        for told in one.mappings
    ]
    return replace(one, frame=one.frame.assign(logged=logged), mappings=tuple(mappings))
