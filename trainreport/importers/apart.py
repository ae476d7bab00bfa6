"""Tells apart what two tools logged of one run under one name: a curve is drawn from one of them, and both can be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.importers.recording import Recording

__all__ = ["told_apart"]


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


def _renamed(one: Recording, names: dict[str, str]) -> Recording:
    logged = one.frame["logged"].cat.rename_categories(names)
    mappings = [
        replace(told, logged=names[told.logged], why=f"{told.why}; another tool has the same name, so {one.importer} stands behind it")
        if told.logged in names
        else told
        for told in one.mappings
    ]
    return replace(one, frame=one.frame.assign(logged=logged), mappings=tuple(mappings))
