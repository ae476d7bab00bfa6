"""W&B's panels as CSV: columns named ``run - metric``, each with its ``__MIN`` and ``__MAX``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import recording_of_table
from trainreport.importers.tables.table import Table
from trainreport.model.series import Meaning, interpret

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.tables.table import Column

_BOUND = re.compile(r"(?P<run>.+) - (?P<metric>.+)__(?:MIN|MAX)")
_IN_HEAD = re.compile(rb"(?:^|[,\"]).+? - [^,\"]+__MIN")
_CLOCKS = frozenset({"_timestamp", "wall time", "timestamp", "absolute time", "time"})


class WandbPanel:
    """Reads a run for each name before the dash."""

    name = "wandb-panel"
    title = "Weights & Biases panels as CSV (columns 'run - metric', __MIN, __MAX)"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a column of the header is the lower bound of one of a run."""
        header = header_of(head)
        return header is not None and header.delimiter == "," and _IN_HEAD.search(head.split(b"\n", 1)[0]) is not None

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, in the order of the columns."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles)
        bounds = [match for match in map(_BOUND.fullmatch, table.columns) if match]
        runs = list(dict.fromkeys(match["run"] for match in bounds))
        if not runs:
            raise InputError("no column of a run with its bounds; expected 'run - metric__MIN' as W&B writes it")
        axis = next(iter(table.columns))
        told = f"a panel over {axis!r}; bounds (__MIN, __MAX) are kept where they differ from the value, as they do for groups of runs"
        found: list[Recording] = []
        for run in runs:
            part, columns = _part(table, axis, run)
            notice = () if found else (*events, Event("notice", told, file=source.name))
            troubled = Troubles(source) if found else troubles
            key = f"{source.name}/{run}"
            roles = _roles(axis, columns)
            found.append(
                recording_of_table(
                    "wandb",
                    source,
                    part,
                    troubled,
                    roles,
                    meaning=_meaning,
                    key=key,
                    name=run,
                    folder=source.folder,
                    events=notice,
                )
            )
        return tuple(found)


def _roles(axis: str, columns: dict[str, Column]) -> Roles:
    """Return what counts as step, epoch and time: W&B's own step where it is among the columns, else the panel's axis."""
    name = axis.lower()
    epoch = axis if "epoch" in name else None
    time = axis if name in _CLOCKS else None
    step = "_step" if "_step" in columns else axis if not time and not epoch and not name.startswith("relative") else None
    return Roles(step, epoch, time)


def _part(table: Table, axis: str, run: str) -> tuple[Table, dict[str, Column]]:
    """Return the rows and columns of one run, named by metric; bounds that never differ from the value are left out."""
    import numpy as np

    prefix = f"{run} - "
    mine = {name.removeprefix(prefix): column for name, column in table.columns.items() if name.startswith(prefix)}
    kept = {}
    for metric, column in mine.items():
        value = mine.get(re.sub(r"__(?:MIN|MAX)$", "", metric), column)
        if value is column or not np.array_equal(value.values, column.values, equal_nan=True):
            kept[metric] = column
    written = np.any([column.written for column in kept.values()], axis=0)
    rows = np.flatnonzero(written)
    place = {int(row): nth for nth, row in enumerate(rows)}
    columns = {axis: table.columns[axis], **kept}
    cut = {
        name: type(column)(
            name, column.values[rows], column.written[rows], {place[row]: text for row, text in column.texts.items() if row in place}
        )
        for name, column in columns.items()
    }
    return Table(cut, table.lines[rows], table.skipped), kept


def _meaning(logged: str, folder: str | None) -> Meaning:
    """Return what a metric means; its bounds are series of their own."""
    base, _, bound = logged.rpartition("__")
    if bound not in ("MIN", "MAX"):
        return interpret(logged, folder)
    meant = interpret(base, folder)
    return meant._replace(series=f"{meant.series}/{bound.lower()}", why=f"bound of a group of runs; {meant.why}")


IMPORTER: Importer = WandbPanel()
