"""``seff`` of Slurm: how much of what was asked for a job used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.jobs.amounts import bytes_of, seconds_of
from trainreport.importers.jobs.job import Job, Measure, recordings_of
from trainreport.importers.smi.table import decode, plain
from trainreport.importers.tables.found import Troubles, content_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_BEGIN = re.compile(r"^Job ID: (\S{1,100})", re.MULTILINE)
_FIELD = re.compile(r"^([A-Z][A-Za-z/ -]{1,40}): {0,4}(\S[^\n]{0,300})$", re.MULTILINE)
_STATE = re.compile(r"([A-Z_]+)(?: by \d+)?(?: \(exit code (\d+)\))?")
_OF = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)% of ([^(]{1,40})")


class SlurmSeff:
    """Reads CPU and memory, used and asked for, of each job; seff writes no times, so a job is joined by its folder."""

    name = "slurm-seff"
    title = "seff of Slurm: CPU and memory that a job used and had asked for"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether a text names a job, its state and its efficiency as seff does."""
        del path
        return all(word in head for word in (b"Job ID: ", b"\nState: ", b"CPU Utilized: ", b"Efficiency: "))

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all reports of the file."""
        troubles = Troubles(source)
        text = decode(plain(content_of(source)))
        begins = list(_BEGIN.finditer(text))
        if not begins:
            raise InputError("no job in it that begins as the format says; the file is damaged")
        jobs = [
            _job(begin[1], dict(_FIELD.findall(text[begin.start() : end])), text.count("\n", 0, begin.start()) + 1, troubles)
            for begin, end in zip(begins, [*(one.start() for one in begins[1:]), len(text)], strict=True)
        ]
        return recordings_of(self.name, source, jobs, troubles)


def _job(number: str, told: Mapping[str, str], line: int, troubles: Troubles) -> Job:
    state = _STATE.match(told.get("State", ""))
    if state is None:
        troubles.add(f"line {line}", "a job without its state; expected 'State: COMPLETED (exit code 0)'")
    name = state[1] if state else ""
    return Job(
        scheduler="slurm",
        id=number,
        state=name,
        elapsed_s=seconds_of(told.get("Job Wall-clock time", "")),
        nodes=_whole(told.get("Nodes", "1")),
        out_of_memory="as seff says" if name == "OUT_OF_MEMORY" else "",
        exit=(state[2] or "") if state else "",
        measures=list(_measures(told)),
        facts=told,
        line=line,
    )


def _measures(told: Mapping[str, str]) -> Iterator[Measure]:
    used = seconds_of(told.get("CPU Utilized", ""))
    if used is not None:
        yield Measure("CPU Utilized", "job/cpu_time", "s", used)
    peak = bytes_of(told.get("Memory Utilized", "").partition("(")[0])
    if peak is not None:
        yield Measure("Memory Utilized", "job/memory_peak", "B", peak)
    for name, series, number in (
        ("CPU Efficiency", "job/cpu_time_allocated", seconds_of),
        ("Memory Efficiency", "job/memory_allocated", bytes_of),
    ):
        share = _OF.match(told.get(name, ""))
        if share is None:
            continue
        yield Measure(name, series.partition("_")[0] + "_efficiency", "%", float(share[1]))
        amount = number(share[2].replace("core-walltime", "").strip())
        if amount is not None:
            yield Measure(f"{name} of", series, "s" if number is seconds_of else "B", amount)


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


IMPORTER: Importer = SlurmSeff()
