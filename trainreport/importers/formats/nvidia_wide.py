"""CSV with a column a GPU: ``timestamp,GPU0,GPU1``, as scripts around nvidia-smi and NVML write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.smi.aliases import find_wide_header
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.table import Text, lines_of, plain, split

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

__all__ = ["IMPORTER", "NvidiaWide"]

_HEAD = 65_536
"""Bytes in which the header is looked for."""


class NvidiaWide:
    """Reads one log in which each row is a moment and each column a measure of one GPU."""

    name = "nvidia-wide"
    title = "CSV with a time and a column a GPU (timestamp,GPU0,GPU1), its measure named by the column or the file"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a header names a time and else only GPUs, and it is told what of them; in quotes it is Grafana's."""
        quoted = head.removeprefix(b"\xef\xbb\xbf").lower().startswith((b'"time"', b"sep="))
        return b"," in head and not quoted and find_wide_header(path, lines_of(head)) is not None

    def read(self, source: Source) -> Recording:
        """Read all rows."""
        content = plain(source.path.read_bytes())
        lines = lines_of(content[:_HEAD])
        found = find_wide_header(source.path, lines)
        if found is None:
            raise InputError(f"{source.name}: no header with a time and a column a GPU, such as timestamp,GPU0,GPU1")
        place, headings = found
        start = sum(len(line.encode()) + 1 for line in lines[: place + 1])
        table = split(Text(content, start, place + 2, source.name), len(headings), lines[place])
        return recording_of(self.name, Log(source.name, headings, place + 1, table, tuple(lines[:place])), source)


IMPORTER: Importer = NvidiaWide()
