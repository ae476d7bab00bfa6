"""CSV of Keras' ``CSVLogger`` callback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import recording_of_table

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source


class KerasCsv:
    """Reads one row an epoch: the epoch first, then what was measured by the alphabet, as Keras writes it."""

    name = "keras-csv"
    title = "CSV of Keras' CSVLogger callback"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is epoch and then names in the order of the alphabet, a loss among them."""
        del path
        header = header_of(head)
        if header is None or header.names[0] != "epoch" or "step" in header.names or "loss" not in header.names:
            return False
        rest = [name for name in header.names[1:] if not name.startswith("val_")]
        held_out = [name for name in header.names if name.startswith("val_")]
        return rest == sorted(rest) and held_out == sorted(held_out) and (not header.row or header.row[0].strip().isdecimal())

    def read(self, source: Source) -> Recording:
        """Read all rows; epochs count from 0, as Keras writes them, and a fit that was begun anew goes back to 0."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles)
        return recording_of_table(self.name, source, table, troubles, Roles(epoch="epoch"), events=events)


IMPORTER: Importer = KerasCsv()
