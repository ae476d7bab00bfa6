"""Joins what different tools wrote of one run: overlapping in time, and sharing a folder, a name, or beginning and end.

Logs without times are joined by what they hold: the same numbers at the same steps, or other measures of the same
steps in one folder; and where they are the only ones of their tools in one folder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from trainreport.importers.alike import Contents
from trainreport.importers.folders import above

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.groups import Group

__all__ = ["join_tools"]

_SHARED_TIME = 0.5
"""Share of the shorter source's span that must overlap before two tools' logs in one folder count as one run."""
_MOST_NEAR = 64
"""Runs whose numbers are compared with those of a log without times; of more only those of its folder."""
_SAME_TIMES = 0.8
"""Share of the longer source's span that must overlap where only the times tell: both began and ended together."""


def join_tools(groups: Sequence[Group]) -> list[Group]:
    """Return the runs, those joined that no more than one other tool's run fits; MLflow's take the others' in."""
    ordered = sorted(groups, key=lambda one: (one.training[0].importer != "mlflow", one.folder, one.key))
    tools = sorted({member.importer for group in ordered for member in group.training})
    timeless = [group for group in ordered if group.span is None]
    if len(tools) < 2 and len(timeless) < 2:
        return ordered
    kept = _Kept(len(ordered), tools)
    for group in ordered:
        if group.span is None:
            continue
        partners = kept.partners(group)
        if len(partners) == 1:
            partner = kept.groups[partners[0]]
            partner.reasons += [f"{_spoken(group)}: same time and same {_bond(partner, group)} as {_spoken(partner)}", *group.reasons]
            partner.training += group.training
            kept.measure(partners[0])
        else:
            kept.add(group)
    return _with_timeless(kept.groups, timeless)


def _with_timeless(groups: list[Group], timeless: Sequence[Group]) -> list[Group]:
    """Return the runs with those logs that have no times, each joined with the one run that it can be of, or a run of its own."""
    if not timeless:
        return groups
    contents: dict[int, Contents] = {}

    def held(group: Group) -> Contents:
        if id(group) not in contents:
            contents[id(group)] = Contents(group)
        return contents[id(group)]

    alone = Counter((group.folder, _tools(group)) for group in (*groups, *timeless))
    for group in timeless:
        beside = [one for one in groups if group.folder in {one.folder, *(each.folder for each in one.training)}]
        near = groups if len(groups) <= _MOST_NEAR else beside
        others = [one for one in near if not _tools(one) & _tools(group)]
        partners = [(one, "same numbers") for one in others if held(one).agrees(held(group))]
        partners = partners or [(one, "same folder and steps, other measures") for one in beside if held(one).completes(held(group))]
        if not partners and len(beside) == 1 and beside[0] in others and alone[group.folder, _tools(group)] == 1:
            partners = [(beside[0], "same folder; it has no times")]
        if len(partners) == 1:
            partner, why = partners[0]
            as_what = f" as {_spoken(partner)}"
            partner.reasons += [f"{_spoken(group)}: {why}{as_what if why == 'same numbers' else ''}", *group.reasons]
            partner.training += group.training
            contents.pop(id(partner), None)
        else:
            groups.append(group)
    return groups


def _tools(group: Group) -> frozenset[str]:
    return frozenset(one.importer for one in group.training)


def _spoken(group: Group) -> str:
    """Return what a source is called: what lies directly in the folder given has no key but its file."""
    files = group.training[0].files
    return files[0].name if group.key == "." and files else group.key


def _bond(one: Group, other: Group) -> str:
    """Return what two tools' logs of one run share."""
    if one.folder in above(other.folder) or other.folder in above(one.folder):
        return "folder"
    return "name" if one.training[0].name == other.training[0].name else "beginning and end"


class _Kept:
    """The runs so far, asked which of them another tool's log can be of; thousands are compared at once."""

    def __init__(self, most: int, tools: Sequence[str]) -> None:
        import numpy as np

        self.groups: list[Group] = []
        self._tool_bits = {tool: 1 << position for position, tool in enumerate(tools)}
        self._tools = np.full(most, -1, dtype=np.int64)  # every tool, where no run stands yet
        self._starts, self._ends = np.full((2, most), np.nan)
        self._in_folder: dict[str, list[int]] = defaultdict(list)
        self._below_folder: dict[str, list[int]] = defaultdict(list)
        self._named: dict[str, list[int]] = defaultdict(list)

    def add(self, group: Group) -> None:
        """Keep a run of its own."""
        position = len(self.groups)
        self.groups.append(group)
        self.measure(position)
        self._in_folder[group.folder].append(position)
        for folder in above(group.folder):
            self._below_folder[folder].append(position)
        self._named[group.training[0].name].append(position)

    def measure(self, position: int) -> None:
        """Take times and tools of a run that is new or has grown."""
        group = self.groups[position]
        self._tools[position] = self._tools_of(group)
        if group.span is not None:
            self._starts[position], self._ends[position] = group.span

    def partners(self, group: Group) -> list[int]:
        """Return the positions of the runs that this one can be a part of."""
        import numpy as np

        others = (self._tools & self._tools_of(group)) == 0
        if group.span is None or not others.any():
            return []
        start, end = group.span
        shared = np.minimum(self._ends, end) - np.maximum(self._starts, start)
        lengths = self._ends - self._starts
        bound = _share(shared, np.maximum(lengths, end - start)) >= _SAME_TIMES
        bound[self._related(group)] = True
        together = _share(shared, np.minimum(lengths, end - start)) >= _SHARED_TIME
        return [int(place) for place in np.flatnonzero(bound & together & others)]

    def _related(self, group: Group) -> list[int]:
        """Return those in a folder above or below, and those of the same name."""
        over = (self._in_folder.get(folder, []) for folder in above(group.folder))
        return [*chain(*over), *self._below_folder.get(group.folder, []), *self._named.get(group.training[0].name, [])]

    def _tools_of(self, group: Group) -> int:
        return sum({self._tool_bits[member.importer] for member in group.training})


def _share(shared: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the shared time as a share; 1 of nothing where both are the same instant, as in `spans.overlap_share`."""
    import numpy as np

    return np.divide(shared, whole, out=(shared >= 0).astype(np.float64), where=whole > 0)
