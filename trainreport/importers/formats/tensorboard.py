"""TensorBoard event files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import StrictError
from trainreport.importers.folders import is_session
from trainreport.importers.params import code_version_of, data_version_of, seed_of
from trainreport.importers.recording import FileRead, Recording, Source, frame_of, mappings_of
from trainreport.importers.tfevents.account import events_of, status_of, written_lines, written_params
from trainreport.importers.tfevents.beside import read_beside
from trainreport.importers.tfevents.headers import HEADER_BYTES, header_length
from trainreport.importers.tfevents.log import EventLog, read_log
from trainreport.importers.tfevents.rows import rows_of
from trainreport.model.clock import nanoseconds, span
from trainreport.model.run import Problem
from trainreport.model.series import folder_phase

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.tfevents.beside import Beside
    from trainreport.importers.tfevents.parts import Damage

__all__ = ["IMPORTER", "TensorBoard"]

_LFS_POINTER = b"version https://git-lfs"
_WALL_TIME_KEY = 0x09


class TensorBoard:
    """Reads event files: scalars, hyperparameters, texts, and histograms and curves reduced to a few numbers.

    Images, sounds and graphs are passed over. A bad record costs itself only: reading goes on at the next record
    with a good header. Checksums of headers are always checked, those of payloads up to 64 KiB; of larger records
    only the small parts are read, unchecked. A Lightning ``hparams.yaml`` beside the file is read with it.
    """

    name = "tensorboard"
    title = "TensorBoard event files (PyTorch, TensorFlow, Keras, Lightning, Hugging Face, tensorboardX)"
    tested_on = "output made here, corpus"

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
        log = read_log(source.path)
        nothing = None if len(log.columns.values) else _nothing_in(source)
        problems = (Problem(source.name, "", nothing),) if nothing else tuple(_problem(source.name, damage) for damage in log.damages)
        beside = read_beside(source)
        found = problems + beside.problems
        if source.strict and found:
            place = f"{found[0].file}, {found[0].place}" if found[0].place else found[0].file
            raise StrictError(f"{place}: {found[0].what}; read without strict to go on behind it")
        return _recording(source, log, problems, beside)


def _recording(source: Source, log: EventLog, problems: tuple[Problem, ...], beside: Beside) -> Recording:
    folder, names = _run_of(source, log)
    rows = rows_of(log, names, folder_phase(folder))
    times_ns = nanoseconds(rows.wall_times)
    first, last = span(times_ns)
    frame = frame_of(rows.names, rows.meanings, rows.codes, rows.values, file=source.name, steps=rows.steps, times_ns=times_ns)
    count = len(rows.values)
    params = {**beside.params, **written_params(log), **log.facts.params}
    lines = written_lines(log)
    return Recording(
        importer=TensorBoard.name,
        kind="training",
        key=folder,
        name=folder.rsplit("/", 1)[-1] if folder != "." else source.path.absolute().parent.name or ".",
        frame=frame,
        files=(FileRead(source.path, source.name, count, log.bad_records, "UTC, written as epoch seconds"), *beside.files),
        folder=source.folder,
        covers=beside.covers,
        mappings=mappings_of(rows.names, rows.meanings),
        problems=problems + beside.problems,
        events=events_of(source.name, log, is_empty=not count and not problems),
        started_at=first,
        ended_at=last,
        status=status_of(log),
        params=params,
        tags=log.facts.tags,
        code_version=code_version_of(lines),
        data_version=data_version_of(lines),
        seed=seed_of(params),
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


def _run_of(source: Source, log: EventLog) -> tuple[str, list[str]]:
    """Return the folder of the run that a file belongs to, and its series as they were logged.

    What ``add_scalars("run", {"a": 1})`` wrote below the writer's own folder is called ``run/a`` and belongs to
    that. What PyTorch's ``add_hparams`` wrote are final metrics once more: they are called ``hparams/<tag>``, or
    step 0 of them would look like a restart of the curve of that name.
    """
    folder, tags = source.folder, log.tags
    if _is_session_summary(folder, log):
        return folder, [f"hparams/{tag}" for tag in tags]
    children = [_child(folder, tag) for tag in tags]
    levels = {child[0] for child in children if child is not None}
    if None in children or len(levels) != 1:
        return folder, tags
    (level,) = levels
    if not any("tfevents" in file.name for file in source.path.parents[level].iterdir()):
        return folder, tags
    return "/".join(folder.split("/")[:-level]) or ".", [f"{tag}/{child[1]}" for tag, child in zip(tags, children, strict=True) if child]


def _child(folder: str, tag: str) -> tuple[int, str] | None:
    """Return by how many folders a writer's own lies above that of ``add_scalars``, and what the latter is called there.

    PyTorch makes the folder ``run_a`` with the tag ``run``, tensorboardX the folder ``run/a``.
    """
    parent, _, last = folder.rpartition("/")
    prefix = tag.replace("/", "_") + "_"
    if last.startswith(prefix) and len(last) > len(prefix):
        return 1, last[len(prefix) :]
    return (tag.count("/") + 2, last) if f"/{parent}".endswith(f"/{tag}") else None


def _is_session_summary(folder: str, log: EventLog) -> bool:
    """Return whether a file holds what PyTorch's ``add_hparams`` writes: a session that has ended, then each metric once."""
    if log.facts.session_end is None or len(log.columns.values) > len(log.tags):
        return False
    if is_session(folder):
        return True
    is_lightning = "hp_metric" in log.tags  # it writes its session like that too, and then trains
    return not is_lightning and not log.columns.steps.any()


IMPORTER = TensorBoard()
