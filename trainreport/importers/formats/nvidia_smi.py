"""Logs of ``nvidia-smi --query-gpu=… --format=csv``: with header or without, with units or ``nounits``, of one GPU or several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.smi.aliases import find_alias_header
from trainreport.importers.smi.fields import Heading, find_header, header_of
from trainreport.importers.smi.infer import headings_of_rows, infer
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.table import Text, cells_of, decode, lines_of, plain, split

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["IMPORTER", "NvidiaSmi"]

_HEAD = 65_536
"""Bytes in which the header is looked for."""


class NvidiaSmi:
    """Reads one log of a machine's GPUs: each row, one GPU's sample, becomes a number a measure."""

    name = "nvidia-smi"
    title = "nvidia-smi --query-gpu CSV, with or without header and units, one GPU or several; CSV of scripts around it and of gpustat"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first lines name query fields or can only be rows of a query without a header."""
        lines = lines_of(head)
        if find_header(lines) is not None or (b"," in head and find_alias_header(path, lines) is not None):
            return True
        return headings_of_rows(path, lines[:-1] or lines) is not None

    def read(self, source: Source) -> Recording:
        """Read all rows; numbers stand measure by measure, those of one measure in the order of the file."""
        return recording_of(self.name, _log(source), source)


def _log(source: Source) -> Log:
    """Return the log of a file; the text of the file is gone before the frame, which needs as much memory, is made."""
    content = plain(source.path.read_bytes())
    found = _header(source, lines_of(content[:_HEAD]))
    return _bare(source, content) if found is None else _headed(source, content, *found)


def _header(source: Source, lines: list[str]) -> tuple[int, list[Heading]] | None:
    place = find_header(lines)
    return (place, header_of(lines[place])) if place is not None else find_alias_header(source.path, lines)


def _headed(source: Source, content: bytes, place: int, headings: list[Heading]) -> Log:
    start = 0
    for _ in range(place + 1):
        start = content.find(b"\n", start) + 1 or len(content)
    *before, header = decode(content[:start]).split("\n")[: place + 1]
    table = split(Text(content, start, place + 2, source.name), len(headings), header)
    return Log(source.name, headings, place + 1, table, tuple(before))


def _bare(source: Source, content: bytes) -> Log:
    """Return the log of rows without a header, its columns named for what they can only be."""
    first = next((line for line in lines_of(content[:_HEAD]) if line.strip()), "")
    table = split(Text(content, 0, 1, source.name), len(cells_of(first)), None)
    inferred = infer(source.path, table.columns)
    if isinstance(inferred, str):
        raise InputError(f"{source.name}: no header with nvidia-smi query fields, such as 'timestamp, utilization.gpu [%]', and {inferred}")
    told = "; ".join(f"column {place} {one.why}" for place, one in enumerate(inferred, 1))
    return Log(source.name, inferred, 0, table, events=(Event("header-inferred", f"no header; {told}", file=source.name),))


IMPORTER: Importer = NvidiaSmi()
