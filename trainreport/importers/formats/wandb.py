"""W&B's own log of a run, ``run-<id>.wandb``: history, system metrics, config, console, and how the run ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError, StrictError
from trainreport.importers.recording import Event, FileRead, Importer, Recording, Source, mappings_of
from trainreport.importers.wandb_store.blocks import is_wandb, records
from trainreport.importers.wandb_store.folder import Folder
from trainreport.importers.wandb_store.log import Log
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from pathlib import Path

_NAMED = 8
_NO_EXIT = "the log holds no record of the run's end: its process was killed, or it still ran when the log was copied"


class Wandb:
    """Reads the log of a run and the files in ``files/`` beside it; a bad record costs itself only."""

    name = "wandb"
    title = "Weights & Biases offline runs (run-*.wandb): history, system metrics, config, console output"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the file begins with W&B's mark."""
        return is_wandb(head)

    def read(self, source: Source) -> Recording:
        """Read all records.

        Raises
        ------
        StrictError
            On the first bad record, if ``source.strict``.
        InputError
            If no record is there.
        """
        log = Log(source.name)
        with source.path.open("rb") as stream:
            for payload in records(stream):
                log.take(payload)
        if not log.read:
            raise InputError("no record in it: the process ended before W&B wrote the first, or the file is damaged throughout")
        folder = Folder(source.path.parent / "files", f"{source.folder}/files".removeprefix("./"))
        folder.read(log.facts, None if log.console.lines else log.console)
        folder.summary(log.history.points)
        problems = (*_problems(log), *folder.problems)
        if source.strict and problems:
            raise StrictError(f"{problems[0].file}, {problems[0].place}: {problems[0].what}; read without strict to go on behind it")
        return _recording(source, log, folder, problems)


def _recording(source: Source, log: Log, folder: Folder, problems: tuple[Problem, ...]) -> Recording:
    points, facts = log.history.points, log.facts
    run_id = facts.run_id or source.path.stem.removeprefix("run-")
    started, ended = facts.span(*points.span())
    debug = (f"{source.folder}/logs/{name}".removeprefix("./") for name in ("debug.log", "debug-internal.log", "debug-core.log"))
    return Recording(
        importer="wandb",
        kind="training",
        key=run_id,
        name=facts.name or run_id,
        frame=points.frame(source.name),
        files=(FileRead(source.path, source.name, len(points), len(log.damages), "UTC, written as epoch seconds"), *folder.files),
        folder=source.folder,
        covers=(*folder.covers, *debug),
        mappings=mappings_of(*points.meanings),
        problems=problems,
        events=(*log.events, *log.console.events(source.name), *_notices(log)),
        started_at=started,
        ended_at=ended,
        status=facts.status,
        **facts.described(),
    )


def _problems(log: Log) -> list[Problem]:
    return [Problem(log.name, f"byte {one.offset}" if one.offset >= 0 else "", one.what) for one in log.damages]


def _notices(log: Log) -> list[Event]:
    """Return what a reader should know of how the log was read."""
    told = []
    if log.facts.exit_code is None:
        told.append(_NO_EXIT)
    for name, rows in log.history.steps_of.items():
        told.append(f"steps of {rows:,} rows are those of {name}, the optimizer's; W&B's own _step counts calls of log")
    passed = log.history.passed_over
    if passed:
        more = f" and {len(passed) - _NAMED} more" if len(passed) > _NAMED else ""
        told.append(f"no numbers, and so passed over: {', '.join(list(passed)[:_NAMED])}{more}")
    return [Event("notice", one, file=log.name) for one in told]


IMPORTER: Importer = Wandb()
