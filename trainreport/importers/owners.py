"""Says which runs a log of hardware belongs to, and which part of it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from trainreport.importers.folders import above, by_folder
from trainreport.importers.groups import MachinePart
from trainreport.importers.spans import Span, Spans, span_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainreport.importers.groups import Group
    from trainreport.importers.recording import Recording

__all__ = ["give_to_runs"]


def give_to_runs(machines: Iterable[Recording], groups: Sequence[Group]) -> list[Recording]:
    """Give each log of hardware to the runs that it covers; return those that cover none."""
    near = _Near(groups)
    alone = []
    for machine in machines:
        owners = near.owners(machine)
        if owners:
            _give(machine, owners)
        else:
            alone.append(machine)
    return alone


class _Near:
    """The runs in each folder or below, with their spans."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._runs = by_folder((group.folder, (group, group.span)) for group in groups if group.training)
        self._spans: dict[str, Spans] = {}

    def owners(self, machine: Recording) -> list[tuple[Group, Span | None]]:
        """Return the runs that a log covers: in its folder or below, else in the nearest folder above it."""
        span = span_of([machine])
        if span is None:
            near = self._runs.get(machine.folder, [])
            return near if len(near) == 1 else []
        for folder in above(machine.folder):
            if covered := self._touching(folder, span):
                return covered
        return []

    def _touching(self, folder: str, span: Span) -> list[tuple[Group, Span | None]]:
        runs = self._runs.get(folder, [])
        if folder not in self._spans:
            self._spans[folder] = Spans([own for _, own in runs])
        return [runs[position] for position in self._spans[folder].touching(span)]


def _give(machine: Recording, owners: Sequence[tuple[Group, Span | None]]) -> None:
    """Give each run the samples of its own span: start-up before the first, idle after each until the next begins."""
    name = machine.files[0].name if machine.files else machine.name
    if span_of([machine]) is None:
        group = owners[0][0]
        group.machine.append(MachinePart(machine))
        group.reasons.append(f"{name}: the only run near it; it has no times")
        return
    spanned = sorted(((span, group) for group, span in owners if span is not None), key=lambda one: (one[0], one[1].key))
    starts = [span[0] for span, _ in spanned]
    others = len(spanned) - 1
    shared = f"; {others} other runs take samples from it too" if others else ""
    for position, (span, group) in enumerate(spanned):
        following = bisect_left(starts, span[1], lo=position + 1)
        begin = None if position == 0 else span[0]
        group.machine.append(MachinePart(machine, begin, starts[following] if following < len(starts) else None))
        group.reasons.append(f"{name}: its times cover this run, and it lies in the same folder tree{shared}")
