"""CodeCarbon's ``emissions.csv``: energy and emissions of each run, and with what power usage effectiveness and grid."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.energy_reports import EnergyReport, recording_of
from trainreport.importers.tables.cells import Cells, rows_of
from trainreport.importers.tables.delimited import header_of, read_delimited
from trainreport.importers.tables.found import Troubles
from trainreport.model import clock
from trainreport.model.run import Hardware, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_NEEDED = frozenset({"timestamp", "project_name", "duration", "emissions", "energy_consumed"})
_MACHINE = ("os", "cpu_model", "gpu_model", "ram_total_size", "longitude", "latitude")
_GPUS = re.compile(r"(?:(\d+) x )?(.+)")


class CodeCarbon:
    """Reads one run a row; of rows with one id, which CodeCarbon adds while a run goes on, the last."""

    name = "codecarbon"
    title = "CodeCarbon emissions.csv: energy, emissions, power usage effectiveness and grid of each run"
    tested_on = "output made here, corpus"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is CodeCarbon's."""
        header = header_of(head)
        return header is not None and header.lower >= _NEEDED

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, in the order of the file."""
        troubles = Troubles(source)
        table, _ = read_delimited(source, troubles)
        latest: dict[str, Cells] = {}
        for row in rows_of(table):
            if row.number("energy_consumed") is None and row.number("emissions") is None:
                troubles.add(f"line {row.line}", "neither energy nor emissions; expected numbers", kind="rows")
            else:
                latest[row.text("run_id") or f"line {row.line}"] = row
        found: list[Recording] = []
        for key, row in latest.items():
            problems: tuple[Problem, ...] = () if found else troubles.all()
            clock_told = "no zone written; " + (f"read as {source.zone}, as given" if source.zone else "taken as UTC")
            report = _report(source, key, row)
            found.append(recording_of(source, report, clock=clock_told, hardware=_hardware(row), problems=problems, importer=self.name))
        if not found:
            raise InputError("a table of CodeCarbon without a run; expected energy_consumed and emissions in its rows")
        return tuple(found)


def _report(source: Source, key: str, row: Cells) -> EnergyReport:
    parts = {part: value for part in ("cpu", "gpu", "ram") if (value := row.number(f"{part}_energy")) is not None}
    place = ", ".join(text for text in (row.text("region"), row.text("country_name")) if text)
    cloud = " ".join(text for text in (row.text("cloud_provider"), row.text("cloud_region")) if text)
    mode = row.text("tracking_mode")
    project = row.text("project_name")
    return EnergyReport(
        tool=f"CodeCarbon {row.text('codecarbon_version')}".strip(),
        key=key if row.text("run_id") else f"{source.name}/{key}",
        name=project if project and project != "codecarbon" else f"codecarbon {key[:8] if row.text('run_id') else key}",
        energy_kwh=row.number("energy_consumed"),
        parts_kwh=parts,
        emissions_kg=row.number("emissions"),
        pue=row.number("pue"),
        place=place + (f" ({cloud})" if cloud else ""),
        scope="machine" if mode == "machine" else mode,
        ended_at=_moment(row.text("timestamp"), source.zone),
        seconds=row.number("duration"),
        tags={"energy.machine": "; ".join(row.text(name) for name in _MACHINE)},
        line=row.line,
    )


def _moment(text: str, zone: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=clock.zone(zone or "UTC")).astimezone(UTC)


def _hardware(row: Cells) -> Hardware:
    """Return the GPUs: ``2 x Tesla V100-PCIE-32GB``, of several models the first."""
    told = _GPUS.fullmatch(row.text("gpu_model").split(",")[0].strip())
    count = row.number("gpu_count")
    if told is None or not count:
        return Hardware()
    return Hardware(told[2], int(count) if 0 < count < 1e6 else None)


IMPORTER: Importer = CodeCarbon()
