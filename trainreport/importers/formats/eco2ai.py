"""eco2AI's ``emission.csv``: energy and emissions of each project, run or epoch."""

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
from trainreport.model.run import Hardware

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_NEEDED = frozenset({"project_name", "start_time", "duration(s)", "co2_emissions(kg)"})
_ENERGY = ("power_consumption(kWh)", "power_consumption(kWTh)")
_GPU = re.compile(r"(.+?) (\d+) device")


class Eco2AI:
    """Reads one run for each id; eco2AI counts on from epoch to epoch, so the last row of an id holds all of it."""

    name = "eco2ai"
    title = "eco2AI emission.csv: energy and emissions of each run"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the header is eco2AI's."""
        header = header_of(head)
        return header is not None and header.lower >= _NEEDED

    def read(self, source: Source) -> tuple[Recording, ...]:
        """Read all runs, in the order of the file."""
        troubles = Troubles(source)
        table, _ = read_delimited(source, troubles)
        latest: dict[str, Cells] = {}
        for row in rows_of(table):
            if _energy(row) is None and row.number("CO2_emissions(kg)") is None:
                troubles.add(f"line {row.line}", "neither energy nor emissions; expected numbers", kind="rows")
            else:
                latest[row.text("id") or f"line {row.line}"] = row
        found: list[Recording] = []
        for key, row in latest.items():
            report = _report(source, key, row)
            told = "no zone written; " + (f"read as {source.zone}, as given" if source.zone else "taken as UTC")
            gpu = _GPU.match(row.text("GPU_name"))
            hardware = Hardware(gpu[1], int(gpu[2][:6])) if gpu and int(gpu[2][:6]) else Hardware()
            problems = () if found else troubles.all()
            found.append(recording_of(source, report, clock=told, hardware=hardware, problems=problems, importer=self.name))
        if not found:
            raise InputError("a table of eco2AI without a run")
        return tuple(found)


def _energy(row: Cells) -> float | None:
    return next((value for name in _ENERGY if (value := row.number(name)) is not None), None)


def _report(source: Source, key: str, row: Cells) -> EnergyReport:
    try:
        moment = datetime.fromisoformat(row.text("start_time"))
        started = moment.replace(tzinfo=moment.tzinfo or clock.zone(source.zone or "UTC")).astimezone(UTC)
    except ValueError:
        started = None
    return EnergyReport(
        tool="eco2AI",
        key=f"{source.name}/{key}",
        name=row.text("project_name") or key,
        energy_kwh=_energy(row),
        emissions_kg=row.number("CO2_emissions(kg)"),
        place=row.text("region/country"),
        started_at=started,
        seconds=row.number("duration(s)"),
        tags={name: text for name, column in (("energy.note", "experiment_description"),) if (text := row.text(column))},
        line=row.line,
    )


IMPORTER: Importer = Eco2AI()
