"""Logs of ``nvidia-smi dmon`` (a row a GPU and second) and ``nvidia-smi pmon`` (a row a process)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.recording import Event, Importer, Recording, Source
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.monitor import by_process, headings_of, names_in, rows_of, with_clock
from trainreport.importers.smi.table import Text, lines_of, plain, split

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["IMPORTER", "NvidiaDmon"]

_HEAD = 4096


class NvidiaDmon:
    """Reads dmon's rows as measures of a GPU, and pmon's as measures of a process: ``pid 4711 sm``."""

    name = "nvidia-dmon"
    title = "nvidia-smi dmon and pmon, with or without date and time (-o DT)"
    tested_on = "corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether two lines begin with # and name the columns and their units."""
        del path
        return b"#" in head and names_in(lines_of(head)) is not None

    def read(self, source: Source) -> Recording:
        """Read all rows; without date and time they have no times, unless the interval is given."""
        content = plain(source.path.read_bytes())
        lines = lines_of(content[:_HEAD])
        found = names_in(lines)
        if found is None:
            raise InputError(f"{source.name}: no two header lines of nvidia-smi dmon or pmon, such as '# gpu pwr gtemp' above '# Idx W C'")
        start = content.find(b"#")
        first = content.count(b"\n", 0, start) + 1
        text = Text(rows_of(content[start:], found), 0, first, source.name)
        headings = headings_of(found)
        headings, table = with_clock(found, headings, split(text, len(headings), None))
        if found.of_processes and len(table.lines):
            headings, table = by_process(found, headings, table)
        told = "the time of day is written without its date, so rows have no time; log with -o DT"
        events = (Event("not-given", told, file=source.name, line=found.line),) if _half_a_clock(found.names) else ()
        return recording_of(self.name, Log(source.name, headings, found.line, table, tuple(lines[: first - 1]), events), source)


def _half_a_clock(names: list[str]) -> bool:
    return "time" in names and "date" not in names


IMPORTER: Importer = NvidiaDmon()
