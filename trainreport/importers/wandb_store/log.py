"""One ``.wandb`` file, record by record."""

from __future__ import annotations

from typing import Any

from trainreport.importers.recording import Event
from trainreport.importers.wandb_store.blocks import Damage
from trainreport.importers.wandb_store.facts import Facts
from trainreport.importers.wandb_store.history import History, text_of
from trainreport.importers.wandb_store.messages import record_class
from trainreport.importers.wandb_store.output import Console

__all__ = ["Log"]


class Log:
    """All that one file holds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.history = History()
        self.facts = Facts()
        self.console = Console()
        self.damages: list[Damage] = []
        self.events: list[Event] = []
        self.read = 0

    def take(self, payload: bytes | Damage) -> None:
        """Take one record, or what had to be passed over."""
        if isinstance(payload, Damage):
            self.damages.append(payload)
            return
        from google.protobuf.message import DecodeError

        try:
            record = record_class().FromString(payload)
        except DecodeError:
            self.damages.append(Damage(-1, f"record {self.read + 1} is no protobuf message"))
            return
        self.read += 1
        kind = record.WhichOneof("kind")
        if kind == "history":
            self.history.add(record.history, self.facts.started_s or float("nan"))
        elif kind == "stats":
            self.history.add_system(record.stats)
        elif kind in ("output", "output_raw"):
            piece = getattr(record, kind)
            self.console.add(piece.output_type, piece.line, piece.timestamp.seconds or None, self.name)
        elif kind is not None:
            self._fact(kind, getattr(record, kind))

    def _fact(self, kind: str, told: Any) -> None:
        if kind == "run":
            self.facts.take_run(told)
        elif kind == "config":
            self.facts.take_config(told)
        elif kind == "environment":
            self.facts.take_environment(told)
        elif kind == "exit":
            self.facts.take_exit(told)
        elif kind == "telemetry":
            self.facts.tell("cli_version", text_of(told.cli_version))
        elif kind == "preempting":
            self.facts.preempting = True
            self.events.append(Event("preempting", "the run was told that its machine is taken away", level="warning", file=self.name))
        elif kind == "alert":
            message = f"alert: {text_of(told.title)}: {text_of(told.text)}"[:1000]
            self.events.append(Event("alert", message, level="warning", file=self.name))
