"""Plots of DVCLive: one TSV a metric."""

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

_PLOTS = "plots/metrics"


class DvcLive:
    """Reads ``plots/metrics/<name>.tsv``; what the run was given and came to lies above it."""

    name = "dvclive"
    title = "DVCLive: plots/metrics/*.tsv with params.yaml and metrics.json"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is a step and one metric, in DVCLive's folder or with its time."""
        header = header_of(head)
        if header is None or header.delimiter != "\t" or path.suffix != ".tsv":
            return False
        one_metric = header.names[-1] == path.stem and set(header.names[:-1]) <= {"timestamp", "step"} and "step" in header.names
        return one_metric and ("timestamp" in header.names or f"/{_PLOTS}/" in path.absolute().as_posix())

    def read(self, source: Source) -> Recording:
        """Read the file; those of one run are joined by their folder."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles)
        _, in_place, below = source.path.absolute().as_posix().rpartition(f"/{_PLOTS}/")
        logged = below.removesuffix(source.path.suffix) if in_place else source.path.stem
        levels = below.count("/") + 2 if in_place else 0
        folder = source.path.absolute().parents[levels]
        run = "/".join(source.folder.split("/")[: -levels or None]) or "."
        given, reached = (read_files(folder, run, (name,)) for name in ("params.yaml", "metrics.json"))
        time = "timestamp" if "timestamp" in table.columns else None
        return recording_of_table(
            self.name, source, table.renamed({source.path.stem: logged}), troubles, Roles("step", time=time),
            **folder_key(source, run, levels), params=given.told, seed=seed_of(given.told),
            tags={f"results/{name}": text for name, text in reached.told.items()}, files=(*given.files, *reached.files),
            covers=(*given.covers, *reached.covers), problems=(*given.problems, *reached.problems), events=events,
        )  # fmt: skip


IMPORTER: Importer = DvcLive()
