"""The folder ``files`` of a W&B run without its log: config, metadata and the last value of each metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import StrictError
from trainreport.importers.folders import parent
from trainreport.importers.points import Points
from trainreport.importers.recording import Event, Importer, Recording, Source, mappings_of
from trainreport.importers.wandb_store.facts import Facts
from trainreport.importers.wandb_store.folder import Folder
from trainreport.importers.wandb_store.output import Console
from trainreport.model.clock import from_epoch_seconds

if TYPE_CHECKING:
    from pathlib import Path

_CONFIG = re.compile(rb"^(?:wandb_version:|_wandb:)", re.MULTILINE)
_FOLDER = re.compile(r"(?:offline-)?run-(?:\d{8}_\d{6}-)?(\w+)")
_LAST_ONLY = "W&B's summary holds the last value of each metric only; curves need run-*.wandb or a CSV export of the history"


class WandbFiles:
    """Reads what lies beside ``config.yaml``, ``wandb-metadata.json`` or ``wandb-summary.json``."""

    name = "wandb-files"
    title = "Weights & Biases run folders: wandb-summary.json, config.yaml, wandb-metadata.json, output.log (last values only)"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether this is one of W&B's own files; a config.yaml only where W&B's entry is in it."""
        if path.name == "config.yaml":
            return _CONFIG.search(head) is not None
        return path.name in ("wandb-metadata.json", "wandb-summary.json") and head.lstrip().startswith(b"{")

    def read(self, source: Source) -> Recording:
        """Read the folder that `source` lies in."""
        folder, facts, console, points = Folder(source.path.parent, source.folder), Facts(), Console(), Points()
        folder.read(facts, console)
        folder.summary(points)
        if source.strict and folder.problems:
            raise StrictError(f"{folder.problems[0].file}: {folder.problems[0].what}; read without strict to go on")
        home = parent(source.folder) if source.folder.rpartition("/")[2] == "files" else source.folder
        named = _FOLDER.fullmatch(home.rpartition("/")[2])
        first, last = points.span()
        started, ended = facts.span(first, last)
        if started is not None and ended is None and folder.runtime_s:
            ended = from_epoch_seconds(started.timestamp() + folder.runtime_s)
        return Recording(
            importer="wandb",
            kind="training",
            key=named[1] if named else home,
            name=named[1] if named else home.rpartition("/")[2],
            frame=points.frame(source.name),
            files=tuple(folder.files),
            folder=home,
            covers=folder.covers,
            mappings=mappings_of(*points.meanings),
            problems=tuple(folder.problems),
            events=(*console.events(source.name), *((Event("notice", _LAST_ONLY, file=source.name),) if len(points) else ())),
            started_at=started,
            ended_at=ended,
            **facts.described(),
        )


IMPORTER: Importer = WandbFiles()
