"""TensorBoard event files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import StrictError
from trainreport.importers.recording import Event, FileRead, Recording, Source, frame_of, mappings_of
from trainreport.importers.tfevents.headers import HEADER_BYTES, header_length
from trainreport.importers.tfevents.log import EventLog, read_log
from trainreport.model.clock import nanoseconds, span
from trainreport.model.run import Problem
from trainreport.model.series import folder_phase, interpret

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.tfevents.records import Damage
    from trainreport.model.run import Status

__all__ = ["IMPORTER", "TensorBoard"]

_LFS_POINTER = b"version https://git-lfs"
_WALL_TIME_KEY = 0x09


class TensorBoard:
    """Reads the scalars, hyperparameters and texts of an event file; other summaries are passed over.

    A bad record costs itself only: reading goes on at the next record with a good header. Checksums of headers
    are always checked, those of payloads up to 64 KiB; of larger records (images, graphs) only the small parts are
    read, unchecked.
    """

    name = "tensorboard"
    title = "TensorBoard event files (PyTorch, TensorFlow, Keras, Lightning, Hugging Face, tensorboardX)"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the file begins with the record of an event, or is named as one and is empty, a pointer or damaged there."""
        if _begins_with_event(head):
            return True
        return "tfevents" in path.name and (len(head) < HEADER_BYTES or head.startswith(_LFS_POINTER) or _holds_header(head))

    def read(self, source: Source) -> Recording:
        """Read an event file.

        Raises
        ------
        StrictError
            On the first bad record, if ``source.strict``.
        """
        nothing = _nothing_in(source)
        log = read_log(source.path)
        problems = (Problem(source.name, "", nothing),) if nothing else tuple(_problem(source.name, damage) for damage in log.damages)
        if source.strict and problems:
            place = f"{problems[0].file}, {problems[0].place}" if problems[0].place else problems[0].file
            raise StrictError(f"{place}: {problems[0].what}; read without strict to go on behind it")
        return _recording(source, log, problems)


def _recording(source: Source, log: EventLog, problems: tuple[Problem, ...]) -> Recording:
    folder, tags = _run_of(source.folder, log.tags)
    meanings = [interpret(tag, folder_phase(folder)) for tag in tags]
    columns = log.columns
    times_ns = nanoseconds(columns.wall_times)
    first, last = span(times_ns)
    frame = frame_of(tags, meanings, log.codes, columns.values, file=source.name, steps=columns.steps, times_ns=times_ns)
    rows = len(columns.values)
    return Recording(
        importer=TensorBoard.name,
        kind="training",
        key=folder,
        name=folder.rsplit("/", 1)[-1] if folder != "." else source.path.absolute().parent.name or ".",
        frame=frame,
        files=(FileRead(source.path, source.name, rows, log.bad_records, "UTC, written as epoch seconds"),),
        folder=source.folder,
        mappings=mappings_of(tags, meanings),
        problems=problems,
        events=_events(source.name, log, is_empty=not rows and not problems),
        started_at=first,
        ended_at=last,
        status=_status(log),
        params=log.facts.params,
    )


def _begins_with_event(head: bytes) -> bool:
    if len(head) <= HEADER_BYTES:
        return False
    return header_length(head) is not None and head[HEADER_BYTES] == _WALL_TIME_KEY


def _holds_header(head: bytes) -> bool:
    """Return whether a record begins anywhere in the head: then the file is damaged in front of it."""
    return any(header_length(head[at : at + HEADER_BYTES]) is not None for at in range(len(head) - HEADER_BYTES + 1))


def _nothing_in(source: Source) -> str | None:
    """Return why a file cannot hold any record, or None."""
    with source.path.open("rb") as stream:
        head = stream.read(len(_LFS_POINTER))
    if not head:
        return "the file is empty: no event was ever flushed to it"
    return "Git LFS pointer, the data is not here: run git lfs pull" if head == _LFS_POINTER else None


def _problem(name: str, damage: Damage) -> Problem:
    extent = f" in {damage.end - damage.offset} bytes" if damage.end > damage.offset else ""
    return Problem(name, f"byte {damage.offset}", f"{damage.what}{extent}")


def _run_of(folder: str, tags: list[str]) -> tuple[str, list[str]]:
    """Return the folder of the run that a file belongs to, and its series as they were logged.

    PyTorch's ``add_scalars("run", {"a": 1})`` writes the tag ``run`` into a folder of its own, ``run_a``.
    """
    parent, _, last = folder.rpartition("/")
    prefixes = [tag.replace("/", "_") + "_" for tag in tags]
    if not tags or not all(last.startswith(prefix) and len(last) > len(prefix) for prefix in prefixes):
        return folder, tags
    return parent or ".", [f"{tag}/{last[len(prefix) :]}" for tag, prefix in zip(tags, prefixes, strict=True)]


def _events(name: str, log: EventLog, *, is_empty: bool) -> tuple[Event, ...]:
    facts = log.facts
    restarts = [
        (offset, Event("restart", "the writer started again", time_s, step, "warning", name)) for offset, time_s, step in facts.restarts
    ]
    texts = [
        (text.offset, Event("text", f"{text.tag}: {text.text}", text.time_s, text.step, file=name))
        for text in facts.texts
        if facts.plugin(text.tag) == "text"
    ]
    found = [event for _, event in sorted(restarts + texts, key=lambda pair: pair[0])]
    if is_empty:
        found.append(Event("notice", "the file holds no scalars", file=name))
    return tuple(found)


def _status(log: EventLog) -> Status:
    """Return how the session ended, where that was written behind the last number.

    PyTorch writes "success" with the hyperparameters, when training may only begin.
    """
    end, places = log.facts.session_end, log.columns.places
    if end is None or not len(places) or end[0] < places[-1]:
        return "unknown"
    return "finished" if end[1] == "finished" else "failed"


IMPORTER = TensorBoard()
