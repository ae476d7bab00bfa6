"""Any CSV, TSV, JSON lines or Parquet with a column of steps, epochs or times; which one that is gets said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.declared import entry_for
from trainreport.importers.recording import Event, FileRead
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.importers.tables.parquet import parquet_names, read_parquet
from trainreport.importers.tables.records import first_object, flat, objects_in_lines, table_of_objects
from trainreport.importers.tables.roles import EPOCHS, STEPS, TIMES, Roles, guess_roles
from trainreport.importers.tables.rows import constant_texts, recording_of_table
from trainreport.model.series import folder_phase, interpret

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source
    from trainreport.importers.tables.table import Table

_AXES = frozenset({*STEPS, *EPOCHS, *TIMES})
_OF_THINGS = frozenset({
    "run_id", "run id", "run", "run_name", "run name", "id", "name", "state", "status", "uuid", "experiment_id", "trial_id", "filename",
    "image", "image_id", "file", "path", "label", "text", "url", "user", "prompt", "question", "answer", "country_name",
})  # fmt: skip
"""Columns of tables that have a row a run, an image, a text: no course of a training."""


class AnyTable:
    """Reads what has a column that counts steps or epochs, or holds times, by its name and content."""

    name = "table"
    title = "any CSV, TSV, JSON lines or Parquet with a step, epoch or time column (guessed and said, or declared in trainreport-map.toml)"
    tested_on = "corpus"
    general = True

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a column has the name of an axis and a row has a number besides."""
        if head.startswith(b"PAR1"):
            return _is_course(parquet_names(path))
        first = first_object(head)
        if first is not None:
            cells = dict(flat(first))
            return _is_course(cells) and sum(isinstance(cell, float) for cell in cells.values()) > 1
        header = header_of(head)
        return header is not None and header.has_numbers and _is_course(header.names)

    def read(self, source: Source) -> Recording:
        """Read all rows; the roles of columns are those declared, else guessed."""
        troubles = Troubles(source)
        table, events = _read(source, troubles)
        declared = entry_for(source.declared, source.path.name) if source.declared else None
        roles = Roles(**declared.roles) if declared else guess_roles(table)
        missing = [name for name in roles if name is not None and name not in table.columns]
        if missing:
            raise InputError(f"no column {missing[0]!r}, which is declared; found {', '.join(list(table.columns)[:12])}")
        if not declared and not any(roles):
            raise InputError("no column counts steps or epochs or holds times; declare one in trainreport-map.toml")
        meaning = declared.meaning() if declared else interpret
        how = f"declared in {declared.file.name}" if declared else "taken by name and content"
        told = Event("notice", f"its columns are {how}: {roles.words}", file=source.name)
        files = (FileRead(declared.file, declared.file.name, 0, clock=""),) if declared else ()
        phases = {
            meaning(name, folder_phase(source.folder)).phase for name, one in table.columns.items() if one.is_numeric and name not in roles
        }
        return recording_of_table(
            self.name, source, table, troubles, roles, meaning=meaning, events=(*events, told), files=files,
            kind="machine" if phases == {"system"} and roles.step is None and roles.epoch is None else "training",
            params=constant_texts(table, skip=roles),
        )  # fmt: skip


def _read(source: Source, troubles: Troubles) -> tuple[Table, tuple[Event, ...]]:
    with source.path.open("rb") as stream:
        head = stream.read(4096)
    if head.startswith(b"PAR1"):
        return read_parquet(source, troubles), ()
    if head.lstrip().startswith(b"{"):
        return table_of_objects(objects_in_lines(content_of(source), troubles), troubles), ()
    return read_delimited(source, troubles)


def _is_course(names: Iterable[str]) -> bool:
    """Return whether a table of these columns can be the course of a run."""
    lower = {name.lower() for name in names}
    return bool(lower & _AXES) and len(lower - _AXES) > 0 and not lower & _OF_THINGS


IMPORTER: Importer = AnyTable()
