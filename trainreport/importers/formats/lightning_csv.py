"""``metrics.csv`` of Lightning's CSVLogger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.params import seed_of
from trainreport.importers.tables.beside import read_files
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import folder_key, recording_of_table

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source


class LightningCsv:
    """Reads a sparse table: each row has the columns that were logged together, at the trainer's step."""

    name = "lightning-csv"
    title = "metrics.csv of Lightning's CSVLogger, with hparams.yaml beside it"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header has an epoch and a step, and Lightning's name or cells that stay empty."""
        header = header_of(head)
        if header is None or header.delimiter != "," or not {"epoch", "step"} <= set(header.names):
            return False
        return path.name == "metrics.csv" and len(header.row) == len(header.names)

    def read(self, source: Source) -> Recording:
        """Read all rows and the hyperparameters."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles)
        beside = read_files(source.path.parent, source.folder, ("hparams.yaml",))
        return recording_of_table(
            self.name, source, table, troubles, Roles("step", "epoch"),
            **folder_key(source),
            params=beside.told, seed=seed_of(beside.told), files=tuple(beside.files), covers=beside.covers,
            problems=tuple(beside.problems), events=events,
        )  # fmt: skip


IMPORTER: Importer = LightningCsv()
