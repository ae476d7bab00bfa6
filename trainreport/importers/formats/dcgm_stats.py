"""Reports of ``dcgmi stats``: what a job or a process did to each GPU, from its start to its end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trainreport.importers.gauges.samples import NO_TIME, Samples, recording_of_samples
from trainreport.importers.recording import Event
from trainreport.importers.smi.table import Column, decode, plain
from trainreport.importers.smi.times import times_of
from trainreport.importers.tables.found import Troubles, content_of
from trainreport.model.clock import span
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_GPU = re.compile(r"^\|[ \t]*GPU ID:[ \t]*(\d{1,4})[ \t]*\|", re.MULTILINE)
_ROW = re.compile(r"^\|[ \t]*([^|\n]{2,60}?)[ \t]*\*?[ \t]*\|[ \t]*([^|\n]{1,120}?)[ \t]*\|", re.MULTILINE)
_PART = re.compile(r"(Avg|Max|Min): (\d{1,15}(?:\.\d{1,9})?)")
_PLAIN = re.compile(r"\d{1,20}(?:\.\d{1,9})?")
_SERIES = {
    "Energy Consumed (Joules)": ("gpu/energy", "J"), "Power Usage (Watts)": ("gpu/power", "W"),
    "Max GPU Memory Used (bytes)": ("gpu/memory_used_max", "B"), "SM Clock (MHz)": ("gpu/clock_sm", "MHz"),
    "Memory Clock (MHz)": ("gpu/clock_memory", "MHz"), "SM Utilization (%)": ("gpu/utilization", "%"),
    "Memory Utilization (%)": ("gpu/memory_utilization", "%"), "PCIe Rx Bandwidth (megabytes)": ("gpu/pcie_received", "MB/s"),
    "PCIe Tx Bandwidth (megabytes)": ("gpu/pcie_sent", "MB/s"), "Single Bit ECC Errors": ("gpu/ecc_errors/corrected_in_job", "1"),
    "Double Bit ECC Errors": ("gpu/ecc_errors/uncorrected_in_job", "1"), "PCIe Replay Warnings": ("gpu/pcie_replays", "1"),
    "Critical XID Errors": ("gpu/xid_errors", "1"), "Total Execution Time (sec)": ("gpu/job_time", "s"),
}  # fmt: skip
_SLOWDOWN = re.compile(r"(?:Due to )?[ \t]*- ([A-Z][A-Za-z ]{2,20}?) \(%\)")
_WORDS = {"Avg": "mean", "Max": "max", "Min": "min"}


class _Report(NamedTuple):
    """The block of one GPU."""

    gpu: str
    line: int
    rows: list[tuple[str, str]]

    def told(self, name: str) -> str:
        """Return what stands beside a name."""
        return next((text for row, text in self.rows if row == name), "")


class DcgmStats:
    """Reads means, extremes and counts of each GPU; they are of the whole job, and stand at its end."""

    name = "dcgm-stats"
    title = "job and process reports of dcgmi stats (NVIDIA DCGM)"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether it is the table of a GPU with execution stats."""
        del path
        return b"GPU ID:" in head and b"Execution Stats" in head and _GPU.search(decode(head)) is not None

    def read(self, source: Source) -> Recording:
        """Read all blocks."""
        troubles, samples = Troubles(source), Samples()
        reports = list(_reports(decode(plain(content_of(source)))))
        written = [one.told(name) for one in reports for name in ("Start Time", "End Time")]
        times = times_of(Column.from_cells(written), source.zone)
        events = []
        for place, one in enumerate(reports):
            end = int(times.ns[2 * place + 1])
            for name, series, unit, value in _measures(one):
                meaning = Meaning(series, "system", unit, None, "of the whole job, by dcgmi stats")
                samples.add(name, meaning, value, end, device=f"gpu{int(one.gpu)}")
                if series == "gpu/xid_errors" and value > 0:
                    at = None if end == NO_TIME else end / 1e9
                    message = f"{value:.0f} critical Xid errors on gpu{int(one.gpu)}, by dcgmi stats"
                    events.append(Event("gpu-error", message, at, level="error", file=source.name, line=one.line))
        read = recording_of_samples(self.name, source, samples, troubles, clock=times.clock, events=tuple(events))
        first, last = span(times.ns[times.ns != NO_TIME])
        return replace(read, started_at=first, ended_at=last)


def _reports(text: str) -> Iterator[_Report]:
    begins = [*_GPU.finditer(text)]
    ends = [*(match.start() for match in begins[1:]), len(text)]
    for match, end in zip(begins, ends, strict=True):
        rows = [(row[1], row[2]) for row in _ROW.finditer(text[match.end() : end])]
        yield _Report(match[1], text.count("\n", 0, match.start()) + 1, rows)


def _measures(one: _Report) -> Iterator[tuple[str, str, str, float]]:
    """Yield name, series, unit and value; what is not supported, or not yet known, is left out."""
    for name, text in one.rows:
        slowed = _SLOWDOWN.fullmatch(name)
        series, unit = (f"gpu/slowed/{slowed[1].lower().replace(' ', '_')}", "%") if slowed else _SERIES.get(name, ("", ""))
        if not series:
            continue
        label = slowed[1] if slowed else name
        if _PLAIN.fullmatch(text) and float(text) < 0x7FFFFFFFFFFFFFF0:
            yield label, series, unit, float(text)
        for part, number in _PART.findall(text):
            yield f"{label} {part}", f"{series}_{_WORDS[part]}", unit, float(number)


IMPORTER: Importer = DcgmStats()
