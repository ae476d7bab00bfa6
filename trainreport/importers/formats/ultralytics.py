"""``results.csv`` of Ultralytics YOLO, and of YOLOv5 before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.params import seed_of
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.tables.beside import read_files
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.importers.tables.roles import Roles
from trainreport.importers.tables.rows import folder_key, recording_of_table
from trainreport.model.series import Meaning, interpret

if TYPE_CHECKING:
    from pathlib import Path

_GIVEN = ("args.yaml", "opt.yaml", "hyp.yaml")


class Ultralytics:
    """Reads one row an epoch; headers of YOLOv5 are padded, its epochs count from 0, those of YOLOv8 from 1."""

    name = "ultralytics"
    title = "results.csv of Ultralytics YOLO and YOLOv5, with args.yaml, opt.yaml and hyp.yaml beside it"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is an epoch, then losses of training, metrics/ and learning rates."""
        del path
        header = header_of(head)
        if header is None or header.names[0] != "epoch":
            return False
        kinds = {name.partition("/")[0] for name in header.names if "/" in name}
        return {"train", "metrics"} <= kinds and bool(kinds & {"lr", "x"})

    def read(self, source: Source) -> Recording:
        """Read all rows and the arguments."""
        troubles = Troubles(source)
        table, events = read_delimited(source, troubles)
        beside = read_files(source.path.parent, source.folder, _GIVEN)
        first = table.columns["epoch"].values[table.columns["epoch"].written][:1]
        told = Event("notice", f"epochs are counted from {first[0]:g}, as written", file=source.name) if len(first) else None
        return recording_of_table(
            self.name, source, table, troubles, Roles(epoch="epoch", elapsed="time"), meaning=_meaning,
            **folder_key(source),
            params=beside.told, seed=seed_of(beside.told), files=tuple(beside.files), covers=beside.covers,
            problems=tuple(beside.problems), events=(*events, *((told,) if told else ())),
        )  # fmt: skip


def _meaning(name: str, folder: str | None) -> Meaning:
    if name == "time":
        return Meaning("time/elapsed", "train", "s", None, "seconds since the start of training, as Ultralytics counts them")
    return interpret(name, folder)


IMPORTER: Importer = Ultralytics()
