"""carbontracker's logs: energy and emissions of a run, and the carbon intensity that it fetched."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trainreport.errors import InputError
from trainreport.importers.energy_reports import EnergyReport, recording_of
from trainreport.importers.tables.found import content_of
from trainreport.model import clock
from trainreport.model.run import Hardware

if TYPE_CHECKING:
    from pathlib import Path

    from trainreport.importers.recording import Importer, Recording, Source

_ACTUAL = re.compile(
    rb"Actual consumption(?: for \d+ epoch\(s\))?:\s*Time:\s*([\d:]+)\s*Energy:\s*([\d.eE+-]+) kWh\s*CO2eq:\s*([\d.eE+-]+) g"
)
_PREDICTED = re.compile(rb"Predicted consumption for (\d+) epoch\(s\):\s*Time:\s*[\d:]+\s*Energy:\s*([\d.eE+-]+) kWh")
_TIME = re.compile(rb"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
_INTENSITY = re.compile(rb"[Aa]verage carbon intensity during training was ([\d.]+) gCO2/?(?:eq)?/kWh(?: at detected location: ([^\n.]+))?")
_MARKS = (b"Actual consumption", b"Predicted consumption", b"carbontracker")


class CarbonTracker:
    """Reads the log of what it told (``*_carbontracker_output.log``); where it told twice, the last counts."""

    name = "carbontracker"
    title = "carbontracker *_carbontracker_output.log: energy and emissions of a run"
    tested_on = "output made here"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the text tells of consumption as carbontracker does."""
        return b" kWh" in head and b"CO2eq:" in head and any(mark in head for mark in _MARKS[:2])

    def read(self, source: Source) -> Recording:
        """Read the last figures."""
        content = content_of(source)
        every = list(_ACTUAL.finditer(content))
        if not every:
            raise InputError("carbontracker predicts in it and does not tell what was used: the run ended before it did")
        told = every[-1]
        times = [one for text in _TIME.findall(content) if (one := _moment(text, source.zone))]
        intensity = _INTENSITY.search(content)
        predicted = _PREDICTED.search(content)
        tags = {} if predicted is None else {"energy.predicted_kwh": f"{predicted[2].decode()} for {predicted[1].decode()} epochs"}
        stem = source.path.stem
        report = EnergyReport(
            tool="carbontracker",
            key=source.name,
            name=stem.removesuffix("_carbontracker_output").removesuffix("_carbontracker") or stem,
            energy_kwh=_number(told[2]),
            emissions_kg=None if _number(told[3]) is None else (_number(told[3]) or 0.0) / 1000,
            place="" if intensity is None or intensity[2] is None else intensity[2].decode("utf-8", "replace").strip(),
            seconds=_seconds(told[1]),
            ended_at=max(times, default=None),
            tags=tags,
            line=content.count(b"\n", 0, told.start()) + 1,
        )
        clock_told = "no zone written; " + (f"read as {source.zone}, as given" if source.zone else "taken as UTC")
        return recording_of(source, report, clock=clock_told if times else "no times", hardware=Hardware(), importer=self.name)


def _number(text: bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _seconds(text: bytes) -> float | None:
    """Return the seconds of ``h:mm:ss``."""
    parts = text.split(b":")
    if len(parts) != 3 or not all(part.isdigit() and len(part) < 8 for part in parts):
        return None
    hours, minutes, seconds = (int(part) for part in parts)
    return float(hours * 3600 + minutes * 60 + seconds)


def _moment(text: bytes, zone: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text.decode()).replace(tzinfo=clock.zone(zone or "UTC")).astimezone(UTC)
    except ValueError:
        return None


IMPORTER: Importer = CarbonTracker()
